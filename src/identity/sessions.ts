/**
 * Signing in and out: links that sign a person in once, and browser sessions of seven days that move on while they are
 * used. Of the secrets of both only hashes are stored.
 */
import { and, eq, gt, isNull, lte, ne } from 'drizzle-orm';
import type { Ids } from '../base/ids.ts';
import { sessions, signInLinks, users } from '../storage/schema/identity.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { hashToken } from './token.ts';
import { readUser, type User } from './user.ts';

const linkLifetimeMs = 3_600_000;
const sessionLifetimeMs = 7 * 24 * 3_600_000;
/** A session is moved on at most this often, so that not every page view is a write. */
const slideEveryMs = 3_600_000;

export interface SignInLink {
  /** What the link carries. */
  readonly secret: string;
  readonly expiresAt: Date;
}

export interface StartedSession {
  /** For the cookie; not stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

export interface Session {
  readonly user: User;
  readonly expiresAt: Date;
}

/**
 * Uses a link up for a session, in one piece: a link is not used up for a session that could not be started.
 * @param replacedToken of the session that the browser had until now, which ends.
 * @returns undefined when the link is unknown, used or over.
 */
export function signInByLink(
  parts: WorkParts,
  { secret, replacedToken }: { readonly secret: string; readonly replacedToken: string | undefined },
): Promise<StartedSession | undefined> {
  return transact(parts, async (work) => {
    const userId = await redeemSignInLink(work, secret);
    if (userId === undefined) return undefined;
    if (replacedToken !== undefined) await endSession(work, replacedToken);
    return await startSession(work, userId);
  });
}

/** Whom a link would sign in, without using it up; undefined when it is unknown, used or over. */
export async function findLinkOwner(
  { storage, clock }: WorkParts,
  secret: string,
): Promise<User | undefined> {
  const [found] = await storage.db
    .select({ users })
    .from(signInLinks)
    .innerJoin(users, eq(users.id, signInLinks.userId))
    .where(redeemable(secret, new Date(clock.nowMs())));
  return found === undefined ? undefined : readUser(found.users);
}

const redeemable = (secret: string, now: Date) =>
  and(
    eq(signInLinks.tokenHash, hashToken(secret)),
    isNull(signInLinks.usedAt),
    gt(signInLinks.expiresAt, now),
  );

export function signOut(parts: WorkParts, token: string): Promise<void> {
  return transact(parts, (work) => endSession(work, token));
}

/** Good for an hour. Earlier links of the person that were not used stay good for theirs. */
export async function createSignInLink({ executor, clock, ids }: Work, userId: number): Promise<SignInLink> {
  const nowMs = clock.nowMs();
  await executor
    .delete(signInLinks)
    .where(and(eq(signInLinks.userId, userId), lte(signInLinks.expiresAt, new Date(nowMs))));
  const secret = mintSecret(ids);
  const expiresAt = new Date(nowMs + linkLifetimeMs);
  await executor.insert(signInLinks).values({ userId, tokenHash: hashToken(secret), expiresAt });
  return { secret, expiresAt };
}

/**
 * Uses a link up. Of two who redeem it at once, one wins: the row changes under its lock.
 * @returns whose it is; undefined when it is unknown, used or over.
 */
export async function redeemSignInLink(
  { executor, clock }: Work,
  secret: string,
): Promise<number | undefined> {
  const now = new Date(clock.nowMs());
  const [redeemed] = await executor
    .update(signInLinks)
    .set({ usedAt: now })
    .where(redeemable(secret, now))
    .returning({ userId: signInLinks.userId });
  return redeemed?.userId;
}

export async function startSession({ executor, clock, ids }: Work, userId: number): Promise<StartedSession> {
  const nowMs = clock.nowMs();
  await executor
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, new Date(nowMs))));
  const token = mintSecret(ids);
  const expiresAt = new Date(nowMs + sessionLifetimeMs);
  await executor.insert(sessions).values({ userId, tokenHash: hashToken(token), expiresAt });
  return { token, expiresAt };
}

/** Who is signed in, whatever their status; undefined when the session is unknown, ended or over. */
export async function findSession(parts: WorkParts, token: string): Promise<Session | undefined> {
  const nowMs = parts.clock.nowMs();
  const [found] = await parts.storage.db
    .select()
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashToken(token)), gt(sessions.expiresAt, new Date(nowMs))));
  if (found === undefined) return undefined;
  const user = readUser(found.users);
  const { id, expiresAt } = found.sessions;
  if (expiresAt.getTime() - nowMs > sessionLifetimeMs - slideEveryMs) return { user, expiresAt };
  const movedOn = new Date(nowMs + sessionLifetimeMs);
  await transact(parts, async ({ executor }) => {
    await executor.update(sessions).set({ expiresAt: movedOn }).where(eq(sessions.id, id));
  });
  return { user, expiresAt: movedOn };
}

export async function endSession({ executor }: Work, token: string): Promise<void> {
  await executor.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)));
}

/** Ends all of a person's sessions, or all but the one whose token is given. */
export async function endSessionsOfUser(
  { executor }: Work,
  userId: number,
  exceptToken?: string,
): Promise<void> {
  const others = exceptToken === undefined ? undefined : ne(sessions.tokenHash, hashToken(exceptToken));
  await executor.delete(sessions).where(and(eq(sessions.userId, userId), others));
}

/** 256 random bits in base64url. */
function mintSecret(ids: Ids): string {
  return Buffer.from(ids.randomBytes(32)).toString('base64url');
}
