/** The list of keys as people look at it: a page of what fits a search and filters, in an order. */
import { and, asc, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { departments, projects, users } from '../storage/schema/identity.ts';
import { peopleWithin } from '../storage/within-scope.ts';
import { type ApiKey, keyColumns } from './key.ts';
import { warningMsOf, warningOfKey } from './key-ends.ts';
import { keysWithin } from './keys.ts';
import { readRole, type UserRole } from './user.ts';

export const keyStates = ['active', 'expiring', 'expired', 'disabled', 'revoked'] as const;
export type KeyState = (typeof keyStates)[number];

/** What is first of several: a revoked key is not also told to be expired. */
export function stateOfKey(
  {
    revokedAt,
    enabled,
    createdAt,
    expiresAt,
  }: Pick<ApiKey, 'revokedAt' | 'enabled' | 'createdAt' | 'expiresAt'>,
  nowMs: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return 'expired';
  if (!enabled) return 'disabled';
  if (expiresAt === null) return 'active';
  const warningMs = warningMsOf(expiresAt.getTime() - createdAt.getTime());
  return expiresAt.getTime() - warningMs <= nowMs ? 'expiring' : 'active';
}

export const keySorts = ['name', 'owner', 'expiry', 'spend', 'used', 'made'] as const;
export type KeySort = (typeof keySorts)[number];

export interface KeyListAsked {
  readonly nowMs: number;
  /** In the name, the owner's address, or the last characters of a token. */
  readonly search?: string | undefined;
  /** All but the revoked ones when not given. */
  readonly state?: KeyState | undefined;
  readonly ownerId?: number | undefined;
  readonly departmentId?: number | undefined;
  readonly projectId?: number | undefined;
  readonly sort: KeySort;
  readonly isDescending: boolean;
  /** Of the keys that cost something; what `spend` sorts by. */
  readonly spendNanoUsd?: ReadonlyMap<number, bigint> | undefined;
  /** From 1; one behind the end is the last. */
  readonly page: number;
  readonly pageSize: number;
}

/** What rights to a key depend on. */
export interface KeyOwner {
  readonly role: UserRole;
  /** A key can belong where its owner does not. */
  readonly isInScope: boolean;
}

export interface ListedKey extends ApiKey {
  readonly state: KeyState;
  readonly ownerName: string;
  readonly owner: KeyOwner;
  readonly departmentName: string | null;
  readonly projectName: string | null;
}

export interface KeyPage {
  readonly keys: readonly ListedKey[];
  readonly total: number;
  readonly page: number;
}

export async function listKeyPage(scope: Scope, executor: Executor, asked: KeyListAsked): Promise<KeyPage> {
  const condition = and(keysWithin(scope), ...conditionsOf(asked));
  const [counted] = await executor
    .select({ total: count() })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(condition);
  const total = counted?.total ?? 0;
  const page = Math.max(1, Math.min(asked.page, Math.ceil(total / asked.pageSize)));
  const rows = await executor
    .select({
      ...keyColumns,
      ownerName: users.name,
      role: users.role,
      isOwnerInScope: sql<boolean>`${peopleWithin(scope)}`,
      departmentName: departments.name,
      projectName: projects.name,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .leftJoin(departments, eq(departments.id, departmentOfKey))
    .leftJoin(projects, eq(projects.id, apiKeys.projectId))
    .where(condition)
    .orderBy(...orderOf(asked))
    .offset((page - 1) * asked.pageSize)
    .limit(asked.pageSize);
  const keys = rows.map(({ role, isOwnerInScope: isInScope, ...row }) => {
    const state = stateOfKey(row, asked.nowMs);
    // Over one whose role a newer version has given nobody here has any rights.
    return { ...row, state, owner: { role: readRole(role) ?? 'platform_owner', isInScope } };
  });
  return { keys, total, page };
}

/** Those that were used or made last, without the revoked ones: for who needs a few, or one, of keys that may be many. */
export async function listLatestKeys(
  scope: Scope,
  executor: Executor,
  limit: number,
): Promise<readonly ApiKey[]> {
  return await executor
    .select(keyColumns)
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(and(keysWithin(scope), isNull(apiKeys.revokedAt)))
    .orderBy(desc(sql`greatest(${apiKeys.lastUsedAt}, ${apiKeys.createdAt})`), desc(apiKeys.id))
    .limit(limit);
}

const departmentOfKey = sql`CASE WHEN ${apiKeys.organisationId} IS NULL THEN ${users.departmentId} ELSE ${apiKeys.departmentId} END`;

function conditionsOf(asked: KeyListAsked): readonly (SQL | undefined)[] {
  const { search, state, ownerId, departmentId, projectId, nowMs } = asked;
  return [
    conditionOfState(state, nowMs),
    search === undefined || search === '' ? undefined : conditionOfSearch(search),
    ownerId === undefined ? undefined : eq(apiKeys.ownerId, ownerId),
    departmentId === undefined ? undefined : sql`${departmentOfKey} = ${departmentId}`,
    projectId === undefined ? undefined : eq(apiKeys.projectId, projectId),
  ];
}

/** As `stateOfKey` says it. */
function conditionOfState(state: KeyState | undefined, nowMs: number): SQL {
  const now = sql`${new Date(nowMs).toISOString()}::timestamptz`;
  const isLive = sql`${apiKeys.revokedAt} IS NULL`;
  const isOver = sql`coalesce(${apiKeys.expiresAt} <= ${now}, false)`;
  switch (state) {
    case undefined:
      return isLive;
    case 'revoked':
      return sql`${apiKeys.revokedAt} IS NOT NULL`;
    case 'expired':
      return sql`${isLive} AND ${isOver}`;
    case 'disabled':
      return sql`${isLive} AND NOT ${isOver} AND NOT ${apiKeys.enabled}`;
    case 'expiring':
      return sql`${isLive} AND NOT ${isOver} AND ${apiKeys.enabled} AND ${apiKeys.expiresAt} - ${warningOfKey} <= ${now}`;
    case 'active':
      return sql`${isLive} AND NOT ${isOver} AND ${apiKeys.enabled}`;
  }
}

function conditionOfSearch(search: string): SQL {
  // A database takes no NUL in a text; what looks like a wildcard is a letter.
  const text = `%${search.replaceAll('\0', '').replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`(${apiKeys.name} ILIKE ${text} OR ${users.email} ILIKE ${text} OR ${users.name} ILIKE ${text}
    OR ${apiKeys.tokenLastFour} LIKE ${text} OR ${apiKeys.previousTokenLastFour} LIKE ${text})`;
}

/** The id makes every order a whole one, so that pages neither repeat nor miss a key. */
function orderOf({ sort, isDescending, spendNanoUsd }: KeyListAsked): readonly SQL[] {
  const direction = isDescending ? desc : asc;
  const last = direction(apiKeys.id);
  switch (sort) {
    case 'name':
      return [direction(sql`lower(${apiKeys.name})`), last];
    case 'owner':
      return [direction(users.email), direction(sql`lower(${apiKeys.name})`), last];
    case 'made':
      return [last];
    case 'expiry':
      // Whatever the direction, keys without one stand behind those with one.
      return [sql`${apiKeys.expiresAt} IS NULL`, direction(apiKeys.expiresAt), last];
    case 'used':
      return [sql`${apiKeys.lastUsedAt} IS NULL`, direction(apiKeys.lastUsedAt), last];
    case 'spend':
      return [direction(spendOf(spendNanoUsd ?? new Map())), last];
  }
}

function spendOf(spendNanoUsd: ReadonlyMap<number, bigint>): SQL {
  const list = JSON.stringify(
    Object.fromEntries([...spendNanoUsd].map(([id, amount]) => [id, String(amount)])),
  );
  return sql`coalesce((${list}::text::jsonb ->> ${apiKeys.id}::text)::numeric, 0)`;
}
