/** An API key as people see it, and what may be in one. The token is not part of it: it is shown once. */
import { z } from 'zod';
import { apiKeys, users } from '../storage/schema/identity.ts';

export const keyScopes = ['inference', 'webchat', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The columns that make an `ApiKey`, for a select that joins the owner. */
export const keyColumns = {
  id: apiKeys.id,
  ownerId: apiKeys.ownerId,
  ownerEmail: users.email,
  name: apiKeys.name,
  tokenPrefix: apiKeys.tokenPrefix,
  tokenLastFour: apiKeys.tokenLastFour,
  scopes: apiKeys.scopes,
  allowedModels: apiKeys.allowedModels,
  allowedProviders: apiKeys.allowedProviders,
  allowedRegions: apiKeys.allowedRegions,
  requestsPerMinute: apiKeys.requestsPerMinute,
  tokensPerMinute: apiKeys.tokensPerMinute,
  concurrentRequests: apiKeys.concurrentRequests,
  strictOutput: apiKeys.strictOutput,
  enabled: apiKeys.enabled,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  managedBy: apiKeys.managedBy,
  createdAt: apiKeys.createdAt,
};

export interface ApiKey {
  readonly id: number;
  readonly ownerId: number;
  readonly ownerEmail: string;
  readonly name: string;
  readonly tokenPrefix: string;
  readonly tokenLastFour: string;
  readonly scopes: readonly string[];
  /** Locks: null allows everything, an empty list nothing. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedProviders: readonly string[] | null;
  readonly allowedRegions: readonly string[] | null;
  /** Limits: null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
  /** A request whose own output limit cannot be paid is refused instead of being held to less. */
  readonly strictOutput: boolean;
  readonly enabled: boolean;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly managedBy: string | null;
  readonly createdAt: Date;
}

const lock = z.array(z.string().trim().min(1, 'must not be empty')).nullable().default(null);
/** Of a key or a person; null is unlimited. */
export const limitField = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(2_147_483_647, 'is too large')
  .nullable();
const limit = limitField.default(null);

/** What is not given takes the default, also when a declared key is applied again. */
export const keyFields = z.object({
  ownerId: z.int(),
  name: z
    .string()
    .trim()
    .min(1, 'must have at least 1 character')
    .max(100, 'must have at most 100 characters'),
  scopes: z
    .array(z.enum(keyScopes, `must be one of ${keyScopes.join(', ')}`))
    .min(1, 'must name at least one scope')
    .default(['inference', 'read']),
  allowedModels: lock,
  allowedProviders: lock,
  allowedRegions: lock,
  requestsPerMinute: limit,
  tokensPerMinute: limit,
  concurrentRequests: limit,
  strictOutput: z.boolean().default(false),
  enabled: z.boolean().default(true),
  expiresAt: z.date('must be a date').nullable().default(null),
});

/** Only `ownerId` and `name` must be there. */
export type KeyFields = z.input<typeof keyFields>;

/** Who declares a row again at every start: the configuration file, or the first-run set-up. */
export type ManagedBy = 'file' | 'first_run';

/** The topic of the change feed for whatever becomes of a key; its key is the token's hash. */
export const apiKeyTopic = 'api-key';
