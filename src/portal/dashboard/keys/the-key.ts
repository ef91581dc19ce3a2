/** A key as programs are told of it, and finding the one that an address names. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import type { Scope } from '../../../base/scope.ts';
import {
  type ApiKey,
  findKey,
  type KeyOwner,
  mayHold,
  mayManageKeysOf,
  type User,
  withDatabaseTime,
} from '../../../identity/index.ts';
import { listBudgets } from '../../../ledger/index.ts';
import { idField } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { dataPolicyResult, tellDataPolicy } from './key-data-policy.ts';
import type { KnownBudget } from './key-values.ts';

export const keysPath = '/dashboard/keys';
export const keysTag = 'Keys';
export const keyPath = (keyId: number): string => `${keysPath}/${keyId}`;

export const keyParams = z.object({ key_id: idField });
export const keyRefusals = { 404: 'There is no such key in what the person may see' };

/** @throws AppError `not_found`. */
export async function requireTheKey(
  scope: Scope,
  { storage }: Pick<PortalServices, 'storage'>,
  keyId: number,
): Promise<ApiKey> {
  const key = await findKey(scope, storage.db, keyId);
  if (key !== undefined) return key;
  throw new AppError({ code: 'not_found', public: `There is no API key ${keyId}.` });
}

export interface KeyRights {
  /** To change, disable and revoke it. */
  readonly mayManage: boolean;
  /** Only its owner, and who administers them. */
  readonly mayRotate: boolean;
}

/**
 * What is refused is not offered: whoever has another token spends what is its owner's, who may be outside of one's scope.
 * @param owner undefined for one who is gone.
 */
export function rightsTo(
  { ownerId, scopes }: Pick<ApiKey, 'ownerId' | 'scopes'>,
  user: Pick<User, 'id' | 'role'>,
  owner: KeyOwner | undefined,
): KeyRights {
  if (ownerId === user.id) return { mayManage: true, mayRotate: true };
  const mayManage = owner !== undefined && mayManageKeysOf(user, { id: ownerId, role: owner.role });
  return { mayManage, mayRotate: mayManage && owner.isInScope && mayHold(user.id, ownerId, scopes) };
}

export async function budgetsOfKey(
  services: Pick<PortalServices, 'storage' | 'clock' | 'databaseMs'>,
  keyId: number,
): Promise<readonly KnownBudget[]> {
  const { storage, clock } = await withDatabaseTime(services);
  return await listBudgets(storage.db, clock.nowMs(), [{ kind: 'key', id: keyId }]);
}

const names = z.array(z.string()).nullable();
const count = z.int().nullable();
const moment = z.iso.datetime().nullable();
export const keyResult = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.string(),
  department: count,
  project: count,
  token_prefix: z.string(),
  token_last_four: z.string(),
  scopes: z.array(z.string()),
  models: names,
  providers: names,
  regions: names,
  requests_per_minute: count,
  tokens_per_minute: count,
  concurrent_requests: count,
  strict_output: z.boolean(),
  ...dataPolicyResult,
  enabled: z.boolean(),
  expires_at: moment,
  revoked_at: moment,
  last_used_at: moment,
  previous_ends_at: moment,
  revision: z.int(),
  created_at: z.iso.datetime(),
});

export function tellKey(key: ApiKey): z.input<typeof keyResult> {
  return {
    id: key.id,
    name: key.name,
    owner: key.ownerEmail,
    department: key.departmentId,
    project: key.projectId,
    token_prefix: key.tokenPrefix,
    token_last_four: key.tokenLastFour,
    scopes: [...key.scopes],
    models: key.allowedModels === null ? null : [...key.allowedModels],
    providers: key.allowedProviders === null ? null : [...key.allowedProviders],
    regions: key.allowedRegions === null ? null : [...key.allowedRegions],
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    concurrent_requests: key.concurrentRequests,
    strict_output: key.strictOutput,
    ...tellDataPolicy(key),
    enabled: key.enabled,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    previous_ends_at: key.previousEndsAt?.toISOString() ?? null,
    revision: key.revision,
    created_at: key.createdAt.toISOString(),
  };
}

export const visibleToken = (prefix: string, lastFour: string): string => `${prefix}…${lastFour}`;
