/** Which version of the terms people agreed to. The texts, and which version is the current one, are the portal's. */
import { and, asc, desc, eq } from 'drizzle-orm';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { legalAcceptances } from '../storage/schema/sign-in.ts';
import type { Work } from '../storage/work.ts';
import { holdOneself } from './hold-person.ts';
import { isAtLeast } from './roles.ts';
import { aboutPerson, type User } from './user.ts';

export interface LegalAcceptance {
  readonly version: string;
  readonly acceptedAt: Date;
}

/** The first acceptance of a version stands, however often it is given. @throws AppError `not_found` for who is gone. */
export async function acceptLegal(
  scope: PersonScope,
  { executor, clock, note }: Work,
  version: string,
): Promise<void> {
  const { id: userId } = await holdOneself(scope, executor);
  const accepted = await executor
    .insert(legalAcceptances)
    .values({ userId, version, acceptedAt: new Date(clock.nowMs()) })
    .onConflictDoNothing()
    .returning({ version: legalAcceptances.version });
  if (accepted.length === 0) return;
  note(aboutPerson(userId, 'account.terms_accepted', { version }));
}

/** The version that a person agreed to last; undefined before the first. */
export async function findLastAcceptance(
  { userId }: PersonScope,
  executor: Executor,
): Promise<LegalAcceptance | undefined> {
  const [last] = await executor
    .select({ version: legalAcceptances.version, acceptedAt: legalAcceptances.acceptedAt })
    .from(legalAcceptances)
    .where(eq(legalAcceptances.userId, userId))
    .orderBy(desc(legalAcceptances.acceptedAt))
    .limit(1);
  return last;
}

/** All that a person agreed to, oldest first. */
export async function listAcceptances(
  { userId }: PersonScope,
  executor: Executor,
): Promise<readonly LegalAcceptance[]> {
  return await executor
    .select({ version: legalAcceptances.version, acceptedAt: legalAcceptances.acceptedAt })
    .from(legalAcceptances)
    .where(eq(legalAcceptances.userId, userId))
    .orderBy(asc(legalAcceptances.acceptedAt));
}

/** Whether a person has still to agree before they see anything else. Platform admins offer the terms themselves. */
export async function mustAccept(
  executor: Executor,
  user: Pick<User, 'id' | 'role'>,
  currentVersion: string,
): Promise<boolean> {
  if (isAtLeast(user.role, 'platform_admin')) return false;
  const accepted = await executor
    .select({ version: legalAcceptances.version })
    .from(legalAcceptances)
    .where(and(eq(legalAcceptances.userId, user.id), eq(legalAcceptances.version, currentVersion)));
  return accepted.length === 0;
}
