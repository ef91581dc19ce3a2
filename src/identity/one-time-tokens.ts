/** Secrets that work once, for what is sent by mail or stands between two steps of signing in. Only hashes are stored. */
import { and, eq, gt, inArray, isNull, lte, type SQL } from 'drizzle-orm';
import type { Ids } from '../base/ids.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { oneTimeTokens } from '../storage/schema/sign-in.ts';
import type { Work } from '../storage/work.ts';
import { hashToken } from './token.ts';
import { readUser, type User } from './user.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long each is good for. */
const lifetimesMs = {
  sign_in: hourMs,
  verify_email: 24 * hourMs,
  reset_password: hourMs,
  change_email: 24 * hourMs,
  /** Between a right password and the code that is asked for next. */
  second_factor: 10 * minuteMs,
  /** From the main host to a reseller's. */
  handoff: minuteMs,
} as const;

export type TokenPurpose = keyof typeof lifetimesMs;

export interface OneTimeToken {
  /** What the link or the cookie carries. */
  readonly secret: string;
  readonly expiresAt: Date;
}

export interface TokenHolder {
  readonly user: User;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Others of the same purpose and person stay good: a mail that is asked for twice may arrive in either order.
 * @param detail what has to be known when it is redeemed; never a secret.
 */
export async function issueToken(
  { executor, clock, ids }: Work,
  purpose: TokenPurpose,
  userId: number,
  detail: Record<string, unknown> = {},
): Promise<OneTimeToken> {
  const nowMs = clock.nowMs();
  await executor
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.userId, userId), lte(oneTimeTokens.expiresAt, new Date(nowMs))));
  const secret = mintSecret(ids);
  const expiresAt = new Date(nowMs + lifetimesMs[purpose]);
  await executor
    .insert(oneTimeTokens)
    .values({ purpose, userId, tokenHash: hashToken(secret), detail, expiresAt });
  return { secret, expiresAt };
}

/** Whose it is, without using it up; undefined when it is unknown, used or over. */
export async function findTokenHolder(
  executor: Executor,
  purpose: TokenPurpose,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): Promise<TokenHolder | undefined> {
  const [found] = await executor
    .select({ users, detail: oneTimeTokens.detail })
    .from(oneTimeTokens)
    .innerJoin(users, eq(users.id, oneTimeTokens.userId))
    .where(redeemable(purpose, secret, nowMs));
  return found && { user: readUser(found.users), detail: found.detail };
}

/**
 * Uses it up. Of two who redeem it at once, one wins: the row changes under its lock. Its person is locked before it, as
 * whoever changes a person does it before withdrawing their tokens, so that nobody waits for each other.
 * @returns undefined when it is unknown, used or over.
 */
export async function redeemToken(
  { executor, clock }: Work,
  purpose: TokenPurpose,
  secret: string,
): Promise<TokenHolder | undefined> {
  const nowMs = clock.nowMs();
  const holder = executor
    .select({ id: oneTimeTokens.userId })
    .from(oneTimeTokens)
    .where(redeemable(purpose, secret, nowMs));
  await executor.select({ id: users.id }).from(users).where(inArray(users.id, holder)).for('no key update');
  const [redeemed] = await executor
    .update(oneTimeTokens)
    .set({ usedAt: new Date(nowMs) })
    .where(redeemable(purpose, secret, nowMs))
    .returning({ userId: oneTimeTokens.userId, detail: oneTimeTokens.detail });
  if (redeemed === undefined) return undefined;
  const [row] = await executor.select().from(users).where(eq(users.id, redeemed.userId));
  return row && { user: readUser(row), detail: redeemed.detail };
}

/** Makes all that were given out for the purpose worthless, such as links to an address that has changed. */
export async function withdrawTokens(
  { executor }: Work,
  purpose: TokenPurpose,
  userId: number,
): Promise<void> {
  await executor
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.userId, userId), eq(oneTimeTokens.purpose, purpose)));
}

/** 256 random bits in base64url. */
export function mintSecret(ids: Ids): string {
  return Buffer.from(ids.randomBytes(32)).toString('base64url');
}

function redeemable(purpose: TokenPurpose, secret: string, nowMs: number): SQL | undefined {
  return and(
    eq(oneTimeTokens.tokenHash, hashToken(secret)),
    eq(oneTimeTokens.purpose, purpose),
    isNull(oneTimeTokens.usedAt),
    gt(oneTimeTokens.expiresAt, new Date(nowMs)),
  );
}
