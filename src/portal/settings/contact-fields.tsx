/** The fields of a contact in a form, of one that is there or one to come. */
import { z } from 'zod';
import type { Contact } from '../../notifications/index.ts';
import type { KeptForm } from '../kept-form.ts';
import { contactsWords } from '../languages/contacts/index.ts';
import { languageNames, languages } from '../languages/language.ts';
import { Mistakes } from '../sign-in/form-page.tsx';
import { FieldPair, SelectField, TextField } from '../ui/field.tsx';
import { useWords } from '../ui/speech.tsx';

/** What a form sends where the account's language is taken. */
const asAccount = '';

export const contactBody = z.object({
  email: z.string().trim().min(1).max(254),
  name: z.string().trim().max(100).default(''),
  phone: z.string().trim().max(60).default(''),
  language: z
    .union([z.enum(languages), z.literal(asAccount)])
    .default(asAccount)
    .describe('Empty takes the account’s'),
});

export const fieldsOf = ({ language, ...fields }: z.output<typeof contactBody>) => ({
  ...fields,
  language: language === asAccount ? null : language,
});

interface ContactFieldsProps {
  readonly form: KeptForm;
  readonly contact: Contact | null;
}

export function ContactFields({ form: { values, issues, ...form }, contact }: ContactFieldsProps) {
  const words = useWords(contactsWords);
  return (
    <>
      <Mistakes form={{ ...form, values, issues }} fields={['email', 'name', 'phone', 'language']} />
      <TextField
        name="email"
        type="email"
        label={words.email}
        autocomplete="off"
        maxLength={254}
        value={values['email'] ?? contact?.email}
        error={issues['email']}
        required
      />
      <TextField
        name="name"
        label={words.name}
        help={words.nameHelp}
        autocomplete="off"
        maxLength={100}
        value={values['name'] ?? contact?.name}
        error={issues['name']}
      />
      <FieldPair>
        <TextField
          name="phone"
          type="tel"
          label={words.phone}
          help={words.phoneHelp}
          autocomplete="off"
          maxLength={60}
          value={values['phone'] ?? contact?.phone}
          error={issues['phone']}
        />
        <SelectField
          name="language"
          label={words.language}
          help={words.languageHelp}
          value={values['language'] ?? contact?.language ?? asAccount}
          error={issues['language']}
          options={[
            { value: asAccount, label: words.asAccount },
            ...languages.map((language) => ({ value: language, label: languageNames[language] })),
          ]}
        />
      </FieldPair>
    </>
  );
}
