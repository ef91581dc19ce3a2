/** Signing in with e-mail address and password: slow for whoever guesses, and the same whether an account exists. */
import { and, eq } from 'drizzle-orm';
import { users } from '../storage/schema/identity.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { type Admission, admit } from './admission.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import type { SessionStart } from './sessions.ts';
import { giveBack, take } from './throttle.ts';
import { readUser } from './user.ts';
import { emailField } from './users.ts';

export interface PasswordSignIn {
  readonly email: string;
  readonly password: string;
  /** Whom attempts are counted for beside the account: an address or a network. */
  readonly from: string;
  readonly start: SessionStart;
}

/**
 * @returns undefined for a wrong password, for an account without one and for an address that nobody has: whoever asks
 *   cannot tell these apart, by the time that they take either.
 * @throws AppError `rate_limited`, before any password is compared.
 */
export async function signInByPassword(
  parts: WorkParts,
  { email, password, from, start }: PasswordSignIn,
): Promise<Admission | undefined> {
  const account = email.trim().toLowerCase();
  await take(parts, 'sign-in from address', from);
  await take(parts, 'sign-in of account', account);
  const nobodys = await nobodysHash();
  const [row] = emailField.safeParse(account).success
    ? await parts.storage.db.select().from(users).where(eq(users.email, account))
    : [];
  const hash = row?.passwordHash ?? null;
  const isRight = await verifyPassword(password, hash ?? nobodys);
  if (!isRight || row === undefined || hash === null) return undefined;
  await giveBack(parts, 'sign-in of account', account);
  return transact(parts, async (work) => {
    // A reset that was made since must not be survived by this session: it changes this row and then ends them all.
    const [same] = await work.executor
      .select()
      .from(users)
      .where(and(eq(users.id, row.id), eq(users.passwordHash, hash)))
      .for('update');
    return same && (await admit(work, readUser(same), start));
  });
}

/** Of a password that nobody knows: it costs as much to compare with as a real one. */
function nobodysHash(): Promise<string> {
  hashOfNobody ??= hashPassword(crypto.randomUUID());
  return hashOfNobody;
}
let hashOfNobody: Promise<string> | undefined;
