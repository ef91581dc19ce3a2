/** Browser sessions of seven days that move on while they are used. Of their tokens only hashes are stored. */
import { and, desc, eq, gt, lte, ne, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import type { PersonScope } from '../base/scope.ts';
import type { AuditNote } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { sessions } from '../storage/schema/sign-in.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { mintSecret } from './one-time-tokens.ts';
import type { AdminView } from './roles.ts';
import { hashToken } from './token.ts';
import { aboutPerson, readUser, type User } from './user.ts';

const sessionLifetimeMs = 7 * 24 * 3_600_000;
/** A session is moved on at most this often, so that not every page view is a write. */
const slideEveryMs = 3_600_000;
/** Of what a browser says of itself. */
const mostAgentCharacters = 300;

/** Browsers hold `__Host-` to Secure, this host and the whole path; they refuse it on plain http. */
export const sessionCookieName = (isHttps: boolean): string => (isHttps ? '__Host-sluice' : 'sluice');

export interface StartedSession {
  /** For the cookie; not stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** How a session begins, for the person's own list of them. */
export interface SessionStart {
  /** `link`, `password`, `passkey` or an identity provider's name, with `+totp` or `+recovery` after a second factor. */
  readonly method: string;
  readonly userAgent: string | null;
  readonly address: string | null;
  /** The portal's host. */
  readonly host: string | null;
  /** When the person showed who they are, where that was for the session that this one takes the place of. */
  readonly startedAt?: Date;
  /** Of the session that the browser had until now, which ends: nobody can have fixed the new one. */
  readonly replacedToken: string | undefined;
  /** Called in the same work, so that what follows from a sign-in happens with it or not at all. */
  readonly onStarted?: (work: Work, started: SignedIn) => Promise<void>;
}

/** Who signed in. */
export interface SignedIn {
  readonly user: Pick<User, 'id' | 'email' | 'language' | 'organisationId' | 'role'>;
  /** Another one after every change or reset of the password, and else the same. It tells nothing of the password. */
  readonly passwordMark: string;
  /** They never did before. */
  readonly isFirst: boolean;
  /** The browser was signed in as them until now. */
  readonly replacesOwn: boolean;
}

export interface Session {
  readonly id: number;
  readonly user: User;
  readonly view: AdminView;
  /** When the person showed who they are; it moves on by nothing but another sign-in. */
  readonly startedAt: Date;
  readonly expiresAt: Date;
  /** True when `expiresAt` moved on just now, which the browser's cookie has to hear. */
  readonly isExtended: boolean;
}

/** A session as its person sees it. */
export interface SessionEntry {
  readonly id: number;
  readonly method: string;
  readonly userAgent: string | null;
  readonly address: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

/** Of a password's hash, whose salt is drawn anew with every password. */
export const markOf = (passwordHash: string | null): string => hashToken(passwordHash ?? '').slice(0, 16);

export async function startSession(
  work: Work,
  userId: number,
  { method, userAgent, address, host, startedAt, replacedToken, onStarted }: SessionStart,
): Promise<StartedSession> {
  const { executor, clock, ids } = work;
  const now = new Date(clock.nowMs());
  const replaced = replacedToken === undefined ? undefined : await endSession(work, replacedToken);
  await executor.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, now)));
  const token = mintSecret(ids);
  const expiresAt = new Date(now.getTime() + sessionLifetimeMs);
  const [begun] = await executor
    .insert(sessions)
    .values({
      userId,
      tokenHash: hashToken(token),
      method,
      userAgent: userAgent?.slice(0, mostAgentCharacters) ?? null,
      address,
      host,
      lastSeenAt: now,
      expiresAt,
      createdAt: startedAt ?? now,
    })
    .returning({ id: sessions.id });
  if (begun !== undefined) work.note(aboutSession(userId, begun.id, 'session.started', { method }));
  const [row] = await executor.select().from(users).where(eq(users.id, userId));
  await executor.update(users).set({ lastSignedInAt: now }).where(eq(users.id, userId));
  if (row !== undefined) {
    const isFirst = row.lastSignedInAt === null;
    const passwordMark = markOf(row.passwordHash);
    await onStarted?.(work, {
      ...{ user: readUser(row), passwordMark, isFirst },
      replacesOwn: replaced === userId,
    });
  }
  return { token, expiresAt };
}

/**
 * Who is signed in, whatever their status; undefined when the session is unknown, ended or over.
 * @param isCookieWritable false where the browser cannot be told that the session moved on, which then stays where it is:
 *   its cookie would end before it, since whoever can tell finds nothing to move.
 */
export async function findSession(
  parts: WorkParts,
  token: string,
  { isCookieWritable = true }: { readonly isCookieWritable?: boolean } = {},
): Promise<Session | undefined> {
  const nowMs = parts.clock.nowMs();
  const [found] = await parts.storage.db
    .select()
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashToken(token)), gt(sessions.expiresAt, new Date(nowMs))));
  if (found === undefined) return undefined;
  const { id, createdAt, expiresAt, adminMode, adminOrganisationId } = found.sessions;
  const session = {
    id,
    user: readUser(found.users),
    view: { adminMode, organisationId: adminOrganisationId },
    startedAt: createdAt,
  };
  const isOfThisHour = expiresAt.getTime() - nowMs > sessionLifetimeMs - slideEveryMs;
  if (isOfThisHour || !isCookieWritable) return { ...session, expiresAt, isExtended: false };
  const movedOn = new Date(nowMs + sessionLifetimeMs);
  await transact(parts, async ({ executor }) => {
    await executor
      .update(sessions)
      .set({ expiresAt: movedOn, lastSeenAt: new Date(nowMs) })
      .where(eq(sessions.id, id));
  });
  return { ...session, expiresAt: movedOn, isExtended: true };
}

/** Keeps what an admin looks at from now on. */
export async function setAdminView({ executor }: Work, sessionId: number, view: AdminView): Promise<void> {
  await executor
    .update(sessions)
    .set({ adminMode: view.adminMode, adminOrganisationId: view.organisationId })
    .where(eq(sessions.id, sessionId));
}

/** Those that are open, the one that was used last first. */
export async function listSessions(
  { userId }: PersonScope,
  executor: Executor,
  nowMs: number,
): Promise<readonly SessionEntry[]> {
  return await executor
    .select({
      id: sessions.id,
      method: sessions.method,
      userAgent: sessions.userAgent,
      address: sessions.address,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, new Date(nowMs))))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id));
}

/** @throws AppError `not_found`, also for a session of somebody else. */
export async function endSessionById(
  { userId }: PersonScope,
  { executor, note }: Work,
  sessionId: number,
): Promise<void> {
  const ended = await executor
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
    .returning({ id: sessions.id });
  if (ended.length === 0) {
    throw new AppError({ code: 'not_found', public: 'This session has ended already.' });
  }
  note(aboutSession(userId, sessionId, 'session.ended', {}));
}

export async function signOut(parts: WorkParts, token: string): Promise<void> {
  await transact(parts, async (work) => {
    const [ended] = await work.executor
      .delete(sessions)
      .where(eq(sessions.tokenHash, hashToken(token)))
      .returning();
    if (ended !== undefined) work.note(aboutSession(ended.userId, ended.id, 'session.ended', {}));
  });
}

/** @returns whose it was; undefined for one that has ended already. */
export async function endSession({ executor }: Work, token: string): Promise<number | undefined> {
  const [ended] = await executor
    .delete(sessions)
    .where(eq(sessions.tokenHash, hashToken(token)))
    .returning({ userId: sessions.userId });
  return ended?.userId;
}

/** Ends all of a person's sessions, or all but the one whose token is given. */
export async function endSessionsOfUser(
  { executor, note }: Work,
  userId: number,
  exceptToken?: string,
): Promise<void> {
  const others = exceptToken === undefined ? sql`true` : ne(sessions.tokenHash, hashToken(exceptToken));
  const ended = await executor
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), others))
    .returning({ id: sessions.id });
  if (ended.length > 0) note(aboutPerson(userId, 'session.all_ended', { sessions: ended.length }));
}

function aboutSession(
  userId: number,
  id: number,
  action: 'session.started' | 'session.ended',
  details: { readonly method?: string },
): AuditNote {
  return { action, subject: { kind: 'session', id }, owner: { kind: 'person', id: userId }, details };
}
