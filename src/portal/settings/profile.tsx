/** Name, language and theme, in the settings; and the object that a client keeps with its person's account. */
import { z } from 'zod';
import { onlyOf } from '../../base/scope.ts';
import { changeProfile, saveDisplayName, transact, type User } from '../../identity/index.ts';
import { done } from '../done.ts';
import { formOf, type KeptForm } from '../kept-form.ts';
import { languageNames, languages } from '../languages/language.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { chooseLanguage, chooseTheme, themes } from '../preferences.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Mistakes } from '../sign-in/form-page.tsx';
import { Button } from '../ui/button.tsx';
import { FieldPair, SelectField, TextField } from '../ui/field.tsx';
import { useWords } from '../ui/speech.tsx';
import { type Visit, visitOf, wordsFor } from '../visit.ts';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.profile;
const displayNamePath = `${page}/display-name`;
const profileBody = z.object({
  name: z.string().trim().max(100).optional(),
  language: z.enum(languages).optional(),
  theme: z.enum(themes).optional().describe('Of this browser'),
});
/** Whatever it holds; what bounds it is the rule's. */
const anyObject = z.looseObject({});
const mostDisplayNameBytes = 16_384;

export const profileRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: page,
    summary: 'Save name, language and theme; what is not given stays',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: profileBody,
    result: z.object({ name: z.string(), language: z.enum(languages), theme: z.enum(themes) }),
    handle: save,
  }),
  route({
    method: 'POST',
    path: displayNamePath,
    summary:
      'Keep an object with the account, in place of the one before; its member `display_name` is the name too',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: anyObject,
    mostBodyBytes: mostDisplayNameBytes,
    result: z.object({ display_name: z.record(z.string(), z.unknown()).describe('What is stored') }),
    handle: keepDisplayName,
  }),
];

export const profileSection: Section = {
  show: ({ context, session: { user }, form }) => (
    <ProfileForm user={user} visit={visitOf(context)} form={formOf(form, page)} />
  ),
};

interface ProfileFormProps {
  readonly user: User;
  readonly visit: Visit;
  readonly form: KeptForm;
}

function ProfileForm({ user, visit, form }: ProfileFormProps) {
  const { profile: words } = useWords(settingsWords);
  const { values, issues } = form;
  return (
    <section class="section settings-section" aria-labelledby="profile-title">
      <div class="section-head">
        <h2 id="profile-title">{words.title}</h2>
      </div>
      <form class="form" method="post" action={page}>
        <Mistakes form={form} fields={['name', 'language', 'theme']} />
        <TextField
          name="name"
          label={words.name}
          help={words.nameHelp}
          autocomplete="name"
          maxLength={100}
          value={values['name'] ?? user.name}
          error={issues['name']}
        />
        <FieldPair>
          <SelectField
            name="language"
            label={words.language}
            help={words.languageHelp}
            value={values['language'] ?? visit.language}
            error={issues['language']}
            options={languages.map((language) => ({ value: language, label: languageNames[language] }))}
          />
          <SelectField
            name="theme"
            label={words.theme}
            help={words.themeHelp}
            value={values['theme'] ?? visit.theme ?? 'system'}
            error={issues['theme']}
            options={themes.map((theme) => ({ value: theme, label: words.themes[theme] }))}
          />
        </FieldPair>
        <p class="form-actions">
          <Button look="primary">{words.action}</Button>
        </p>
      </form>
    </section>
  );
}

async function save(asked: Asked<'member', { body: typeof profileBody }>): Promise<Response> {
  const { context, services, session, body } = asked;
  const { name = session.user.name, language, theme } = body;
  await transact(services, (work) => changeProfile(onlyOf(session.user.id), work, { name }));
  if (language !== undefined) await chooseLanguage(asked, language);
  if (theme !== undefined) chooseTheme(context, theme);
  const visit = visitOf(context);
  const saved = { name, language: language ?? visit.language, theme: theme ?? visit.theme ?? 'system' };
  const { done: message } = settingsWords[saved.language].profile;
  return done(context, { to: page, message, result: saved });
}

async function keepDisplayName({
  context,
  services,
  session,
  body,
}: Asked<'member', { body: typeof anyObject }>): Promise<Response> {
  const stored = await transact(services, (work) => saveDisplayName(onlyOf(session.user.id), work, body));
  const message = wordsFor(context, settingsWords).profile.done;
  return done(context, { to: page, message, result: { display_name: stored } });
}
