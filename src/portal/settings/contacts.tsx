/** The contacts of an account and what each is told of, in the settings: a list, a form, and a table to tick. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import { transact } from '../../identity/index.ts';
import {
  changePreferences,
  createContacts,
  kindsWithoutEvent,
  preferenceKinds,
  readContactMatrix,
  type ToldContact,
} from '../../notifications/index.ts';
import { done } from '../done.ts';
import { formOf, type KeptForm } from '../kept-form.ts';
import { contactsWords } from '../languages/contacts/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { useWords } from '../ui/speech.tsx';
import { Tag } from '../ui/state.tsx';
import { Table, TwoLines } from '../ui/table.tsx';
import { Pagination } from '../ui/way.tsx';
import { wordsFor } from '../visit.ts';
import { ContactFields, contactBody, fieldsOf } from './contact-fields.tsx';
import { contactRoutes, pathOfContact } from './contact-page.tsx';
import { type Section, settingsPaths } from './section.ts';
import { sentMailsPath } from './sent-mails.tsx';

const page = settingsPaths.notifications;
const addPath = `${page}/contacts`;
const matrixPath = `${page}/preferences`;
/** As many as stand beside each other in the table. */
const pageSize = 5;
const mostPages = 10_000;

/** A form sends one as a text, several as a list, and none not at all. */
const texts = (most: number) =>
  z.preprocess(
    (sent) => (sent === undefined ? [] : Array.isArray(sent) ? sent : [sent]),
    z.array(z.string().max(100)).max(most),
  );
const matrixBody = z.object({
  contact: texts(pageSize).describe('Those that are meant, by their uuid'),
  on: texts(pageSize * preferenceKinds.length).describe(
    'What they are told: a uuid, a colon and a kind each',
  ),
  was: texts(pageSize * preferenceKinds.length + 1).describe(
    'Of a form: an empty one and what of it was on when it was drawn; only what differs is written',
  ),
});

export const notificationsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: addPath,
    summary: 'Add a contact of the account',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: contactBody,
    result: z.object({ uuid: z.string() }),
    handle: add,
  }),
  ...contactRoutes,
  route({
    method: 'POST',
    path: matrixPath,
    summary: 'Set all that some contacts are told: what is not named is off',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: matrixBody,
    handle: saveMatrix,
  }),
];

export const contactsSection: Section = {
  async show({ context, services, session, form }) {
    const asked = Number(context.req.query('page') ?? '1');
    const number = Number.isInteger(asked) && asked >= 1 && asked <= mostPages ? asked : 1;
    const matrix = await readContactMatrix(onlyOf(session.user.id), services.storage.db, {
      offset: (number - 1) * pageSize,
      limit: pageSize,
    });
    return (
      <>
        <Contacts {...matrix} page={number} />
        {matrix.contacts.length === 0 ? null : <Matrix contacts={matrix.contacts} />}
        <NewContact form={formOf(form, addPath)} />
      </>
    );
  },
};

const nameOf = ({ name, email }: ToldContact): string => (name === '' ? email : name);

interface ContactsProps {
  readonly contacts: readonly ToldContact[];
  readonly total: number;
  readonly page: number;
}

function Contacts({ contacts, total, page: number }: ContactsProps) {
  const words = useWords(contactsWords);
  return (
    <section class="section" aria-labelledby="contacts-title">
      <div class="section-head">
        <h2 id="contacts-title">{words.title}</h2>
        <LinkButton href={sentMailsPath} size="small">
          {words.sent.title}
        </LinkButton>
      </div>
      <p class="quiet">{words.text}</p>
      <Table
        caption={words.title}
        rows={contacts}
        keyOf={({ uuid }) => uuid}
        empty={null}
        columns={[
          {
            key: 'contact',
            label: words.name,
            phone: 'name',
            cell: (contact) => (
              <span class="row">
                <TwoLines name={nameOf(contact)} detail={contact.name === '' ? '' : contact.email} />
                {contact.main ? <Tag>{words.main}</Tag> : null}
              </span>
            ),
          },
          { key: 'phone', label: words.phone, phone: 'detail', leaves: 'next', cell: ({ phone }) => phone },
          {
            key: 'edit',
            label: words.edit,
            isLabelHidden: true,
            isNumber: true,
            phone: 'value',
            cell: ({ uuid }) => (
              <LinkButton href={pathOfContact(uuid)} size="small">
                {words.edit}
              </LinkButton>
            ),
          },
        ]}
      />
      <Pagination
        page={number}
        pageSize={pageSize}
        total={total}
        hrefOf={(other) => `${page}?page=${other}`}
      />
    </section>
  );
}

/** A form for all of them, so that one press saves what was ticked, with or without scripts. */
function Matrix({ contacts }: { readonly contacts: readonly ToldContact[] }) {
  const words = useWords(contactsWords);
  // What this service never sends comes last, since an address of the API promises to keep it.
  const groups = Map.groupBy(preferenceKinds, ({ kind, group }) =>
    isNeverSent(kind) ? words.withoutEvent : words.groups[group],
  );
  const never = groups.get(words.withoutEvent);
  groups.delete(words.withoutEvent);
  return (
    <section class="section" aria-labelledby="matrix-title">
      <div class="section-head">
        <h2 id="matrix-title">{words.matrix}</h2>
      </div>
      <p class="quiet">{words.matrixText}</p>
      <form method="post" action={matrixPath}>
        {contacts.map(({ uuid }) => (
          <input type="hidden" name="contact" value={uuid} />
        ))}
        <input type="hidden" name="was" value="" />
        <div class="table-box scrolls" tabindex={0}>
          <table class="table contact-matrix">
            <caption class="hidden">{words.matrix}</caption>
            <thead>
              <tr>
                <th scope="col">{words.kind}</th>
                {contacts.map((contact) => (
                  <th scope="col" title={contact.email}>
                    <span>{nameOf(contact)}</span>
                  </th>
                ))}
              </tr>
            </thead>
            {[...groups, ...(never === undefined ? [] : [[words.withoutEvent, never] as const])].map(
              ([group, kinds]) => (
                <tbody>
                  <tr>
                    <th scope="rowgroup" colspan={contacts.length + 1}>
                      <span>{group}</span>
                    </th>
                  </tr>
                  {kinds.map(({ kind }) => (
                    <KindRow kind={kind} contacts={contacts} />
                  ))}
                </tbody>
              ),
            )}
          </table>
        </div>
        <p class="form-actions">
          <Button look="primary">{words.saveMatrix}</Button>
        </p>
      </form>
    </section>
  );
}

const toldAlways = 'reset_password';
const isNeverSent = (kind: string): boolean => kind !== toldAlways && Object.hasOwn(kindsWithoutEvent, kind);

function KindRow({ kind, contacts }: { readonly kind: string; readonly contacts: readonly ToldContact[] }) {
  const words = useWords(contactsWords);
  const label = words.kinds[kind] ?? kind;
  return (
    <tr>
      <th scope="row">
        {label}
        {kind === toldAlways ? <span class="quiet"> · {words.always}</span> : null}
      </th>
      {contacts.map((contact) => (
        <td>
          {contact.kinds.includes(kind) && (
            <input type="hidden" name="was" value={`${contact.uuid}:${kind}`} />
          )}
          <input
            type="checkbox"
            class="checkbox"
            name="on"
            value={`${contact.uuid}:${kind}`}
            checked={contact.kinds.includes(kind)}
            aria-label={words.cell(label, nameOf(contact))}
          />
        </td>
      ))}
    </tr>
  );
}

function NewContact({ form }: { readonly form: KeptForm }) {
  const words = useWords(contactsWords);
  return (
    <section class="section settings-section" aria-labelledby="new-contact-title">
      <div class="section-head">
        <h2 id="new-contact-title">{words.add}</h2>
      </div>
      <form class="form" method="post" action={addPath}>
        <ContactFields form={form} contact={null} />
        <p class="form-actions">
          <Button>{words.addAction}</Button>
        </p>
      </form>
      <p class="quiet small">
        <a class="link" href="/api-docs?of=account">
          {words.api}
        </a>
      </p>
    </section>
  );
}

async function add({
  context,
  services,
  session,
  body,
}: Asked<'member', { body: typeof contactBody }>): Promise<Response> {
  const own = onlyOf(session.user.id);
  const [made] = await transact(services, (work) => createContacts(own, work, [fieldsOf(body)]));
  if (made === undefined) throw new Error('a contact was made, and none is there');
  const message = wordsFor(context, contactsWords).added(made.email);
  return done(context, { to: page, message, result: { uuid: made.uuid } });
}

async function saveMatrix(asked: Asked<'member', { body: typeof matrixBody }>): Promise<Response> {
  const { context, services, session, body } = asked;
  const on = new Set(body.on);
  const was = body.was.length === 0 ? null : new Set(body.was);
  const wanted = body.contact.flatMap((contact) =>
    preferenceKinds.flatMap(({ kind }) => {
      const enabled = on.has(`${contact}:${kind}`);
      // What was left as it was drawn may have been changed meanwhile, as by the contact who wants no more mails.
      return enabled === was?.has(`${contact}:${kind}`) ? [] : [{ contact, medium: 'email', kind, enabled }];
    }),
  );
  if (body.contact.length === 0) {
    throw new AppError({ code: 'not_found', public: 'No contact is named whose notifications are meant.' });
  }
  if (wanted.length > 0) {
    await transact(services, (work) => changePreferences(onlyOf(session.user.id), work, wanted));
  }
  return done(context, { to: page, message: wordsFor(context, contactsWords).savedMatrix });
}
