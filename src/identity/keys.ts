/** API keys: making, listing and revoking them, and noting when they were used. */
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { everybody, type Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys, users } from '../storage/schema/identity.ts';
import { withinScope } from '../storage/within-scope.ts';
import type { Work } from '../storage/work.ts';
import { checkFields, fieldError } from './field-check.ts';
import { type ApiKey, apiKeyTopic, type KeyFields, keyColumns, keyFields, type ManagedBy } from './key.ts';
import { hashToken, isWellFormedToken, mintToken, visibleTokenParts } from './token.ts';
import { findUser } from './users.ts';

export interface CreatedKey {
  readonly key: ApiKey;
  /** To be shown now: only its hash is stored. */
  readonly token: string;
}

/**
 * @param tokenPrefix what every API token of this service begins with, separator included.
 * @throws AppError `validation_failed`.
 */
export async function createKey(
  scope: Scope,
  work: Work,
  tokenPrefix: string,
  newKey: KeyFields,
): Promise<CreatedKey> {
  const { executor, clock, ids } = work;
  const fields = checkFields(keyFields, newKey);
  if (fields.expiresAt !== null && fields.expiresAt.getTime() <= clock.nowMs()) {
    throw fieldError([{ loc: ['expiresAt'], msg: 'must be in the future', type: 'too_early' }]);
  }
  await requireOwner(scope, executor, fields.ownerId);
  const token = mintToken(ids, tokenPrefix);
  const [row] = await executor
    .insert(apiKeys)
    .values({ ...fields, ...storedToken(token, tokenPrefix) })
    .returning({ id: apiKeys.id });
  work.announce(apiKeyTopic, hashToken(token));
  return { key: await requireKey(executor, row?.id), token };
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
): Promise<{ key: ApiKey; changed: boolean }> {
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
  return { key: await requireKey(executor, row?.id), changed };
}

/**
 * Ends a key for good. One that is revoked already keeps its date.
 * @throws AppError `not_found`.
 */
export async function revokeKey(scope: Scope, work: Work, keyId: number): Promise<ApiKey> {
  const { executor, clock } = work;
  const now = new Date(clock.nowMs()).toISOString();
  const [row] = await executor
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${now}::timestamptz)` })
    .where(and(eq(apiKeys.id, keyId), withinScope(scope, owning)))
    .returning({ tokenHash: apiKeys.tokenHash });
  if (row === undefined) throw new AppError({ code: 'not_found', public: `There is no API key ${keyId}.` });
  work.announce(apiKeyTopic, row.tokenHash);
  return await requireKey(executor, keyId);
}

const owning = {
  user: apiKeys.ownerId,
  organisation: apiKeys.organisationId,
  department: apiKeys.departmentId,
};

export async function findKey(scope: Scope, executor: Executor, keyId: number): Promise<ApiKey | undefined> {
  const [key] = await selectKeys(executor).where(and(eq(apiKeys.id, keyId), withinScope(scope, owning)));
  return key;
}

/** Oldest first; without the revoked ones unless asked for. */
export async function listKeys(
  scope: Scope,
  executor: Executor,
  filter: { readonly ownerId?: number; readonly includeRevoked?: boolean } = {},
): Promise<readonly ApiKey[]> {
  const { ownerId, includeRevoked = false } = filter;
  return await selectKeys(executor)
    .where(
      and(
        withinScope(scope, owning),
        ownerId === undefined ? undefined : eq(apiKeys.ownerId, ownerId),
        includeRevoked ? undefined : isNull(apiKeys.revokedAt),
      ),
    )
    .orderBy(asc(apiKeys.id));
}

/**
 * A statement that notes when keys were last used; an earlier time than the stored one changes nothing.
 * @param used a table, or a query, with the columns `key_id` and `used_at`, each key once.
 */
export function touchKeys(used: SQL): SQL {
  // Locked in order of id, so that two writers never wait for each other. No caller depends on it: nothing to publish.
  return sql`
    UPDATE ${apiKeys} SET last_used_at = greatest(last_used_at, touched.used_at)
    FROM (
      SELECT key.id, used.used_at
      FROM ${apiKeys} AS key
      JOIN ${used} AS used ON used.key_id = key.id
      WHERE key.last_used_at IS NULL OR key.last_used_at < used.used_at
      ORDER BY key.id
      FOR NO KEY UPDATE OF key
    ) AS touched
    WHERE api_keys.id = touched.id`;
}

function selectKeys(executor: Executor) {
  return executor.select(keyColumns).from(apiKeys).innerJoin(users, eq(users.id, apiKeys.ownerId)).$dynamic();
}

function storedToken(token: string, tokenPrefix: string) {
  const visible = visibleTokenParts(token, tokenPrefix);
  return { tokenHash: hashToken(token), tokenPrefix: visible.prefix, tokenLastFour: visible.lastFour };
}

async function requireOwner(scope: Scope, executor: Executor, ownerId: number): Promise<void> {
  if ((await findUser(scope, executor, ownerId)) !== undefined) return;
  throw fieldError([{ loc: ['ownerId'], msg: 'is nobody who has an account', type: 'unknown_user' }]);
}

async function requireKey(executor: Executor, keyId: number | undefined): Promise<ApiKey> {
  const key = keyId === undefined ? undefined : await findKey(everybody, executor, keyId);
  if (key === undefined) throw new Error('the key that was just written is not there');
  return key;
}
