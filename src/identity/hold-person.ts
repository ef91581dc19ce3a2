/** A person whose own things are about to be written. */
import { and, eq, isNull } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import type { PersonScope, Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { peopleWithin } from '../storage/within-scope.ts';
import { readUser, type User } from './user.ts';

/**
 * The row of a removed account stays, so that what a request under way wrote of it would stand there for ever: whoever
 * writes what is a person's own asks here first, in the same work. Rows that refer to the person can be made meanwhile.
 * @returns who it is now, and stays until the work ends; undefined for one outside the scope, and for one that is gone.
 */
export async function holdPerson(
  scope: Scope,
  executor: Executor,
  userId: number,
): Promise<User | undefined> {
  const [row] = await executor
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.removedAt), peopleWithin(scope)))
    .for('no key update');
  return row && readUser(row);
}

/** The same of one's own. @throws AppError `not_found` for who is gone. */
export async function holdOneself(scope: PersonScope, executor: Executor): Promise<User> {
  const user = await holdPerson(scope, executor, scope.userId);
  if (user === undefined) throw new AppError({ code: 'not_found', public: 'There is no such account.' });
  return user;
}
