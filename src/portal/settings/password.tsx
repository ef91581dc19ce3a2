/** The password of an account, in its settings. */
import { z } from 'zod';
import { onlyOf } from '../../base/scope.ts';
import { changePassword } from '../../identity/index.ts';
import { done } from '../done.ts';
import { formOf, type KeptForm } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { readSessionToken } from '../session-cookie.ts';
import { passwordField } from '../sign-in/fields.ts';
import { Mistakes } from '../sign-in/form-page.tsx';
import { tellOfPassword } from '../sign-in/way-mails.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { type ProofAsked, ProofField, proofAsked, requireFreshSignIn } from './proof.tsx';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.security;
const path = '/dashboard/settings/password';
const passwordBody = z.object({ current_password: z.string().max(1024).optional(), password: passwordField });

export const passwordRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path,
    summary: 'Change the password, which ends all other sessions',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    body: passwordBody,
    refusals: {
      403: 'A sign-in of just now is needed, by who has no password yet',
      429: 'Too many attempts',
    },
    handle: change,
  }),
];

export const passwordSection: Section = {
  show: ({ session, services, form }) => {
    const { email, hasPassword } = session.user;
    const proof = proofAsked(session, services);
    return <PasswordForm email={email} hasPassword={hasPassword} proof={proof} form={formOf(form, path)} />;
  },
};

interface PasswordFormProps {
  readonly email: string;
  readonly hasPassword: boolean;
  readonly proof: ProofAsked;
  readonly form: KeptForm;
}

function PasswordForm({ email, hasPassword, proof, form }: PasswordFormProps) {
  const { password: words } = useWords(settingsWords);
  const { issues } = form;
  return (
    <section class="section settings-section" aria-labelledby="password-title">
      <div class="section-head">
        <h2 id="password-title">{words.title}</h2>
      </div>
      <p class="quiet">{hasPassword ? words.text : words.none}</p>
      {proof === 'sign-in' ? (
        <ProofField asked={proof} form={form} page={page} />
      ) : (
        <form class="form" method="post" action={path}>
          <Mistakes form={form} fields={['current_password', 'password']} />
          <input type="text" name="username" value={email} autocomplete="username" readonly hidden />
          {hasPassword ? (
            <TextField
              name="current_password"
              type="password"
              label={words.current}
              autocomplete="current-password"
              error={issues['current_password']}
              required
            />
          ) : null}
          <TextField
            name="password"
            type="password"
            label={words.next}
            help={words.help}
            autocomplete="new-password"
            minLength={8}
            error={issues['password']}
            required
          />
          <p class="form-actions">
            <Button look="primary">{words.action}</Button>
          </p>
        </form>
      )}
    </section>
  );
}

async function change({
  context,
  services,
  session,
  body,
}: Asked<'member', { body: typeof passwordBody }>): Promise<Response> {
  const { user } = session;
  if (!user.hasPassword) await requireFreshSignIn({ services, session });
  const changed = {
    currentPassword: body.current_password,
    password: body.password,
    sessionToken: readSessionToken(context, services) ?? '',
  };
  await changePassword(onlyOf(user.id), services, changed, (work) =>
    tellOfPassword(context, services, work, user),
  );
  return done(context, { to: page, message: wordsFor(context, settingsWords).password.done });
}
