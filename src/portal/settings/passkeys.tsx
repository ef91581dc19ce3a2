/** The passkeys of an account, in its settings. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import {
  addPasskey,
  askForNewPasskey,
  listPasskeys,
  newPasskeyFields,
  type Passkey,
  removePasskey,
  transact,
} from '../../identity/index.ts';
import { done } from '../done.ts';
import type { KeptForm } from '../kept-form.ts';
import { factorsWords } from '../languages/factors/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
import { keepChallenge, partyOf, takeChallenge } from '../sign-in/passkey.tsx';
import { tellOfWay } from '../sign-in/way-mails.ts';
import { Button, PostButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Moment, useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';
import { leaveMessage } from '../ui/toast.tsx';
import { wordsFor } from '../visit.ts';
import { ProofField, proofAsked, requireFreshSignIn } from './proof.tsx';
import { namesOf } from './providers.tsx';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.security;
const newBody = z.object({
  answer: newPasskeyFields,
  name: z
    .string()
    .trim()
    .max(100)
    .regex(/^\P{Cc}*$/u)
    .default(''),
});
const passkeyParams = z.object({ passkey_id: idField });

export const passkeysRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/dashboard/settings/passkeys/options',
    summary: 'What to call navigator.credentials.create with',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    result: z.object({ options: z.record(z.string(), z.unknown()) }),
    refusals: { 403: 'A sign-in of just now is needed' },
    handle: ask,
  }),
  route({
    method: 'POST',
    path: '/dashboard/settings/passkeys',
    summary: 'Add the passkey that the browser made',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: newBody,
    result: z.object({ next: z.string().describe('The page to go on to') }),
    refusals: { 409: 'It is known already, or there are as many as there may be' },
    handle: add,
  }),
  route({
    method: 'POST',
    path: '/dashboard/settings/passkeys/{passkey_id}/remove',
    summary: 'Remove a passkey',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    params: passkeyParams,
    refusals: { 404: 'There is no such passkey', 409: 'It is the only way in' },
    handle: remove,
  }),
];

export const passkeysSection: Section = {
  async show({ services, session, form }) {
    const passkeys = await listPasskeys(onlyOf(session.user.id), services.storage.db);
    const isFresh = proofAsked(session, services) === 'nothing';
    return <Passkeys passkeys={passkeys} isFresh={isFresh} form={form} nowMs={services.clock.nowMs()} />;
  },
};

interface PasskeysProps {
  readonly passkeys: readonly Passkey[];
  /** Whether they signed in just now. */
  readonly isFresh: boolean;
  readonly form: KeptForm;
  readonly nowMs: number;
}

function Passkeys({ passkeys, isFresh, form, nowMs }: PasskeysProps) {
  const { passkeys: words } = useWords(factorsWords);
  return (
    <section class="section settings-section" aria-labelledby="passkeys-title">
      <div class="section-head">
        <h2 id="passkeys-title">{words.title}</h2>
      </div>
      <p class="quiet">{words.text}</p>
      {passkeys.length === 0 ? null : (
        <Table
          caption={words.title}
          rows={passkeys}
          keyOf={({ id }) => id}
          empty={null}
          columns={[
            { key: 'name', label: words.name, phone: 'name', cell: ({ name }) => name },
            {
              key: 'added',
              label: words.added,
              leaves: 'first',
              cell: ({ createdAt }) => <Moment at={createdAt} nowMs={nowMs} />,
            },
            {
              key: 'used',
              label: words.used,
              phone: 'detail',
              cell: ({ lastUsedAt }) =>
                lastUsedAt === null ? words.never : <Moment at={lastUsedAt} nowMs={nowMs} />,
            },
            {
              key: 'remove',
              label: words.remove,
              isLabelHidden: true,
              isNumber: true,
              phone: 'value',
              cell: ({ id }) => (
                <PostButton to={`/dashboard/settings/passkeys/${id}/remove`} size="small">
                  {words.remove}
                </PostButton>
              ),
            },
          ]}
        />
      )}
      {isFresh ? (
        <div class="form" data-passkey="add" hidden>
          <TextField name="passkey_name" label={words.name} maxLength={100} />
          <p class="form-actions">
            <Button type="button">{words.add}</Button>
          </p>
          <p class="bad" role="alert" data-passkey-failed hidden>
            {words.failed}
          </p>
        </div>
      ) : (
        <ProofField asked="sign-in" form={form} page={page} />
      )}
      <noscript>
        <p class="quiet">{words.script}</p>
      </noscript>
    </section>
  );
}

async function ask({ context, services, session }: Asked<'member'>): Promise<Response> {
  await requireFreshSignIn({ services, session });
  const { user } = session;
  const options = await askForNewPasskey(services.storage.db, user, partyOf(context));
  await keepChallenge(context, services, { purpose: 'add', challenge: options.challenge, userId: user.id });
  return context.json({ ok: true, options });
}

async function add({
  context,
  services,
  session: { user },
  body: { answer, name },
}: Asked<'member', { body: typeof newBody }>): Promise<Response> {
  const words = wordsFor(context, factorsWords).passkeys;
  const challenge = await takeChallenge(context, services, 'add', user.id);
  if (challenge === undefined) {
    throw new AppError({
      code: 'conflict',
      reason: 'passkey_late',
      public: 'It took too long. Begin again on the page of your settings.',
    });
  }
  const added = { answer, challenge, party: partyOf(context), name: name === '' ? words.unnamed : name };
  await transact(services, async (work) => {
    await addPasskey(onlyOf(user.id), work, added);
    await tellOfWay(context, services, work, { user, change: 'passkey_added', what: added.name });
  });
  // The page that is asked for next, by the script, says so.
  leaveMessage(context, { tone: 'good', text: words.isAdded });
  return done(context, { to: page, result: { next: page } });
}

async function remove({
  context,
  services,
  session: { user },
  params: { passkey_id },
}: Asked<'member', { params: typeof passkeyParams }>): Promise<Response> {
  const given = { passkeyId: passkey_id, providers: namesOf(services) };
  await transact(services, async (work) => {
    const known = await listPasskeys(onlyOf(user.id), work.executor);
    await removePasskey(onlyOf(user.id), work, given);
    const what = known.find(({ id }) => id === passkey_id)?.name ?? '';
    await tellOfWay(context, services, work, { user, change: 'passkey_removed', what });
  });
  return done(context, { to: page, message: wordsFor(context, factorsWords).passkeys.removed });
}
