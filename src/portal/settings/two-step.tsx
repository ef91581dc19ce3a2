/** Two-step sign-in by codes of an app, in the settings: setting it up, recovery codes, turning it off. */
import { raw } from 'hono/html';
import { renderSVG } from 'uqr';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import {
  beginTotp,
  confirmTotp,
  findPendingTotp,
  readTotpState,
  redeemCode,
  removeTotp,
  renewRecoveryCodes,
  type TotpState,
  transact,
} from '../../identity/index.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { factorsWords } from '../languages/factors/index.ts';
import { countIn } from '../languages/language.ts';
import { wantsPage } from '../refusal.ts';
import { type Asked, type Route, route } from '../route.ts';
import { EntryForm, showFormPage } from '../sign-in/form-page.tsx';
import { tellOfWay } from '../sign-in/way-mails.ts';
import { Button, LinkButton, PostButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { proofAsked, requireFreshSignIn, signInAgain } from './proof.tsx';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.security;
const setUpPath = '/dashboard/settings/two-step';
const codeBody = z.object({ code: z.string().min(1).max(100) });
type AskedWithCode = Asked<'member', { body: typeof codeBody }>;

const shared = { tag: 'Dashboard', access: 'member' } as const;
const codesResult = z.object({ recovery_codes: z.array(z.string()).describe('Shown now and never again') });
const wrongCodeRefusals = { 401: 'The code is wrong', 409: 'There is nothing to confirm or to change' };

export const twoStepRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: setUpPath,
    summary: 'What an authenticator app is set up with',
    answers: 'page',
    handle: showSetUp,
  }),
  route({
    ...shared,
    method: 'POST',
    path: setUpPath,
    summary: 'Begin to set up two-step sign-in',
    answers: 'action',
    page,
    result: z.object({ secret: z.string(), uri: z.string() }),
    refusals: { 403: 'A sign-in of just now is needed', 409: 'It is on already' },
    handle: begin,
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${setUpPath}/confirm`,
    summary: 'Turn two-step sign-in on with the first code',
    answers: 'action',
    page: setUpPath,
    body: codeBody,
    result: codesResult,
    refusals: { ...wrongCodeRefusals, 403: 'A sign-in of just now is needed' },
    handle: confirm,
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${setUpPath}/recovery-codes`,
    summary: 'Make new recovery codes in place of the old ones',
    answers: 'action',
    page,
    body: codeBody,
    result: codesResult,
    refusals: wrongCodeRefusals,
    handle: renew,
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${setUpPath}/remove`,
    summary: 'Turn two-step sign-in off',
    answers: 'action',
    page,
    body: codeBody,
    refusals: wrongCodeRefusals,
    handle: remove,
  }),
];

export const twoStepSection: Section = {
  async show({ services, session, form }) {
    const state = await readTotpState(onlyOf(session.user.id), services.storage.db);
    const mistake = form.of.startsWith(setUpPath) ? form.issues['code'] : undefined;
    return <TwoStep state={state} isFresh={proofAsked(session, services) === 'nothing'} mistake={mistake} />;
  },
};

interface TwoStepProps {
  readonly state: TotpState;
  /** Whether they signed in just now. */
  readonly isFresh: boolean;
  readonly mistake: string | undefined;
}

function TwoStep({ state, isFresh, mistake }: TwoStepProps) {
  const { codes: words } = useWords(factorsWords);
  const { language } = useSpeech();
  return (
    <section class="section settings-section" aria-labelledby="two-step-title">
      <div class="section-head">
        <h2 id="two-step-title">{words.title}</h2>
        {state.isOn ? null : isFresh ? (
          <PostButton to={setUpPath}>{words.begin}</PostButton>
        ) : (
          <LinkButton href={signInAgain(page)}>{words.begin}</LinkButton>
        )}
      </div>
      <p class="quiet">
        {state.isOn
          ? `${words.on} ${words.left(countIn(language)(state.recoveryCodesLeft, words.leftForms))}`
          : words.off}
      </p>
      {state.isOn ? (
        <form class="form" method="post" action={`${setUpPath}/remove`}>
          <TextField name="code" label={words.code} autocomplete="one-time-code" error={mistake} required />
          <p class="form-actions">
            <button type="submit" class="button" formaction={`${setUpPath}/recovery-codes`}>
              {words.renew}
            </button>
            <Button look="danger">{words.remove}</Button>
          </p>
        </form>
      ) : null}
    </section>
  );
}

async function begin({ context, services, session }: Asked<'member'>): Promise<Response> {
  // Whoever sits at an open session must not shut its person out.
  await requireFreshSignIn({ services, session });
  const { user } = session;
  const issuer = visitOf(context).brand.name;
  const setUp = await transact(services, (work) =>
    beginTotp(work, services.envelope, { owner: user, issuer }),
  );
  return done(context, { to: setUpPath, result: { ...setUp } });
}

/** What was begun is shown, and taken up, after a sign-in of just now alone: it may have been left long ago. */
async function showSetUp({ context, services, session }: Asked<'member'>): Promise<Response> {
  const { user } = session;
  const { db } = services.storage;
  const issuer = visitOf(context).brand.name;
  const pending = await findPendingTotp(db, services.envelope, { owner: user, issuer });
  if (pending === undefined) return context.redirect(page, 303);
  if (proofAsked(session, services) !== 'nothing') return context.redirect(signInAgain(setUpPath), 303);
  const { setUp: words } = wordsFor(context, factorsWords);
  return showFormPage(context, {
    title: words.title,
    content: (
      <>
        <p>{words.scan}</p>
        <div class="scan" role="img" aria-label={words.picture}>
          {raw(renderSVG(pending.uri))}
        </div>
        <p>
          {words.secret} <code class="break">{pending.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
        <EntryForm
          to={`${setUpPath}/confirm`}
          form={takeForm(context)}
          fields={[{ name: 'code', label: words.code, autocomplete: 'one-time-code' }]}
          action={words.action}
        />
      </>
    ),
  });
}

async function confirm(asked: AskedWithCode): Promise<Response> {
  const { context, services, session, body } = asked;
  const { user } = session;
  await requireFreshSignIn(asked);
  const codes = await transact(services, async (work) => {
    const made = await confirmTotp(work, services.envelope, { userId: user.id, code: body.code });
    if (made !== undefined) await tellOfWay(context, services, work, { user, change: 'two_step_on' });
    return made;
  });
  if (codes === undefined) throw wrongCode();
  return showCodes(asked, codes);
}

async function renew(asked: AskedWithCode): Promise<Response> {
  const { context, services, session } = asked;
  const { user } = session;
  await requireCode(asked);
  const codes = await transact(services, async (work) => {
    await tellOfWay(context, services, work, { user, change: 'recovery_codes_renewed' });
    return renewRecoveryCodes(work, user.id);
  });
  return showCodes(asked, codes);
}

async function remove(asked: AskedWithCode): Promise<Response> {
  const { context, services, session } = asked;
  await requireCode(asked);
  const { user } = session;
  await transact(services, async (work) => {
    await removeTotp(onlyOf(user.id), work);
    await tellOfWay(context, services, work, { user, change: 'two_step_off' });
  });
  return done(context, { to: page, message: wordsFor(context, factorsWords).codes.removed });
}

/** A browser that was left open must not be enough. @throws AppError `wrong_code` or `rate_limited`. */
async function requireCode({ services, session, body }: AskedWithCode): Promise<void> {
  const given = { userId: session.user.id, code: body.code };
  if ((await redeemCode(services, services.envelope, given)) === undefined) throw wrongCode();
}

/** In the answer itself: they are kept nowhere, so that no other page could show them. */
function showCodes({ context }: AskedWithCode, codes: readonly string[]): Response | Promise<Response> {
  if (!wantsPage(context.req.raw)) return context.json({ ok: true, recovery_codes: codes });
  const { recovery: words } = wordsFor(context, factorsWords);
  return showFormPage(context, {
    title: words.title,
    content: (
      <>
        <p>{words.text}</p>
        <ul class="recovery-codes">
          {codes.map((code) => (
            <li>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <p class="form-actions">
          <LinkButton href={page} look="primary">
            {words.action}
          </LinkButton>
        </p>
      </>
    ),
  });
}

function wrongCode(): AppError {
  return new AppError({ code: 'wrong_code', public: 'This code is wrong, or was used before.' });
}
