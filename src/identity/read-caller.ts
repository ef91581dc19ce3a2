/** Reads a caller from the database. */
import { eq } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { apiKeys, users } from '../storage/schema/identity.ts';
import type { Caller } from './caller.ts';

export async function readCaller(executor: Executor, tokenHash: string): Promise<Caller | undefined> {
  const [found] = await executor
    .select()
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(eq(apiKeys.tokenHash, tokenHash));
  if (found === undefined) return undefined;
  const { api_keys: key, users: owner } = found;
  return {
    keyId: key.id,
    keyName: key.name,
    userId: owner.id,
    userStatus: owner.status,
    // The owner pays as long as there are no organisations with a billing user.
    payerId: owner.id,
    billingExempt: owner.billingExempt,
    scopes: new Set(key.scopes),
    allowedModels: lockOf(key.allowedModels),
    allowedProviders: lockOf(key.allowedProviders),
    allowedRegions: lockOf(key.allowedRegions),
    requestsPerMinute: key.requestsPerMinute,
    tokensPerMinute: key.tokensPerMinute,
    concurrentRequests: key.concurrentRequests,
    enabled: key.enabled,
    revoked: key.revokedAt !== null,
    expiresAtMs: key.expiresAt?.getTime() ?? null,
  };
}

function lockOf(names: readonly string[] | null): ReadonlySet<string> | null {
  return names === null ? null : new Set(names);
}
