/** `/dashboard/admin/users/invite`: inviting people, and the invitations that there are. */
import { z } from 'zod';
import {
  createInvite,
  type Department,
  findOrganisation,
  type Invite,
  listDepartments,
  listInvites,
  listOrganisations,
  mayGrant,
  type Organisation,
  revokeInvite,
  take,
  transact,
  type User,
  userRoles,
} from '../../identity/index.ts';
import { done } from '../done.ts';
import { type KeptForm, takeForm } from '../kept-form.ts';
import { administrationWords } from '../languages/administration/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
import { emailField } from '../sign-in/fields.ts';
import { Mistakes } from '../sign-in/form-page.tsx';
import { mailAddress, queueMail } from '../sign-in/mails.ts';
import { Button, PostButton } from '../ui/button.tsx';
import { renderPage } from '../ui/document.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Moment, useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';
import { Steps } from '../ui/way.tsx';
import { viewerOf } from '../viewer.ts';
import { visitOf, wordsFor } from '../visit.ts';

const path = '/dashboard/admin/users/invite';
const tag = 'Administration';
/** A form sends an empty text where nothing is chosen. */
const placeField = z.preprocess((given) => (given === '' ? null : given), idField.nullable().default(null));
const inviteBody = z.object({
  email: emailField,
  role: z.enum(userRoles).default('member'),
  organisation: placeField.describe('Its id'),
  department: placeField.describe('Its id'),
});
const pageQuery = z.object({ before: idField.optional().describe('The page of what is older') });
const inviteParams = z.object({ invite_id: idField });

export const invitationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'Invitations, and the form for another',
    tag,
    access: 'department_admin',
    answers: 'page',
    query: pageQuery,
    handle: showInvites,
  }),
  route({
    method: 'POST',
    path,
    summary: 'Invite somebody by their e-mail address',
    tag,
    access: 'department_admin',
    answers: 'action',
    page: path,
    body: inviteBody,
    result: z.object({ invite_id: z.int() }),
    refusals: {
      404: 'There is no such place that you could invite to',
      429: 'Too many mails to one address',
    },
    handle: invite,
  }),
  route({
    method: 'POST',
    path: `${path}/{invite_id}/revoke`,
    summary: 'Revoke an invitation that is pending',
    tag,
    access: 'department_admin',
    answers: 'action',
    page: path,
    params: inviteParams,
    refusals: { 404: 'There is no such invitation that is pending' },
    handle: revoke,
  }),
];

async function showInvites({
  context,
  services,
  session,
  scope,
  query: { before },
}: Asked<'department_admin', { query: typeof pageQuery }>): Promise<Response> {
  const { db } = services.storage;
  const nowMs = services.clock.nowMs();
  const [organisations, departments, { invites, next }, viewer] = await Promise.all([
    listOrganisations(scope, db),
    listDepartments(scope, db),
    listInvites(scope, db, { nowMs, before }),
    viewerOf(session, services),
  ]);
  const { title } = wordsFor(context, administrationWords).invites;
  const form = takeForm(context);
  return renderPage(context, {
    title,
    layout: { kind: 'administration', viewer },
    islands: ['form'],
    content: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
        </div>
        <InviteForm
          user={session.user}
          isFree={scope.whose === 'everybody'}
          organisations={organisations}
          departments={departments}
          form={form}
        />
        <Invites invites={invites} nowMs={nowMs} />
        <Steps
          previous={before === undefined ? null : path}
          next={next === null ? null : `${path}?before=${next}`}
        />
      </>
    ),
  });
}

interface InviteFormProps {
  readonly user: User;
  /** Whether whoever looks may invite to no organisation. */
  readonly isFree: boolean;
  readonly organisations: readonly Organisation[];
  readonly departments: readonly Department[];
  readonly form: KeptForm;
}

function InviteForm({ user, isFree, organisations, departments, form }: InviteFormProps) {
  const { values, issues } = form;
  const { invites: words, roles } = useWords(administrationWords);
  const names = new Map(organisations.map(({ id, name }) => [id, name]));
  return (
    <section class="section settings-section">
      <form class="form" method="post" action={path}>
        <Mistakes form={form} fields={['email', 'role', 'organisation', 'department']} />
        <TextField
          name="email"
          type="email"
          label={words.email}
          value={values['email']}
          error={issues['email']}
          required
        />
        <SelectField
          name="role"
          label={words.role}
          value={values['role'] ?? 'member'}
          error={issues['role']}
          options={userRoles
            .filter((role) => mayGrant(user, role))
            .toReversed()
            .map((role) => ({ value: role, label: roles[role] }))}
        />
        <SelectField
          name="organisation"
          label={words.organisation}
          value={values['organisation'] ?? String(user.organisationId ?? '')}
          error={issues['organisation']}
          options={[
            ...(isFree ? [{ value: '', label: words.noOrganisation }] : []),
            ...organisations.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
        {departments.length === 0 ? null : (
          <SelectField
            name="department"
            label={words.department}
            value={values['department'] ?? String(user.departmentId ?? '')}
            error={issues['department']}
            options={[
              { value: '', label: words.noDepartment },
              ...departments.map(({ id, name, organisationId }) => ({
                value: String(id),
                label: names.size > 1 ? `${names.get(organisationId) ?? ''} · ${name}` : name,
              })),
            ]}
          />
        )}
        <p class="form-actions">
          <Button look="primary">{words.action}</Button>
        </p>
      </form>
    </section>
  );
}

function Invites({ invites, nowMs }: { readonly invites: readonly Invite[]; readonly nowMs: number }) {
  const { invites: words, roles, states } = useWords(administrationWords);
  return (
    <section class="section" aria-label={words.title}>
      <Table
        caption={words.title}
        rows={invites}
        keyOf={({ id }) => id}
        empty={<p class="quiet">{words.empty}</p>}
        columns={[
          { key: 'email', label: words.email, phone: 'name', cell: ({ email }) => email },
          { key: 'role', label: words.role, leaves: 'next', cell: ({ role }) => roles[role] },
          {
            key: 'place',
            label: words.place,
            leaves: 'first',
            cell: ({ organisationName, departmentName }) =>
              [organisationName, departmentName].filter((name) => name !== null).join(' · '),
          },
          { key: 'state', label: words.state, phone: 'detail', cell: ({ state }) => states[state] },
          {
            key: 'expires',
            label: words.expires,
            leaves: 'first',
            cell: ({ expiresAt }) => <Moment at={expiresAt} nowMs={nowMs} />,
          },
          {
            key: 'revoke',
            label: words.revoke,
            isLabelHidden: true,
            isNumber: true,
            phone: 'value',
            cell: ({ id, state }) =>
              state === 'pending' ? (
                <PostButton to={`${path}/${id}/revoke`} size="small">
                  {words.revoke}
                </PostButton>
              ) : null,
          },
        ]}
      />
    </section>
  );
}

async function invite({
  context,
  services,
  session: { user },
  scope,
  body,
}: Asked<'department_admin', { body: typeof inviteBody }>): Promise<Response> {
  const { email, role, organisation: organisationId, department: departmentId } = body;
  await take(services, 'invitations of account', String(user.id));
  await take(services, 'mail to account', email);
  const organisation =
    organisationId === null ? undefined : await findOrganisation(scope, services.storage.db, organisationId);
  const id = await transact(services, async (work) => {
    const made = await createInvite(scope, work, {
      inviter: user,
      email,
      role,
      organisationId,
      departmentId,
    });
    const facts = {
      link: `${mailAddress(context, services)}/invite/${made.secret}`,
      lifetimeMs: made.expiresAt.getTime() - services.clock.nowMs(),
      inviter: user.name === '' ? user.email : user.name,
      organisation: organisation?.name ?? visitOf(context).brand.name,
    };
    await queueMail(context, services, work, {
      user: { email, language: null },
      accountId: user.id,
      news: { kind: 'invitation', facts },
      expiresAt: made.expiresAt,
    });
    return made.id;
  });
  const message = wordsFor(context, administrationWords).invites.sent(email);
  return done(context, { to: path, message, result: { invite_id: id } });
}

async function revoke({
  context,
  services,
  session: { user },
  scope,
  params: { invite_id },
}: Asked<'department_admin', { params: typeof inviteParams }>): Promise<Response> {
  await transact(services, (work) => revokeInvite(scope, work, { inviteId: invite_id, actor: user }));
  return done(context, { to: path, message: wordsFor(context, administrationWords).invites.revoked });
}
