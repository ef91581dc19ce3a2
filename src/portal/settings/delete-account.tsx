/** Deleting an account for good, in its settings. */
import { z } from 'zod';
import { nanoUsdPerUsd } from '../../base/money.ts';
import { onlyOf } from '../../base/scope.ts';
import { findRemovalObstacle, type RemovalObstacle, requireProof, transact } from '../../identity/index.ts';
import { done } from '../done.ts';
import { formOf, type KeptForm } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { clearSessionCookie } from '../session-cookie.ts';
import { Mistakes } from '../sign-in/form-page.tsx';
import { isAddressKnown, queueMail } from '../sign-in/mails.ts';
import { Button } from '../ui/button.tsx';
import { Callout } from '../ui/callout.tsx';
import { TextField } from '../ui/field.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { type ProofAsked, ProofField, proofAsked } from './proof.tsx';
import { removeEverywhere } from './remove-account.ts';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.data;
const path = '/dashboard/settings/delete';
const deleteBody = z.object({
  email: z.string().max(1000).describe('The address of the account, typed'),
  current_password: z.string().max(1024).optional().describe('Not needed within ten minutes of a sign-in'),
});

export const deleteAccountRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path,
    summary: 'Delete the account for good',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: deleteBody,
    refusals: {
      403: 'A proof of who asks is needed',
      409: 'Something has to be done first: the field says what',
      429: 'Too many attempts',
    },
    handle: deleteAccount,
  }),
];

export const deleteAccountSection: Section = {
  async show({ services, session, form }) {
    const { user } = session;
    const [obstacle, availableNanoUsd] = await Promise.all([
      findRemovalObstacle(services.storage.db, user),
      user.billingExempt ? 0n : services.wallets.available(user.id),
    ]);
    return (
      <DeleteAccount
        email={user.email}
        obstacle={obstacle}
        leftNanoUsd={availableNanoUsd > 0n ? availableNanoUsd : 0n}
        proof={proofAsked(session, services)}
        form={formOf(form, path)}
      />
    );
  },
};

interface DeleteAccountProps {
  readonly email: string;
  readonly obstacle: RemovalObstacle | undefined;
  readonly leftNanoUsd: bigint;
  readonly proof: ProofAsked;
  readonly form: KeptForm;
}

function DeleteAccount({ email, obstacle, leftNanoUsd, proof, form }: DeleteAccountProps) {
  const { deletion: words } = useWords(settingsWords);
  const { figures } = useSpeech();
  // As the balance is told at the top: never more than there is.
  const writeLeft = (nanoUsd: bigint) => {
    const { dollars, sign } = figures.balance(nanoUsd);
    return nanoUsd >= nanoUsdPerUsd ? `${dollars}${sign}` : figures.cost(nanoUsd);
  };
  return (
    <section class="section settings-section" aria-labelledby="delete-title">
      <div class="section-head">
        <h2 id="delete-title">{words.title}</h2>
      </div>
      <p class="quiet">{words.text}</p>
      {obstacle === undefined ? null : <Callout tone="warn">{words.obstacles[obstacle]}</Callout>}
      {leftNanoUsd === 0n ? null : <Callout tone="warn">{words.left(writeLeft(leftNanoUsd))}</Callout>}
      {obstacle === undefined ? (
        <form class="form" method="post" action={path}>
          <Mistakes form={form} fields={['email', 'current_password']} />
          {proof === 'sign-in' ? null : (
            <TextField
              name="email"
              label={words.email(email)}
              autocomplete="off"
              value={form.values['email']}
              error={form.issues['email']}
              required
            />
          )}
          <ProofField asked={proof} form={form} page={page} />
          {proof === 'sign-in' ? null : (
            <p class="form-actions">
              <Button look="danger">{words.action}</Button>
            </p>
          )}
        </form>
      ) : null}
    </section>
  );
}

async function deleteAccount({
  context,
  services,
  session,
  body: { email, current_password },
}: Asked<'member', { body: typeof deleteBody }>): Promise<Response> {
  const { user } = session;
  const own = onlyOf(user.id);
  await requireProof(own, services, { password: current_password, session });
  // The entry about it holds no address and no browser: they would be all that is left of the person.
  const actor = { kind: 'person', userId: user.id } as const;
  await transact({ ...services, actor }, async (work) => {
    const removed = await removeEverywhere(own, work, { userId: user.id, typedEmail: email, actor: user });
    // A mail names the service by its address; without one there is no mail.
    if (!isAddressKnown(context, services)) return;
    const facts = { atMs: services.clock.nowMs() };
    await queueMail(context, services, work, {
      ...{ user: removed, accountId: null },
      news: { kind: 'account_deleted', facts },
    });
  });
  clearSessionCookie(context, services);
  return done(context, { to: '/', message: wordsFor(context, settingsWords).deletion.done });
}
