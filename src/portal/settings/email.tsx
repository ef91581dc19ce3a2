/** The e-mail address of an account, in its settings: another one is theirs once a link that came to it is followed. */
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { onlyOf } from '../../base/scope.ts';
import {
  changeEmail,
  findEmailChange,
  isNamedByFile,
  requestEmailChange,
  requireProof,
  take,
  transact,
  type User,
} from '../../identity/index.ts';
import { clientAddress } from '../client-facts.ts';
import { done } from '../done.ts';
import { formOf, type KeptForm } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { inEvenTime } from '../sign-in/even-time.ts';
import { emailField, linkOver, secretField } from '../sign-in/fields.ts';
import { Mistakes, showFormPage } from '../sign-in/form-page.tsx';
import { mailAddress, queueMail } from '../sign-in/mails.ts';
import { requireOwnWay } from '../sign-in/own-way.ts';
import { Button, LinkButton, PostButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { type ProofAsked, ProofField, proofAsked } from './proof.tsx';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.profile;
const path = `${page}/email`;
const confirmPath = `${path}/confirm`;
const changeBody = z.object({
  email: emailField,
  current_password: z.string().max(1024).optional().describe('Not needed within ten minutes of a sign-in'),
});
const linkQuery = z.object({ token: secretField.default('') });
const confirmBody = z.object({ token: secretField });

export const emailRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path,
    summary: 'Ask for another e-mail address; a mail to it says how it goes on',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: changeBody,
    refusals: {
      403: 'A proof of who asks is needed, or the e-mail domain belongs to an identity provider',
      409: 'The configuration file names the account',
      429: 'Too many attempts',
    },
    handle: ask,
  }),
  route({
    method: 'GET',
    path,
    summary: 'What the link to a new e-mail address opens: which it is, and a button',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    query: linkQuery,
    refusals: { 410: 'The link is unknown, used, over or for another account' },
    handle: showLink,
  }),
  route({
    method: 'POST',
    path: confirmPath,
    summary: 'Change the e-mail address by the link that came to the new one',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: confirmBody,
    result: z.object({ email: z.string() }),
    refusals: { 410: 'The link is unknown, used, over or for another account' },
    handle: confirm,
  }),
];

export const emailSection: Section = {
  async show({ services, session, form }) {
    const { user } = session;
    const isNamed = await isNamedByFile(services.storage.db, user);
    const proof = proofAsked(session, services);
    return <EmailForm {...{ user, isNamed, proof }} form={formOf(form, path)} />;
  },
};

interface EmailFormProps {
  readonly user: User;
  /** In the configuration file, where its address is changed. */
  readonly isNamed: boolean;
  readonly proof: ProofAsked;
  readonly form: KeptForm;
}

function EmailForm({ user, isNamed, proof, form }: EmailFormProps) {
  const { email: words } = useWords(settingsWords);
  return (
    <section class="section settings-section" aria-labelledby="email-title">
      <div class="section-head">
        <h2 id="email-title">{words.title}</h2>
      </div>
      <p class="quiet">{isNamed ? words.managed(user.email) : words.text(user.email)}</p>
      {isNamed ? null : (
        <form class="form" method="post" action={path}>
          <Mistakes form={form} fields={['email', 'current_password']} />
          {proof === 'sign-in' ? null : (
            <TextField
              name="email"
              type="email"
              label={words.next}
              autocomplete="email"
              maxLength={254}
              value={form.values['email']}
              error={form.issues['email']}
              required
            />
          )}
          <ProofField asked={proof} form={form} page={page} />
          {proof === 'sign-in' ? null : (
            <p class="form-actions">
              <Button>{words.action}</Button>
            </p>
          )}
        </form>
      )}
    </section>
  );
}

async function ask({
  context,
  services,
  session,
  body: { email, current_password },
}: Asked<'member', { body: typeof changeBody }>): Promise<Response> {
  const own = onlyOf(session.user.id);
  for (const each of [session.user.email, email]) requireOwnWay(services, each);
  await requireProof(own, services, { password: current_password, session });
  await take(services, 'mail from address', networkOf(clientAddress(context, services)));
  await take(services, 'mail to account', email);
  const address = mailAddress(context, services);
  await inEvenTime(services.clock, () =>
    transact(services, async (work) => {
      const asked = await requestEmailChange(own, work, { email });
      if (asked.outcome === 'taken') {
        const theirs = mailAddress(context, services, asked.owner);
        const facts = { signInLink: `${theirs}/login`, resetLink: `${theirs}/forgot-password` };
        const news = { kind: 'address_taken', facts } as const;
        return queueMail(context, services, work, {
          ...{ user: asked.owner, accountId: asked.owner.id },
          news,
        });
      }
      const { secret, expiresAt } = asked.token;
      const facts = {
        link: `${address}${path}?token=${secret}`,
        lifetimeMs: expiresAt.getTime() - services.clock.nowMs(),
      };
      const user = { email, language: session.user.language };
      // Where it cannot be delivered nobody is told: that would show that nobody here has this address.
      return queueMail(context, services, work, {
        ...{ user, accountId: null, expiresAt },
        news: { kind: 'change_address', facts },
      });
    }),
  );
  return done(context, { to: page, message: wordsFor(context, settingsWords).email.asked(email) });
}

/** Opening a link changes nothing: mail programs open every link that they see, to look for harm. */
async function showLink({
  context,
  services,
  session: { user },
  query: { token },
}: Asked<'member', { query: typeof linkQuery }>): Promise<Response> {
  const { storage, clock } = services;
  const sought = { secret: token, nowMs: clock.nowMs() };
  const email = await findEmailChange(onlyOf(user.id), storage.db, sought);
  const words = wordsFor(context, settingsWords).email;
  if (email === undefined) {
    return showFormPage(context, {
      title: words.over,
      status: 410,
      content: (
        <>
          <p>{words.overText(user.email)}</p>
          <p>
            <LinkButton href={page} look="primary" size="large">
              {words.back}
            </LinkButton>
          </p>
        </>
      ),
    });
  }
  return showFormPage(context, {
    title: words.confirm,
    content: (
      <>
        <p>{words.confirmText(user.email, email)}</p>
        <PostButton to={confirmPath} fields={{ token }} look="primary" size="large">
          {words.confirmAction}
        </PostButton>
      </>
    ),
  });
}

async function confirm({
  context,
  services,
  session: { user },
  body: { token },
}: Asked<'member', { body: typeof confirmBody }>): Promise<Response> {
  const changed = await transact(services, async (work) => {
    const both = await changeEmail(onlyOf(user.id), work, token);
    if (both === undefined) return undefined;
    const { before, after } = both;
    const facts = { atMs: services.clock.nowMs(), newAddress: after.email };
    await queueMail(context, services, work, {
      ...{ user: before, accountId: user.id },
      news: { kind: 'address_changed', facts },
    });
    return after;
  });
  if (changed === undefined) throw linkOver();
  const { email } = changed;
  const message = wordsFor(context, settingsWords).email.done(email);
  return done(context, { to: page, message, result: { email } });
}
