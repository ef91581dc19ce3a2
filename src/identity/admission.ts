/** What follows once somebody has shown a first factor, such as a password: a session, or the question for a second. */
import { and, eq, isNotNull } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { totpSecrets } from '../storage/schema/sign-in.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { issueToken, type OneTimeToken, redeemToken } from './one-time-tokens.ts';
import { type SessionStart, type StartedSession, startSession } from './sessions.ts';
import type { User } from './user.ts';

export type Admission =
  | { readonly outcome: 'session'; readonly user: User; readonly session: StartedSession }
  /** The token stands for the person until their code comes; its detail says how they began. */
  | { readonly outcome: 'second_factor'; readonly user: User; readonly token: OneTimeToken };

export async function admit(work: Work, user: User, start: SessionStart): Promise<Admission> {
  if (await asksSecondFactor(work.executor, user.id)) {
    const token = await issueToken(work, 'second_factor', user.id, { method: start.method });
    return { outcome: 'second_factor', user, token };
  }
  return { outcome: 'session', user, session: await startSession(work, user.id, start) };
}

/**
 * Uses a sign-in link up, in one piece: a link is not used up for a session that could not be started.
 * @returns undefined when the link is unknown, used or over.
 */
export function signInByLink(
  parts: WorkParts,
  { secret, start }: { readonly secret: string; readonly start: SessionStart },
): Promise<Admission | undefined> {
  return transact(parts, async (work) => {
    const holder = await redeemToken(work, 'sign_in', secret);
    return holder && (await admit(work, holder.user, start));
  });
}

/** Whether a code is asked for after a password, a link or a provider. */
export async function asksSecondFactor(executor: Executor, userId: number): Promise<boolean> {
  const confirmed = await executor
    .select({ userId: totpSecrets.userId })
    .from(totpSecrets)
    .where(and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt)));
  return confirmed.length > 0;
}
