/** What keys and people are called, and whether a password alone opens an account: for pages that mention them. */
import { and, asc, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { PersonScope, Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { users } from '../storage/schema/identity.ts';
import { passkeys, totpSecrets } from '../storage/schema/sign-in.ts';
import { peopleWithin } from '../storage/within-scope.ts';
import { keysWithin } from './keys.ts';

/** What is used for whom without a key: by a person who tries a model in the portal, under a number below zero. */
export const portalKeyName = 'portal';

/** Those of the ids that are in the scope, and of what was tried in the portal. */
export async function nameKeys(
  scope: Scope,
  executor: Executor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(keysWithin(scope), inArray(apiKeys.id, [...new Set(ids)])));
  const tried = ids.filter((id) => id < 0).map((id) => [id, portalKeyName] as const);
  return new Map([...tried, ...rows.map(({ id, name }) => [id, name] as const)]);
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
    .where(and(peopleWithin(scope), isNull(users.removedAt), inArray(users.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** An authenticator that was confirmed, or a passkey. */
export async function hasSecondFactor({ userId }: PersonScope, executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute<{ has: boolean }>(sql`
    SELECT EXISTS (SELECT FROM ${totpSecrets} WHERE user_id = ${userId} AND confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM ${passkeys} WHERE user_id = ${userId}) AS has`);
  return rows[0]?.has === true;
}

/** One that was not revoked. */
export async function hasKey({ userId }: PersonScope, executor: Executor): Promise<boolean> {
  const rows = await executor
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.ownerId, userId), isNull(apiKeys.revokedAt)))
    .limit(1);
  return rows.length > 0;
}

interface Searched {
  /** What stands in a name or an address, as it is: no character of it is a pattern. */
  readonly text: string;
  readonly limit: number;
}

interface FoundKey {
  readonly id: number;
  readonly name: string;
  readonly ownerEmail: string;
  readonly tokenPrefix: string;
  readonly tokenLastFour: string;
}

/** Keys that were not revoked, by name or by the part of their token that is shown; the newest first. */
export async function searchKeys(
  scope: Scope,
  executor: Executor,
  { text, limit }: Searched,
): Promise<readonly FoundKey[]> {
  return await executor
    .select({
      ...{ id: apiKeys.id, name: apiKeys.name, ownerEmail: users.email },
      ...{ tokenPrefix: apiKeys.tokenPrefix, tokenLastFour: apiKeys.tokenLastFour },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(
      and(
        keysWithin(scope),
        isNull(apiKeys.revokedAt),
        or(
          sql`strpos(lower(${apiKeys.name}), lower(${text})) > 0`,
          sql`strpos(lower(${text}), lower(${apiKeys.tokenPrefix})) = 1`,
        ),
      ),
    )
    .orderBy(desc(apiKeys.id))
    .limit(limit);
}

/** People by address or name; those who were there first come first. */
export async function searchPeople(
  scope: Scope,
  executor: Executor,
  { text, limit }: Searched,
): Promise<readonly { readonly id: number; readonly email: string; readonly name: string }[]> {
  return await executor
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(
      and(
        peopleWithin(scope),
        isNull(users.removedAt),
        or(
          sql`strpos(${users.email}, lower(${text})) > 0`,
          sql`strpos(lower(${users.name}), lower(${text})) > 0`,
        ),
      ),
    )
    .orderBy(asc(users.id))
    .limit(limit);
}
