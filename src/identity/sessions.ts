/** Browser sessions: seven days, moved on while they are used; only a hash is stored. */
import { and, eq, gt, lte, ne } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { sessions, users } from '../storage/schema/identity.ts';
import type { IdentityContext } from './context.ts';
import { mintSecret } from './secret.ts';
import { hashToken } from './token.ts';
import { readUser, type User } from './user.ts';

const lifetimeMs = 7 * 24 * 3_600_000;
/** A session is moved on at most this often, so that not every page view is a write. */
const slideEveryMs = 3_600_000;

export interface StartedSession {
  /** For the cookie; not stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

export interface Session {
  readonly user: User;
  readonly expiresAt: Date;
}

export async function startSession(context: IdentityContext, userId: number): Promise<StartedSession> {
  const { executor, clock, ids } = context;
  const nowMs = clock.nowMs();
  await executor
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, new Date(nowMs))));
  const token = mintSecret(ids);
  const expiresAt = new Date(nowMs + lifetimeMs);
  await executor.insert(sessions).values({ userId, tokenHash: hashToken(token), expiresAt });
  return { token, expiresAt };
}

/** Who is signed in, whatever their status; undefined when the session is unknown, ended or over. */
export async function findSession(context: IdentityContext, token: string): Promise<Session | undefined> {
  const { executor, clock } = context;
  const nowMs = clock.nowMs();
  const [found] = await executor
    .select()
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashToken(token)), gt(sessions.expiresAt, new Date(nowMs))));
  if (found === undefined) return undefined;
  const user = readUser(found.users);
  const { id, expiresAt } = found.sessions;
  if (expiresAt.getTime() - nowMs > lifetimeMs - slideEveryMs) return { user, expiresAt };
  const movedOn = new Date(nowMs + lifetimeMs);
  await executor.update(sessions).set({ expiresAt: movedOn }).where(eq(sessions.id, id));
  return { user, expiresAt: movedOn };
}

export async function endSession(executor: Executor, token: string): Promise<void> {
  await executor.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)));
}

/** Ends all of a person's sessions, or all but the one whose token is given. */
export async function endSessionsOfUser(
  executor: Executor,
  userId: number,
  exceptToken?: string,
): Promise<void> {
  const others = exceptToken === undefined ? undefined : ne(sessions.tokenHash, hashToken(exceptToken));
  await executor.delete(sessions).where(and(eq(sessions.userId, userId), others));
}
