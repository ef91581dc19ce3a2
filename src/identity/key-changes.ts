/** What people do to API keys, by rules: who may do it to whose, and that no change is lost behind another. */
import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { AppError } from '../base/errors.ts';
import { checkFields } from '../base/field-check.ts';
import { everybody, type Scope } from '../base/scope.ts';
import type { AuditField } from '../storage/audit-trail.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import type { Work } from '../storage/work.ts';
import { type ApiKey, aboutKey, announceKey, type KeyFields, keyFields } from './key.ts';
import { type PlaceAsked, requirePlace } from './key-place.ts';
import {
  type CreatedKey,
  createKey,
  keysWithin,
  listKeys,
  noKey,
  requireKey,
  requireLater,
  requireOwner,
  revokeKey,
  writeMoment,
} from './keys.ts';
import { isAtLeast } from './roles.ts';
import type { User } from './user.ts';
import { findUser } from './users.ts';

/** Who does it; `program` is a command of whoever runs it, which may do all. */
export type KeyActor = Pick<User, 'id' | 'role'> | 'program';

/** Whether somebody may do something to a key: to their own, and to those of people who are not above them. */
export function mayManageKeysOf(actor: Pick<User, 'id' | 'role'>, owner: Pick<User, 'id' | 'role'>): boolean {
  return (
    actor.id === owner.id || (isAtLeast(actor.role, 'department_admin') && isAtLeast(actor.role, owner.role))
  );
}

/** @throws AppError `not_allowed`. */
function requireMayManage(actor: KeyActor, owner: Pick<User, 'id' | 'role'>): void {
  if (actor === 'program' || mayManageKeysOf(actor, owner)) return;
  throw new AppError({
    code: 'not_allowed',
    reason: 'higher_role',
    public: 'Keys of people with a higher role are theirs to change.',
  });
}

/** Whether somebody may have a token with these scopes that acts for the owner: `account` opens the owner's account. */
export const mayHold = (actorId: number, ownerId: number, scopes: readonly string[]): boolean =>
  actorId === ownerId || !scopes.includes('account');

/** @throws AppError `not_allowed`. */
export function requireMayHold(actor: KeyActor, ownerId: number, scopes: readonly string[]): void {
  if (actor === 'program' || mayHold(actor.id, ownerId, scopes)) return;
  throw new AppError({
    code: 'not_allowed',
    reason: 'account_of_other',
    public: 'The scope account opens the account of the owner, who alone can have a key with it.',
    param: 'scopes',
  });
}

/** Whether a token that is made now is shown to somebody else than the key's owner. A command is the house's own. */
export const isOther = (actor: KeyActor, ownerId: number): boolean =>
  actor !== 'program' && actor.id !== ownerId;

interface NewKey extends PlaceAsked {
  readonly actor: KeyActor;
  readonly tokenPrefix: string;
  readonly fields: KeyFields;
}

/** @throws AppError `validation_failed`, also for an owner outside of the scope; `not_allowed`. */
export async function makeKey(
  scope: Scope,
  work: Work,
  { actor, tokenPrefix, fields, ...place }: NewKey,
): Promise<CreatedKey> {
  const owner = await requireOwner(scope, work.executor, fields.ownerId);
  requireMayManage(actor, owner);
  requireMayHold(actor, owner.id, fields.scopes ?? []);
  const belongsTo = await requirePlace(scope, work.executor, owner, place);
  const shownToOther = isOther(actor, owner.id);
  return await createKey(scope, work, tokenPrefix, { ...fields, ...belongsTo, shownToOther });
}

export interface KeyAsked {
  readonly actor: KeyActor;
  readonly keyId: number;
}

/**
 * The key, locked until the work ends.
 * @throws AppError `not_found`, `not_allowed`.
 */
export async function lockKey(scope: Scope, { executor }: Work, { actor, keyId }: KeyAsked) {
  const [row] = await executor
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, keyId), keysWithin(scope)))
    .for('update');
  if (row === undefined) throw noKey(keyId);
  const owner = await findUser(everybody, executor, row.ownerId);
  if (owner === undefined) throw noKey(keyId);
  requireMayManage(actor, owner);
  return { row, owner };
}

/**
 * What is declared is made anew at the next start, so that a change here would not last.
 * @throws AppError `conflict`, also for a key that was revoked.
 */
export function requireChangeable({ managedBy, revokedAt }: Pick<ApiKey, 'managedBy' | 'revokedAt'>): void {
  const refuse = (reason: string, sentence: string) =>
    new AppError({ code: 'conflict', reason, public: sentence });
  if (managedBy === 'file') {
    throw refuse('declared_key', 'The configuration file declares this key. Change it there.');
  }
  if (managedBy === 'first_run') {
    const sentence = 'This key follows from the secret of the service. Make another one, and revoke this.';
    throw refuse('first_key', sentence);
  }
  if (revokedAt !== null) throw refuse('revoked_key', 'This key was revoked, which is final.');
}

const changes = keyFields.omit({ ownerId: true }).partial();
type Changes = Partial<Omit<z.input<typeof keyFields>, 'ownerId'>>;

interface KeyChange extends KeyAsked {
  /** The revision that was changed; null changes whichever there is. */
  readonly revision: number | null;
  /** What is not given stays. */
  readonly fields: Changes;
  /** Undefined leaves it where it is. */
  readonly place: PlaceAsked | undefined;
}

export interface ChangedKey {
  readonly before: ApiKey;
  readonly key: ApiKey;
}

/**
 * @throws AppError `not_found`, `not_allowed`, `validation_failed`; `conflict` when somebody else changed it meanwhile,
 *   and for a key that is not changed here.
 */
export async function changeKey(scope: Scope, work: Work, asked: KeyChange): Promise<ChangedKey> {
  const { executor, clock } = work;
  const { row, owner } = await lockKey(scope, work, asked);
  requireChangeable(row);
  if (asked.revision !== null && asked.revision !== row.revision) throw changedMeanwhile();
  const before = await requireKey(executor, row.id);
  // A default stands for what a new key is not told, and must not take the place of what a known one has.
  const given = new Set(Object.keys(asked.fields));
  const checked = Object.entries(checkFields(changes, asked.fields)).filter(([name]) => given.has(name));
  const fields: Partial<typeof apiKeys.$inferInsert> = Object.fromEntries(checked);
  if (!row.scopes.includes('account')) requireMayHold(asked.actor, owner.id, fields.scopes ?? []);
  const { expiresAt = null } = fields;
  if (expiresAt?.getTime() !== row.expiresAt?.getTime()) requireLater(expiresAt, clock);
  const isMoved =
    asked.place !== undefined &&
    (asked.place.departmentId !== row.departmentId || asked.place.projectId !== row.projectId);
  const place =
    asked.place === undefined || !isMoved ? {} : await requirePlace(scope, executor, owner, asked.place);
  await executor
    .update(apiKeys)
    .set({ ...fields, ...place, revision: sql`${apiKeys.revision} + 1` })
    .where(eq(apiKeys.id, row.id));
  announceKey(work, row);
  const key = await requireKey(executor, row.id);
  noteChange(work, before, key);
  return { before, key };
}

/** By field, from and to; a name may name a person, so that only its change is told. */
function noteChange(work: Work, before: ApiKey, key: ApiKey): void {
  if (before.enabled !== key.enabled) work.note(aboutKey(key, key.enabled ? 'key.enabled' : 'key.disabled'));
  const changed = [...told, 'expiresAt' as const].filter((name) => !Bun.deepEquals(before[name], key[name]));
  const isRenamed = before.name !== key.name;
  if (changed.length === 0 && !isRenamed) return;
  const read = (of: ApiKey, name: (typeof changed)[number]) =>
    name === 'expiresAt' ? writeMoment(of.expiresAt) : of[name];
  const details = Object.fromEntries(
    changed.map((name) => [name, { from: read(before, name), to: read(key, name) }]),
  );
  work.note(aboutKey(key, 'key.changed', { ...details, ...(isRenamed && { renamed: true }) }));
}

const told = [
  ...(['scopes', 'allowedModels', 'allowedProviders', 'allowedRegions', 'strictOutput'] as const),
  ...(['rescue', 'dataPolicy'] as const),
  ...(['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests', 'departmentId', 'projectId'] as const),
] satisfies readonly AuditField[];

/** So that whoever writes what is shown beside a key waits for who changes it, and the other way round. */
export async function holdKey({ executor }: Work, keyId: number): Promise<void> {
  await executor.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, keyId)).for('update');
}

/** For what is shown beside a key and kept elsewhere: a form that was drawn before it changed is overtaken. */
export async function overtakeFormsOf({ executor }: Work, keyId: number): Promise<void> {
  await executor
    .update(apiKeys)
    .set({ revision: sql`${apiKeys.revision} + 1` })
    .where(eq(apiKeys.id, keyId));
}

function changedMeanwhile(): AppError {
  const sentence = 'Somebody else changed this key meanwhile. Look at what it is now, and change it again.';
  return new AppError({ code: 'conflict', public: sentence, param: 'revision' });
}

/** @throws AppError `not_found`, `not_allowed`; `conflict` for a key that is not changed here. */
export async function setKeyEnabled(
  scope: Scope,
  work: Work,
  { enabled, ...asked }: KeyAsked & { readonly enabled: boolean },
): Promise<ChangedKey> {
  return await changeKey(scope, work, { ...asked, revision: null, fields: { enabled }, place: undefined });
}

/** Ends it for good, a declared one too. @throws AppError `not_found`, `not_allowed`. */
export async function endKey(scope: Scope, work: Work, asked: KeyAsked): Promise<ApiKey> {
  await lockKey(scope, work, asked);
  return await revokeKey(scope, work, asked.keyId);
}

/**
 * Those that the configuration file declared at an earlier start and does not now: over for good, and the file's no more.
 * @returns whether there were any.
 */
export async function endUndeclaredKeys(work: Work, declaredIds: ReadonlySet<number>): Promise<boolean> {
  const declared = { managedBy: 'file', includeRevoked: true } as const;
  let isAny = false;
  for (const { id, revokedAt } of await listKeys(everybody, work.executor, declared)) {
    if (declaredIds.has(id)) continue;
    if (revokedAt === null) await revokeKey(everybody, work, id);
    await work.executor.update(apiKeys).set({ managedBy: null }).where(eq(apiKeys.id, id));
    isAny = true;
  }
  return isAny;
}
