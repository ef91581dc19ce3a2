/** Whether it is still the person who sits at an open session, before what cannot be taken back. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { fieldError } from '../base/field-check.ts';
import type { PersonScope } from '../base/scope.ts';
import { users } from '../storage/schema/identity.ts';
import type { WorkParts } from '../storage/work.ts';
import { verifyPassword } from './passwords.ts';
import type { Session } from './sessions.ts';
import { giveBack, take } from './throttle.ts';

/** A sign-in of less than this ago says who it is, in whichever way it was made. */
const freshMs = 600_000;

export function isFresh({ startedAt }: Pick<Session, 'startedAt'>, nowMs: number): boolean {
  return nowMs - startedAt.getTime() < freshMs;
}

export interface Proof {
  readonly password: string | undefined;
  readonly session: Pick<Session, 'startedAt'>;
  /** The field that the password is given in, for what is said of it. */
  readonly field?: string;
}

/**
 * Takes a sign-in of just now, or the password.
 * @throws AppError `validation_failed` for a wrong password; `proof_needed` where nothing was shown; `rate_limited`.
 */
export async function requireProof(
  { userId }: PersonScope,
  parts: WorkParts,
  { password = '', session, field = 'current_password' }: Proof,
): Promise<void> {
  if (isFresh(session, parts.clock.nowMs())) return;
  const [row] = await parts.storage.db.select().from(users).where(eq(users.id, userId));
  if (row === undefined || row.passwordHash === null || password === '') {
    throw new AppError({
      code: 'proof_needed',
      public: 'Show once more who you are: give your password, or sign in again.',
    });
  }
  await take(parts, 'proof of account', String(userId));
  if (!(await verifyPassword(password, row.passwordHash))) {
    throw fieldError([{ loc: [field], msg: 'is not right', type: 'wrong' }]);
  }
  await giveBack(parts, 'proof of account', String(userId));
}
