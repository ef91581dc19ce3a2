/** Who is calling: an API key with everything the request path needs to know, how it is read, and whether it may act now. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys, users } from '../storage/schema/identity.ts';

export const keyScopes = ['inference', 'webchat', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

export interface Caller {
  readonly keyId: number;
  readonly keyName: string;
  readonly userId: number;
  readonly userStatus: string;
  /** Whose wallet pays. */
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody. */
  readonly billingExempt: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Locks: null allows everything. */
  readonly allowedModels: ReadonlySet<string> | null;
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
  /** Limits: null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
  readonly enabled: boolean;
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
}

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

/**
 * The caller itself when its key works and its owner is active.
 * @throws AppError `token_revoked`, `token_expired`, `invalid_token` for a disabled key, `account_suspended`.
 */
export function requireUsable(caller: Caller, nowMs: number): Caller {
  if (caller.revoked) {
    throw new AppError({
      code: 'token_revoked',
      public: 'This API key was revoked. Use another, or create one.',
    });
  }
  if (caller.expiresAtMs !== null && caller.expiresAtMs <= nowMs) {
    throw new AppError({
      code: 'token_expired',
      public: `This API key expired at ${new Date(caller.expiresAtMs).toISOString()}. Use another, or create one.`,
    });
  }
  if (!caller.enabled) {
    throw new AppError({
      code: 'invalid_token',
      public: 'This API key is disabled. Enable it in its settings, or use another.',
    });
  }
  if (caller.userStatus !== 'active') throw ownerRefusal(caller.userStatus);
  return caller;
}

function ownerRefusal(status: string): AppError {
  switch (status) {
    case 'unverified':
      return new AppError({
        code: 'account_suspended',
        public:
          "The e-mail address of this key's owner is not verified yet. Follow the link in the mail first.",
      });
    case 'archived':
      return new AppError({
        code: 'token_revoked',
        public: 'The account of this API key was closed, and its keys with it.',
      });
    default:
      return new AppError({
        code: 'account_suspended',
        public: 'The account of this API key is suspended. Its owner can see why by signing in.',
      });
  }
}
