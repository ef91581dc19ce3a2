/** The second step of signing in: a code by time, or a recovery code, for whoever showed a first factor before. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import { oneTimeTokens } from '../storage/schema/sign-in.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { findTokenHolder, redeemToken } from './one-time-tokens.ts';
import { type SessionStart, type StartedSession, startSession } from './sessions.ts';
import { giveBack, take, takeIfLeft } from './throttle.ts';
import { hashToken } from './token.ts';
import { redeemRecoveryCode, redeemTotpCode } from './totp.ts';
import { aboutPerson, type User } from './user.ts';

/** Wrong codes, after which the first factor has to be shown again. */
const mostFailures = 5;

export type SecondStep =
  | { readonly outcome: 'session'; readonly user: User; readonly session: StartedSession }
  | { readonly outcome: 'wrong_code' }
  /** The first factor has to be shown again: it was too long ago, or there were too many wrong codes. */
  | { readonly outcome: 'over' };

export interface GivenSecondStep {
  /** Of the token that the first factor gave. */
  readonly secret: string;
  readonly code: string;
  readonly start: SessionStart;
  /** At the fifth wrong code without a right one between, once a day: called in a work of its own. */
  readonly onGuessed: (work: Work, user: User) => Promise<void>;
}

/** @throws AppError `rate_limited`. */
export async function takeSecondStep(
  parts: WorkParts,
  envelope: Envelope,
  { secret, code, start, onGuessed }: GivenSecondStep,
): Promise<SecondStep> {
  const seen = { secret, nowMs: parts.clock.nowMs() };
  const holder = await findTokenHolder(parts.storage.db, 'second_factor', seen);
  if (holder === undefined) return { outcome: 'over' };
  const { user, detail } = holder;
  await take(parts, 'code of account', String(user.id));
  let isWrong = false;
  const step = await transact(parts, async (work): Promise<SecondStep> => {
    const how = await redeemAnyCode(work, envelope, { userId: user.id, code });
    isWrong = how === undefined;
    // Committed also when the code is wrong: what was tried counts.
    if (how === undefined) return { outcome: (await countFailure(work, secret)) ? 'wrong_code' : 'over' };
    if ((await redeemToken(work, 'second_factor', secret)) === undefined) return { outcome: 'over' };
    const method = `${String(detail['method'] ?? 'password')}+${how}`;
    return { outcome: 'session', user, session: await startSession(work, user.id, { ...start, method }) };
  });
  if (step.outcome === 'session') await giveCodesBack(parts, user.id);
  if (isWrong && (await isToBeWarned(parts, user.id))) {
    await transact(parts, async (work) => {
      work.note(aboutPerson(user.id, 'account.codes_guessed'));
      await onGuessed(work, user);
    });
  }
  return step;
}

/** Whoever tries wrong codes has the first factor, most often the password: its person has to know. */
async function isToBeWarned(parts: WorkParts, userId: number): Promise<boolean> {
  if (await takeIfLeft(parts, 'wrong codes of account', String(userId))) return false;
  return await takeIfLeft(parts, 'warning of account', String(userId));
}

async function giveCodesBack(parts: WorkParts, userId: number): Promise<void> {
  await giveBack(parts, 'code of account', String(userId));
  await giveBack(parts, 'wrong codes of account', String(userId));
}

/**
 * For whoever is signed in and changes what guards them.
 * @returns which kind of code it was; undefined for a wrong one.
 * @throws AppError `rate_limited`.
 */
export async function redeemCode(
  parts: WorkParts,
  envelope: Envelope,
  given: GivenCode,
): Promise<'totp' | 'recovery' | undefined> {
  await take(parts, 'code of account', String(given.userId));
  const how = await transact(parts, (work) => redeemAnyCode(work, envelope, given));
  if (how !== undefined) await giveCodesBack(parts, given.userId);
  return how;
}

interface GivenCode {
  readonly userId: number;
  readonly code: string;
}

async function redeemAnyCode(
  work: Work,
  envelope: Envelope,
  given: GivenCode,
): Promise<'totp' | 'recovery' | undefined> {
  if (await redeemTotpCode(work, envelope, given)) return 'totp';
  return (await redeemRecoveryCode(work, given)) ? 'recovery' : undefined;
}

/** Whether another code may be tried; the token is used up otherwise, and one that is used up already stays so. */
async function countFailure({ executor, clock }: Work, secret: string): Promise<boolean> {
  const now = new Date(clock.nowMs()).toISOString();
  const [row] = await executor
    .update(oneTimeTokens)
    .set({
      failures: sql`${oneTimeTokens.failures} + 1`,
      usedAt: sql`CASE WHEN ${oneTimeTokens.failures} + 1 >= ${mostFailures} THEN ${now}::timestamptz END`,
    })
    .where(and(eq(oneTimeTokens.tokenHash, hashToken(secret)), isNull(oneTimeTokens.usedAt)))
    .returning({ failures: oneTimeTokens.failures });
  return row !== undefined && row.failures < mostFailures;
}
