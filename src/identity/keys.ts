/** API keys: making, listing and revoking them, and noting when they were used. */
import { and, asc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { checkFields, fieldError } from '../base/field-check.ts';
import { everybody, type Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { users } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';
import { holdPerson } from './hold-person.ts';
import {
  type ApiKey,
  aboutKey,
  announceKey,
  apiKeyTopic,
  type KeyFields,
  keyColumns,
  keyFields,
  type ManagedBy,
} from './key.ts';
import { hashToken, isWellFormedToken, mintToken, visibleTokenParts } from './token.ts';
import type { User } from './user.ts';
import { findUser } from './users.ts';

/** Of one owner, without the revoked ones and those that the file declares beyond it: whoever reads all of them can. */
const mostKeys = 1000;

export interface CreatedKey {
  readonly key: ApiKey;
  /** To be shown now: only its hash is stored. */
  readonly token: string;
}

/** What a key belongs to by itself; all null where it follows its owner. */
export type KeyPlace = Pick<ApiKey, 'organisationId' | 'departmentId' | 'projectId'>;

/**
 * @param tokenPrefix what every API token of this service begins with, separator included.
 * @throws AppError `validation_failed`.
 */
export async function createKey(
  scope: Scope,
  work: Work,
  tokenPrefix: string,
  newKey: KeyFields & Partial<KeyPlace> & { readonly shownToOther?: boolean },
): Promise<CreatedKey> {
  const { executor, clock, ids } = work;
  const {
    organisationId = null,
    departmentId = null,
    projectId = null,
    shownToOther = false,
    ...given
  } = newKey;
  const fields = checkFields(keyFields, given);
  requireLater(fields.expiresAt, clock);
  // Held first: one who is removed while this waits for their row must have no key afterwards.
  if ((await holdPerson(scope, executor, fields.ownerId)) === undefined) throw unknownOwner();
  await requireRoom(executor, fields.ownerId);
  const token = mintToken(ids, tokenPrefix);
  const [row] = await executor
    .insert(apiKeys)
    .values({
      ...{ ...fields, organisationId, departmentId, projectId, shownToOther },
      ...storedToken(token, tokenPrefix),
    })
    .returning({ id: apiKeys.id });
  work.announce(apiKeyTopic, hashToken(token));
  const key = await requireKey(executor, row?.id);
  work.note(aboutKey(key, 'key.created', { scopes: key.scopes, expiresAt: writeMoment(key.expiresAt) }));
  return { key, token };
}

/**
 * @param ownerId of who is held, which is the lock under which their keys are counted.
 * @throws AppError `validation_failed` where the owner has as many keys as there may be.
 */
async function requireRoom(executor: Executor, ownerId: number): Promise<void> {
  const isOwn = sql`${apiKeys.managedBy} IS DISTINCT FROM 'file'`;
  const kept = await executor.$count(
    apiKeys,
    and(eq(apiKeys.ownerId, ownerId), isNull(apiKeys.revokedAt), isOwn),
  );
  if (kept < mostKeys) return;
  const msg = `has ${mostKeys} keys that are not revoked, which is the most; revoke those that nobody uses`;
  throw fieldError([{ loc: ['ownerId'], msg, type: 'too_many_keys' }]);
}

/** @throws AppError `validation_failed` for an expiry that is over. */
export function requireLater(expiresAt: Date | null, clock: Work['clock']): void {
  if (expiresAt === null || expiresAt.getTime() > clock.nowMs()) return;
  throw fieldError([{ loc: ['expiresAt'], msg: 'must be in the future', type: 'too_early' }]);
}

/** Until the work ends, in the order in which batches of usage lock keys: who declares them has an order of their own. */
export async function holdManagedKeys(executor: Executor, managedBy: ManagedBy): Promise<void> {
  const { id } = apiKeys;
  await executor
    .select({ id })
    .from(apiKeys)
    .where(eq(apiKeys.managedBy, managedBy))
    .orderBy(asc(id))
    .for('no key update');
}

/**
 * Makes the key with the given token, or changes it to what is declared. Revoking is final: a key that was revoked
 * stays so.
 * @returns whether the row is another one now; nothing is announced otherwise.
 * @throws AppError `validation_failed`, also when the token is not of the service's form.
 */
export async function upsertManagedKey(
  work: Work,
  tokenPrefix: string,
  declared: KeyFields & { token: string; managedBy: ManagedBy },
): Promise<{ key: ApiKey; changed: boolean; isNew: boolean }> {
  const { executor } = work;
  const { token, managedBy, ...rest } = declared;
  const fields = checkFields(keyFields, rest);
  if (!isWellFormedToken(token, tokenPrefix)) {
    const msg = `must be ${tokenPrefix} with 40 letters or digits and their checksum of 6, as this service makes them`;
    throw fieldError([{ loc: ['token'], msg, type: 'malformed_token' }]);
  }
  await requireOwner(everybody, executor, fields.ownerId);
  const stored = storedToken(token, tokenPrefix);
  const [before] = await executor.select().from(apiKeys).where(eq(apiKeys.tokenHash, stored.tokenHash));
  const [row] = await executor
    .insert(apiKeys)
    .values({ ...fields, managedBy, ...stored })
    .onConflictDoUpdate({ target: apiKeys.tokenHash, set: { ...fields, managedBy } })
    .returning();
  // A start that changes nothing need not empty anybody's cache.
  const changed = !Bun.deepEquals(before, row);
  if (changed) work.announce(apiKeyTopic, stored.tokenHash);
  const key = await requireKey(executor, row?.id);
  const isNew = before === undefined;
  if (isNew) work.note(aboutKey(key, 'key.created', { scopes: key.scopes }));
  return { key, changed, isNew };
}

/**
 * Ends a key for good. One that is revoked already keeps its date.
 * @throws AppError `not_found`.
 */
export async function revokeKey(scope: Scope, work: Work, keyId: number): Promise<ApiKey> {
  const { executor, clock } = work;
  const known = and(eq(apiKeys.id, keyId), keysWithin(scope));
  const [row] = await executor
    .update(apiKeys)
    .set({ revokedAt: new Date(clock.nowMs()) })
    .where(and(known, isNull(apiKeys.revokedAt)))
    .returning();
  if (row === undefined) {
    const [revoked] = await executor.select({ id: apiKeys.id }).from(apiKeys).where(known);
    if (revoked === undefined) throw noKey(keyId);
    return await requireKey(executor, keyId);
  }
  announceKey(work, row);
  work.note(aboutKey(row, 'key.revoked'));
  return await requireKey(executor, keyId);
}

/** Ends every key of somebody for good. */
export async function revokeKeysOf(work: Work, ownerId: number): Promise<void> {
  const rows = await work.executor
    .update(apiKeys)
    .set({ revokedAt: new Date(work.clock.nowMs()) })
    .where(and(eq(apiKeys.ownerId, ownerId), isNull(apiKeys.revokedAt)))
    .returning();
  for (const row of rows) {
    announceKey(work, row);
    work.note(aboutKey(row, 'key.revoked'));
  }
}

export const writeMoment = (at: Date | null): string | null => at?.toISOString() ?? null;

export function noKey(keyId: number): AppError {
  return new AppError({ code: 'not_found', public: `There is no API key ${keyId}.` });
}

/** Those of a scope: a key that belongs to nothing by itself is where its owner is. */
export function keysWithin(scope: Scope): SQL | undefined {
  switch (scope.whose) {
    case 'everybody':
      return undefined;
    case 'person':
      return eq(apiKeys.ownerId, scope.userId);
    case 'organisation':
      return or(
        eq(apiKeys.organisationId, scope.organisationId),
        followsOwner(sql`${users.organisationId} = ${scope.organisationId}`),
      );
    case 'department':
      return or(
        and(eq(apiKeys.organisationId, scope.organisationId), eq(apiKeys.departmentId, scope.departmentId)),
        followsOwner(
          sql`${users.organisationId} = ${scope.organisationId} AND ${users.departmentId} = ${scope.departmentId}`,
        ),
      );
  }
}

/** Without a join, so that an update can say it too; a database hashes the owners once. */
const followsOwner = (condition: SQL): SQL =>
  sql`(${apiKeys.organisationId} IS NULL AND ${apiKeys.ownerId} IN (SELECT ${users.id} FROM ${users} WHERE ${condition}))`;

export async function findKey(scope: Scope, executor: Executor, keyId: number): Promise<ApiKey | undefined> {
  const [key] = await selectKeys(executor).where(and(eq(apiKeys.id, keyId), keysWithin(scope)));
  return key;
}

interface KeyFilter {
  readonly ownerId?: number;
  readonly managedBy?: ManagedBy;
  readonly includeRevoked?: boolean;
  /** The last one of the page before. */
  readonly after?: number | undefined;
  readonly limit?: number;
}

/** Oldest first; without the revoked ones unless asked for. */
export async function listKeys(
  scope: Scope,
  executor: Executor,
  { includeRevoked = false, ...filter }: KeyFilter = {},
): Promise<readonly ApiKey[]> {
  const { ownerId, managedBy, after, limit } = filter;
  const all = selectKeys(executor)
    .where(
      and(
        keysWithin(scope),
        ownerId === undefined ? undefined : eq(apiKeys.ownerId, ownerId),
        managedBy === undefined ? undefined : eq(apiKeys.managedBy, managedBy),
        after === undefined ? undefined : gt(apiKeys.id, after),
        includeRevoked ? undefined : isNull(apiKeys.revokedAt),
      ),
    )
    .orderBy(asc(apiKeys.id));
  return await (limit === undefined ? all : all.limit(limit));
}

/**
 * A statement that notes when keys and their secrets were last used; an earlier time than the stored one changes nothing.
 * @param used a table, or a query, with the columns `key_id`, `secret` (its number, null where it is not known) and
 *   `used_at`, each key and secret once.
 */
export function touchKeys(used: SQL): SQL {
  // Locked in order of id, so that two writers never wait for each other. No caller depends on it: nothing to publish.
  return sql`
    UPDATE ${apiKeys} SET
      last_used_at = greatest(last_used_at, touched.used_at),
      secret_last_used_at = greatest(secret_last_used_at, touched.present_used_at),
      previous_last_used_at = greatest(previous_last_used_at, touched.previous_used_at)
    FROM (
      SELECT id, max(used_at) AS used_at, max(used_at) FILTER (WHERE age = 0) AS present_used_at,
        max(used_at) FILTER (WHERE age = 1) AS previous_used_at
      FROM (
        SELECT key.id, used.used_at, key.secret_number - used.secret AS age
        FROM ${apiKeys} AS key
        JOIN ${used} AS used ON used.key_id = key.id
        WHERE key.last_used_at IS NULL OR key.last_used_at < used.used_at
          OR (used.secret = key.secret_number AND coalesce(key.secret_last_used_at < used.used_at, true))
          OR (used.secret = key.secret_number - 1 AND coalesce(key.previous_last_used_at < used.used_at, true))
        ORDER BY key.id
        FOR NO KEY UPDATE OF key
      ) AS locked
      GROUP BY id
    ) AS touched
    WHERE api_keys.id = touched.id RETURNING api_keys.id`;
}

function selectKeys(executor: Executor) {
  return executor.select(keyColumns).from(apiKeys).innerJoin(users, eq(users.id, apiKeys.ownerId)).$dynamic();
}

export function storedToken(token: string, tokenPrefix: string) {
  const visible = visibleTokenParts(token, tokenPrefix);
  return { tokenHash: hashToken(token), tokenPrefix: visible.prefix, tokenLastFour: visible.lastFour };
}

/** @throws AppError `validation_failed` for nobody, and for somebody of outside. */
export async function requireOwner(scope: Scope, executor: Executor, ownerId: number): Promise<User> {
  const owner = await findUser(scope, executor, ownerId);
  if (owner !== undefined) return owner;
  throw unknownOwner();
}

const unknownOwner = () =>
  fieldError([{ loc: ['ownerId'], msg: 'is nobody who has an account', type: 'unknown_user' }]);

export async function requireKey(executor: Executor, keyId: number | undefined): Promise<ApiKey> {
  const key = keyId === undefined ? undefined : await findKey(everybody, executor, keyId);
  if (key === undefined) throw new Error('the key that was just written is not there');
  return key;
}
