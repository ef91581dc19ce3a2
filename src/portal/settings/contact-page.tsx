/** One contact of the account: its form, and removing it. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import { transact } from '../../identity/index.ts';
import { changeContact, findContact, removeContact } from '../../notifications/index.ts';
import { done } from '../done.ts';
import { formOf, takeForms } from '../kept-form.ts';
import { contactsWords } from '../languages/contacts/index.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Button, PostButton } from '../ui/button.tsx';
import { renderPage } from '../ui/document.tsx';
import { viewerOf } from '../viewer.ts';
import { wordsFor } from '../visit.ts';
import { ContactFields, contactBody, fieldsOf } from './contact-fields.tsx';
import { settingsPaths } from './section.ts';

const page = settingsPaths.notifications;
const path = `${page}/contacts/{contact}`;
const contactParams = z.object({ contact: z.uuid() });
type OfOne = { params: typeof contactParams };

export const pathOfContact = (uuid: string): string => path.replace('{contact}', uuid);

export const contactRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'A contact of the account, to change or to remove',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    params: contactParams,
    refusals: { 404: 'There is no such contact' },
    handle: show,
  }),
  route({
    method: 'POST',
    path,
    summary: 'Change a contact of the account',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page: (_sent, { contact = '' }) => pathOfContact(contact),
    params: contactParams,
    body: contactBody,
    refusals: { 404: 'There is no such contact' },
    handle: save,
  }),
  route({
    method: 'POST',
    path: `${path}/remove`,
    summary: 'Remove a contact of the account, which must not be the main one',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    params: contactParams,
    refusals: { 404: 'There is no such contact' },
    handle: remove,
  }),
];

async function show({
  context,
  services,
  session,
  params: { contact: uuid },
}: Asked<'member', OfOne>): Promise<Response> {
  const contact = await findContact(onlyOf(session.user.id), services.storage.db, uuid);
  if (contact === undefined) {
    throw new AppError({ code: 'not_found', public: 'There is no such contact in this account.' });
  }
  const words = wordsFor(context, contactsWords);
  const form = formOf(takeForms(context), pathOfContact(uuid));
  const name = contact.name === '' ? contact.email : contact.name;
  return renderPage(context, {
    title: name,
    layout: {
      kind: 'signed-in',
      viewer: await viewerOf(session, services),
      trail: [
        { href: settingsPaths.profile, label: wordsFor(context, settingsWords).title },
        { href: page, label: words.page },
      ],
    },
    islands: ['form'],
    content: (
      <>
        <div class="page-head">
          <h1>{name}</h1>
        </div>
        <div class="settings">
          <section class="section settings-section" aria-label={name}>
            <form class="form" method="post" action={pathOfContact(uuid)}>
              <ContactFields form={form} contact={contact} />
              <p class="form-actions">
                <Button look="primary">{words.save}</Button>
              </p>
            </form>
          </section>
          <section class="section" aria-labelledby="remove-title">
            <div class="section-head">
              <h2 id="remove-title">{words.remove}</h2>
            </div>
            <p class="quiet">{contact.main ? words.mainStays : words.removeText(contact.email)}</p>
            {contact.main ? null : (
              <PostButton to={`${pathOfContact(uuid)}/remove`} look="danger">
                {words.remove}
              </PostButton>
            )}
          </section>
        </div>
      </>
    ),
  });
}

async function save({
  context,
  services,
  session,
  params: { contact: uuid },
  body,
}: Asked<'member', OfOne & { body: typeof contactBody }>): Promise<Response> {
  const change = fieldsOf(body);
  await transact(services, (work) => changeContact(onlyOf(session.user.id), work, { uuid, change }));
  return done(context, { to: page, message: wordsFor(context, contactsWords).saved });
}

async function remove({
  context,
  services,
  session,
  params: { contact: uuid },
}: Asked<'member', OfOne>): Promise<Response> {
  const { email } = await transact(services, (work) => removeContact(onlyOf(session.user.id), work, uuid));
  return done(context, { to: page, message: wordsFor(context, contactsWords).removed(email) });
}
