/** How a form asks for a proof of who sits at the session, and where one signs in anew for it. */
import { onlyOf } from '../../base/scope.ts';
import { isFresh, requireProof, type Session } from '../../identity/index.ts';
import type { KeptForm } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import type { Asked } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { LinkButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useWords } from '../ui/speech.tsx';

/** What the form has to ask: nothing after a sign-in of just now, the password of who has one, else a new sign-in. */
export type ProofAsked = 'nothing' | 'password' | 'sign-in';

export function proofAsked(session: Session, { clock }: PortalServices): ProofAsked {
  if (isFresh(session, clock.nowMs())) return 'nothing';
  return session.user.hasPassword ? 'password' : 'sign-in';
}

/** A new sign-in, and the way back to the page. */
export const signInAgain = (page: string): string =>
  `/login?${new URLSearchParams({ again: '1', next: page })}`;

/**
 * Before another way in is added: by it whoever sits at an open session could sign in anew, and have every proof.
 * @throws AppError `proof_needed` unless the sign-in was just now.
 */
export const requireFreshSignIn = ({ services, session }: Pick<Asked<'member'>, 'services' | 'session'>) =>
  requireProof(onlyOf(session.user.id), services, { password: undefined, session });

interface ProofFieldProps {
  readonly asked: ProofAsked;
  readonly form: KeptForm;
  /** The page that the form stands on. */
  readonly page: string;
  /** Of the field, where another form of the page has one too. */
  readonly name?: string;
}

export function ProofField({ asked, form, page, name = 'current_password' }: ProofFieldProps) {
  const { proof: words } = useWords(settingsWords);
  if (asked === 'nothing') return null;
  const again = signInAgain(page);
  if (asked === 'sign-in') {
    return (
      <div class="form">
        <p class="quiet">{words.signInText}</p>
        <p>
          <LinkButton href={again}>{words.signIn}</LinkButton>
        </p>
      </div>
    );
  }
  return (
    <TextField
      name={name}
      type="password"
      label={words.password}
      help={
        <>
          {words.passwordHelp}{' '}
          <a class="link" href={again}>
            {words.signIn}
          </a>
        </>
      }
      autocomplete="current-password"
      error={form.issues[name]}
    />
  );
}
