/** What keys and people are called: for pages that mention them. */
import { and, eq, inArray } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys, users } from '../storage/schema/identity.ts';
import { withinScope } from '../storage/within-scope.ts';

const owning = { user: users.id, organisation: users.organisationId, department: users.departmentId };

/** Those of the ids that are in the scope. */
export async function nameKeys(
  scope: Scope,
  executor: Executor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(and(withinScope(scope, owning), inArray(apiKeys.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** By their addresses; those of the ids that are in the scope. */
export async function namePeople(
  scope: Scope,
  executor: Executor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(and(withinScope(scope, owning), inArray(users.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, email }) => [id, email]));
}
