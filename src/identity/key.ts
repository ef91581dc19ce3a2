/** An API key as people see it, and what may be in one. The token is not part of it: it is shown once. */
import { z } from 'zod';
import { dataLockForm } from '../base/data-policy.ts';
import { nameField } from '../base/field-check.ts';
import type { AuditAction, AuditDetails, AuditNote } from '../storage/audit-trail.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { users } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';

export const keyScopes = ['inference', 'webchat', 'read', 'account'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The columns that make an `ApiKey`, for a select that joins the owner. */
export const keyColumns = {
  id: apiKeys.id,
  ownerId: apiKeys.ownerId,
  ownerEmail: users.email,
  organisationId: apiKeys.organisationId,
  departmentId: apiKeys.departmentId,
  projectId: apiKeys.projectId,
  name: apiKeys.name,
  tokenPrefix: apiKeys.tokenPrefix,
  tokenLastFour: apiKeys.tokenLastFour,
  secretNumber: apiKeys.secretNumber,
  rotatedAt: apiKeys.rotatedAt,
  secretLastUsedAt: apiKeys.secretLastUsedAt,
  previousTokenPrefix: apiKeys.previousTokenPrefix,
  previousTokenLastFour: apiKeys.previousTokenLastFour,
  previousEndsAt: apiKeys.previousEndsAt,
  previousLastUsedAt: apiKeys.previousLastUsedAt,
  scopes: apiKeys.scopes,
  allowedModels: apiKeys.allowedModels,
  allowedProviders: apiKeys.allowedProviders,
  allowedRegions: apiKeys.allowedRegions,
  dataPolicy: apiKeys.dataPolicy,
  requestsPerMinute: apiKeys.requestsPerMinute,
  tokensPerMinute: apiKeys.tokensPerMinute,
  concurrentRequests: apiKeys.concurrentRequests,
  strictOutput: apiKeys.strictOutput,
  rescue: apiKeys.rescue,
  enabled: apiKeys.enabled,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revision: apiKeys.revision,
  managedBy: apiKeys.managedBy,
  createdAt: apiKeys.createdAt,
};

export interface ApiKey {
  readonly id: number;
  readonly ownerId: number;
  readonly ownerEmail: string;
  /** What it is counted for by itself; all null where it follows its owner. */
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly projectId: number | null;
  readonly name: string;
  readonly tokenPrefix: string;
  readonly tokenLastFour: string;
  /** From 1; a rotation counts one on. */
  readonly secretNumber: number;
  /** When the present secret was made; null for the first. */
  readonly rotatedAt: Date | null;
  /** Of the present secret alone; told once the key was rotated. */
  readonly secretLastUsedAt: Date | null;
  /** The secret before it, which works until its end; null where there is none. */
  readonly previousTokenPrefix: string | null;
  readonly previousTokenLastFour: string | null;
  readonly previousEndsAt: Date | null;
  readonly previousLastUsedAt: Date | null;
  readonly scopes: readonly string[];
  /** Locks: null allows everything, an empty list nothing. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedProviders: readonly string[] | null;
  readonly allowedRegions: readonly string[] | null;
  /** What it demands of providers, in the form of base/data-policy.ts. */
  readonly dataPolicy: Readonly<Record<string, unknown>> | null;
  /** Limits: null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
  /** A request whose own output limit cannot be paid is refused instead of being held to less. */
  readonly strictOutput: boolean;
  /** Whether a streamed answer that breaks is gone on with; null leaves it to the model. */
  readonly rescue: boolean | null;
  readonly enabled: boolean;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** By whichever secret. */
  readonly lastUsedAt: Date | null;
  /** Counts the changes that people made of it. */
  readonly revision: number;
  readonly managedBy: string | null;
  readonly createdAt: Date;
}

/** A database takes no NUL in a text; more names than there are models anywhere are a mistake. */
const lockedName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(300, 'must have at most 300 characters')
  .regex(/^\P{Cc}*$/u, 'must have no control characters');
const lock = z.array(lockedName).max(2000, 'must have at most 2000 names').nullable().default(null);
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
  name: nameField.min(1, 'must have at least 1 character'),
  scopes: z
    .array(z.enum(keyScopes, `must be one of ${keyScopes.join(', ')}`))
    .min(1, 'must name at least one scope')
    .default(['inference', 'read']),
  allowedModels: lock,
  allowedProviders: lock,
  allowedRegions: lock,
  dataPolicy: dataLockForm.nullable().default(null),
  requestsPerMinute: limit,
  tokensPerMinute: limit,
  concurrentRequests: limit,
  strictOutput: z.boolean().default(false),
  rescue: z.boolean().nullable().default(null),
  enabled: z.boolean().default(true),
  expiresAt: z.date('must be a date').nullable().default(null),
});

/** Only `ownerId` and `name` must be there. */
export type KeyFields = z.input<typeof keyFields>;

/** Who declares a row again at every start: the configuration file, or the first-run set-up. */
export type ManagedBy = 'file' | 'first_run';

/** The topic of the change feed for whatever becomes of a key; its key is the hash of a token. */
export const apiKeyTopic = 'api-key';

/** What the audit trail is told of a key. */
export function aboutKey(
  { id, name }: Pick<ApiKey, 'id' | 'name'>,
  action: AuditAction,
  details: AuditDetails = {},
): AuditNote {
  return { action, subject: { kind: 'key', id, label: name }, owner: { kind: 'key', id }, details };
}

/** Tells every process that what it remembers of the key is out of date, by whichever of its secrets. */
export function announceKey(
  work: Pick<Work, 'announce'>,
  { tokenHash, previousTokenHash }: Pick<typeof apiKeys.$inferSelect, 'tokenHash' | 'previousTokenHash'>,
): void {
  work.announce(apiKeyTopic, tokenHash);
  if (previousTokenHash !== null) work.announce(apiKeyTopic, previousTokenHash);
}
