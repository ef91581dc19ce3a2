/** Who calls: an API key with everything the request path needs to know of it, its owner and what they belong to. */
import { eq, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { LevelLock } from '../base/data-policy.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import { readKeyLocks } from './data-locks.ts';

/** Null is unlimited. */
interface UseLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

export interface Caller {
  readonly keyId: number;
  readonly keyName: string;
  /** Which of the key's secrets this is, from 1; null where it has had but one. */
  readonly secretNumber: number | null;
  /** When this secret ends, because another has taken its place. */
  readonly secretEndsAtMs: number | null;
  /** It had ended by the database's time when this was read: one clock that is behind does not keep it alive. */
  readonly secretIsOver?: boolean;
  readonly userId: number;
  readonly userStatus: string;
  /** What the key's usage is counted for; null where it belongs to nothing of the kind. */
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly projectId: number | null;
  /** Whose demands hold too, where it is another one. */
  readonly ownersOrganisationId: number | null;
  /** Whose wallet pays: the organisation's billing user where there is one, else the key's owner. */
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody: the owner is exempt, the organisation, or who pays for it. */
  readonly billingExempt: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Whether somebody else than its owner was shown a token of the key, which does not open the account then. */
  readonly shownToOther: boolean;
  /** Locks: null allows everything. */
  readonly allowedModels: ReadonlySet<string> | null;
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
  /** What the organisations and departments of the key and of its owner, and the key itself, demand of providers: all hold. */
  readonly dataLocks: readonly LevelLock[];
  /** What the key may do a minute and at once; null where nothing is limited. */
  readonly keyLimits: UseLimits | null;
  /** The same for its owner, over all of their keys. */
  readonly userLimits: UseLimits | null;
  /** A request whose own output limit cannot be paid is refused instead of being held to less. */
  readonly strictOutput: boolean;
  /** Whether a streamed answer that breaks is gone on with; null leaves it to the model. */
  readonly rescue: boolean | null;
  readonly enabled: boolean;
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
}

const billingUsers = alias(users, 'billing_users');

/** By either of a key's two secrets. */
export async function readCaller(executor: Executor, tokenHash: string): Promise<Caller | undefined> {
  const rows = await executor
    .select({
      key: apiKeys,
      owner: users,
      organisation: organisations,
      billingUser: billingUsers,
      isPreviousOver: sql<boolean>`coalesce(${apiKeys.previousEndsAt} <= now(), true)`,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .leftJoin(
      organisations,
      eq(organisations.id, sql`coalesce(${apiKeys.organisationId}, ${users.organisationId})`),
    )
    .leftJoin(billingUsers, eq(billingUsers.id, organisations.billingUserId))
    .where(or(eq(apiKeys.tokenHash, tokenHash), eq(apiKeys.previousTokenHash, tokenHash)));
  const found = rows.find(({ key }) => key.tokenHash === tokenHash) ?? rows[0];
  if (found === undefined) return undefined;
  const { key, owner, organisation, billingUser } = found;
  const isPrevious = key.tokenHash !== tokenHash;
  return {
    keyId: key.id,
    keyName: key.name,
    secretNumber: key.rotatedAt === null ? null : key.secretNumber - (isPrevious ? 1 : 0),
    secretEndsAtMs: isPrevious ? (key.previousEndsAt?.getTime() ?? 0) : null,
    secretIsOver: isPrevious && found.isPreviousOver,
    userId: owner.id,
    userStatus: owner.status,
    ...(key.organisationId === null
      ? { organisationId: owner.organisationId, departmentId: owner.departmentId, projectId: null }
      : {
          organisationId: key.organisationId,
          departmentId: key.departmentId,
          projectId: key.projectId,
        }),
    ownersOrganisationId: owner.organisationId,
    payerId: organisation?.billingUserId ?? owner.id,
    billingExempt:
      owner.billingExempt || organisation?.billingExempt === true || billingUser?.billingExempt === true,
    scopes: new Set(key.scopes),
    shownToOther: key.shownToOther,
    allowedModels: lockOf(key.allowedModels),
    allowedProviders: lockOf(key.allowedProviders),
    allowedRegions: lockOf(key.allowedRegions),
    dataLocks: await readKeyLocks(executor, key.id),
    keyLimits: limitsOf(key),
    userLimits: limitsOf(owner),
    strictOutput: key.strictOutput,
    rescue: key.rescue,
    enabled: key.enabled,
    revoked: key.revokedAt !== null,
    expiresAtMs: key.expiresAt?.getTime() ?? null,
  };
}

function limitsOf({ requestsPerMinute, tokensPerMinute, concurrentRequests }: UseLimits): UseLimits | null {
  if (requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null) return null;
  return { requestsPerMinute, tokensPerMinute, concurrentRequests };
}

function lockOf(names: readonly string[] | null): ReadonlySet<string> | null {
  return names === null ? null : new Set(names);
}
