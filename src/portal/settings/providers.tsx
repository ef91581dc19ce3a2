/** The accounts at identity providers that sign a person in here, in their settings. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import { type LinkedIdentity, listIdentities, transact, unlinkIdentity } from '../../identity/index.ts';
import { done } from '../done.ts';
import { providersWords } from '../languages/providers/index.ts';
import { isMainHost } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { newIntent, sealIntent } from '../sign-in/provider-flow.ts';
import { requireProvider } from '../sign-in/provider-start.ts';
import { tellOfWay } from '../sign-in/way-mails.ts';
import { LinkButton, PostButton } from '../ui/button.tsx';
import { useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';
import { wordsFor } from '../visit.ts';
import { proofAsked, requireFreshSignIn, signInAgain } from './proof.tsx';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.security;
const params = z.object({ idp: z.string().max(40) });

export const providersRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/dashboard/settings/providers/{idp}/link',
    summary: 'Begin to link an account at an identity provider',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    params,
    result: z.object({ next: z.string().describe('The page to go on to') }),
    refusals: {
      403: 'A sign-in of just now is needed',
      409: 'This is another host than the one that identity providers lead back to',
    },
    handle: link,
  }),
  route({
    method: 'POST',
    path: '/dashboard/settings/providers/{idp}/unlink',
    summary: 'Unlink an account at an identity provider',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    params,
    refusals: { 404: 'No such account is linked', 409: 'It is the only way in' },
    handle: unlink,
  }),
];

export const providersSection: Section = {
  async show({ context, services, session }) {
    const { identityProviders, storage } = services;
    const linked = await listIdentities(onlyOf(session.user.id), storage.db);
    const known = new Set(identityProviders.map(({ name }) => name));
    const rows = [
      ...identityProviders.map((provider) => rowOf(provider, linked)),
      // One that is configured no more signs nobody in, and can still be taken away.
      ...linked.flatMap((each) =>
        known.has(each.provider)
          ? []
          : [{ name: each.provider, label: each.provider, email: each.email, canLink: false }],
      ),
    ];
    if (rows.length === 0) return null;
    const isFresh = proofAsked(session, services) === 'nothing';
    return <Providers rows={rows} canLink={isMainHost(context, services)} isFresh={isFresh} />;
  },
};

interface Row {
  readonly name: string;
  readonly label: string;
  /** At the provider; null where none is linked. */
  readonly email: string | null;
  readonly canLink: boolean;
}

function rowOf({ name, label }: IdentityProvider, linked: readonly LinkedIdentity[]): Row {
  const email = linked.find(({ provider }) => provider === name)?.email ?? null;
  return { name, label, email, canLink: true };
}

interface ProvidersProps {
  readonly rows: readonly Row[];
  readonly canLink: boolean;
  /** Whether they signed in just now. */
  readonly isFresh: boolean;
}

function Providers({ rows, canLink, isFresh }: ProvidersProps) {
  const { settings: words } = useWords(providersWords);
  return (
    <section class="section" aria-labelledby="providers-title">
      <div class="section-head">
        <h2 id="providers-title">{words.title}</h2>
      </div>
      <p class="quiet">{words.text}</p>
      <Table
        caption={words.title}
        rows={rows}
        keyOf={({ name }) => name}
        empty={null}
        columns={[
          { key: 'provider', label: words.provider, phone: 'name', cell: ({ label }) => label },
          {
            key: 'account',
            label: words.account,
            phone: 'detail',
            cell: ({ email }) => email ?? words.none,
          },
          {
            key: 'change',
            label: words.change,
            phone: 'value',
            cell: (row) => <Change row={row} canLink={canLink && row.canLink} isFresh={isFresh} />,
          },
        ]}
      />
    </section>
  );
}

interface ChangeProps extends Pick<ProvidersProps, 'canLink' | 'isFresh'> {
  readonly row: Row;
}

function Change({ row: { name, label, email }, canLink, isFresh }: ChangeProps) {
  const { settings: words } = useWords(providersWords);
  const path = `/dashboard/settings/providers/${encodeURIComponent(name)}`;
  if (email !== null) {
    return (
      <PostButton to={`${path}/unlink`} size="small">
        {words.unlink(label)}
      </PostButton>
    );
  }
  if (!canLink) return null;
  if (!isFresh) {
    return (
      <LinkButton href={signInAgain(page)} size="small">
        {words.link(label)}
      </LinkButton>
    );
  }
  return (
    <PostButton to={`${path}/link`} size="small">
      {words.link(label)}
    </PostButton>
  );
}

async function link({
  context,
  services,
  session,
  params: { idp },
}: Asked<'member', { params: typeof params }>): Promise<Response> {
  const { name } = requireProvider(services, idp);
  await requireFreshSignIn({ services, session });
  if (!isMainHost(context, services)) {
    throw new AppError({
      code: 'conflict',
      reason: 'link_at_main',
      public: `Link it at ${services.publicUrl}${page}.`,
    });
  }
  const intent = newIntent(services, { provider: name, next: page, linkTo: session.user.id });
  const query = new URLSearchParams({ from: await sealIntent(services, intent), pause: '1' });
  const next = `/auth/${name}?${query}`;
  return done(context, { to: next, result: { next } });
}

async function unlink({
  context,
  services,
  session: { user },
  params: { idp },
}: Asked<'member', { params: typeof params }>): Promise<Response> {
  const given = { provider: idp, providers: namesOf(services) };
  await transact(services, async (work) => {
    await unlinkIdentity(onlyOf(user.id), work, given);
    const what = services.identityProviders.find(({ name }) => name === idp)?.label ?? idp;
    await tellOfWay(context, services, work, { user, change: 'provider_unlinked', what });
  });
  return done(context, { to: page, message: wordsFor(context, providersWords).settings.unlinked });
}

/** Of those that are configured. */
export const namesOf = ({ identityProviders }: PortalServices): readonly string[] =>
  identityProviders.map(({ name }) => name);
