/** `/invite/{token}`: what an invitation is for, and joining by it. */
import type { Context } from 'hono';
import { z } from 'zod';
import type { IdentityProvider } from '../../configuration/index.ts';
import {
  acceptInvite,
  findInvite,
  type Invite,
  ownerOfAddress,
  type Session,
  startSession,
  transact,
} from '../../identity/index.ts';
import { sessionStart } from '../client-facts.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { writeSessionCookie } from '../session-cookie.ts';
import { LinkButton, PostButton } from '../ui/button.tsx';
import { Callout, Facts } from '../ui/callout.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { orAtMain } from './at-main.ts';
import { linkOver, secretField } from './fields.ts';
import { Mistakes, showFormPage } from './form-page.tsx';
import { giveToMember } from './new-member.ts';
import { providersFor } from './own-way.ts';
import { ProviderLinks } from './provider-buttons.tsx';

const inviteParams = z.object({ token: secretField });

export const inviteRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/invite/{token}',
    summary: 'What an invitation is for',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    params: inviteParams,
    refusals: { 410: 'The invitation is unknown, used, withdrawn or over' },
    handle: showInvite,
  }),
  route({
    method: 'POST',
    path: '/invite/{token}',
    summary: 'Accept an invitation, as whoever is signed in',
    tag: 'Signing in',
    access: 'session',
    answers: 'action',
    params: inviteParams,
    page: '/dashboard',
    result: z.object({ next: z.string() }),
    refusals: {
      403: 'This portal is not of the organisation that is joined',
      410: 'The invitation is unknown, used, withdrawn or over',
    },
    handle: join,
  }),
];

async function showInvite({
  context,
  services,
  session,
  params: { token },
}: Asked<'anyone', { params: typeof inviteParams }>): Promise<Response> {
  const { storage, clock } = services;
  const invite = await findInvite(storage.db, { secret: token, nowMs: clock.nowMs() });
  if (invite === undefined) return showOver(context);
  const words = wordsFor(context, accountsWords).invite;
  const form = takeForm(context);
  return showFormPage(context, {
    title: words.title(invite.organisationName ?? words.platform),
    content: (
      <>
        <Mistakes form={form} fields={[]} />
        <InviteFacts invite={invite} />
        <Ways
          invite={invite}
          token={token}
          session={session}
          providers={providersFor(services, invite.email)}
          isOwned={ownerOfAddress(services.identityProviders, invite.email) !== undefined}
        />
      </>
    ),
  });
}

function InviteFacts({ invite }: { readonly invite: Invite }) {
  const { invite: words, roles } = useWords(accountsWords);
  const { figures } = useSpeech();
  const { inviterName, organisationName, departmentName, role, email, expiresAt } = invite;
  return (
    <>
      {inviterName === null ? null : <p>{words.text(inviterName, organisationName ?? words.platform)}</p>}
      <Facts
        items={[
          { name: words.address, value: email },
          { name: words.role, value: roles[role] },
          ...(departmentName === null ? [] : [{ name: words.department, value: departmentName }]),
          { name: words.until, value: figures.day(expiresAt) },
        ]}
      />
    </>
  );
}

interface WaysProps {
  readonly invite: Invite;
  readonly token: string;
  readonly session: Session | null;
  /** By which somebody with the invited address can come. */
  readonly providers: readonly IdentityProvider[];
  /** The domain of the address belongs to the one that there is, so that no password works for it. */
  readonly isOwned: boolean;
}

function Ways({ invite, token, session, providers, isOwned }: WaysProps) {
  const words = useWords(accountsWords).invite;
  const path = `/invite/${token}`;
  if (session === null) {
    return (
      <>
        {isOwned ? null : (
          <div class="row">
            <LinkButton href={`/login?${new URLSearchParams({ next: path })}`} look="primary" size="large">
              {words.signIn}
            </LinkButton>
            <LinkButton href={`/signup?${new URLSearchParams({ invite: token })}`} size="large">
              {words.create}
            </LinkButton>
          </div>
        )}
        <ProviderLinks providers={providers} query={{ invite: token }} isOnly={isOwned} />
      </>
    );
  }
  if (session.user.email === invite.email) {
    return (
      <PostButton to={path} look="primary" size="large">
        {words.join(invite.organisationName ?? words.platform)}
      </PostButton>
    );
  }
  return (
    <>
      <Callout tone="warn">{words.otherAddress(session.user.email)}</Callout>
      <PostButton to="/logout">{words.signOut}</PostButton>
    </>
  );
}

/** A session of its own begins with the new role: one that somebody else may know ends. */
async function join({
  context,
  services,
  session: { user, startedAt },
  params: { token },
}: Asked<'session', { params: typeof inviteParams }>): Promise<Response> {
  const { storage, clock } = services;
  const invite = await findInvite(storage.db, { secret: token, nowMs: clock.nowMs() });
  if (invite === undefined) throw linkOver();
  const start = sessionStart(context, services, 'invite');
  return orAtMain(context, services, `/invite/${encodeURIComponent(token)}`, async () => {
    const started = await transact(services, async (work) => {
      const joined = await acceptInvite(work, token, user);
      await giveToMember(work, joined, user);
      // Following a link shows nobody anew, so that it is no recent proof.
      return startSession(work, joined.id, { ...start, startedAt });
    });
    writeSessionCookie(context, services, started);
    const words = wordsFor(context, accountsWords).invite;
    const message = words.joined(invite.organisationName ?? words.platform);
    return done(context, { to: '/dashboard', message, result: { next: '/dashboard' } });
  });
}

function showOver(context: Context): Promise<Response> {
  const { over, overText } = wordsFor(context, accountsWords).invite;
  return showFormPage(context, { title: over, status: 410, content: <p>{overText}</p> });
}
