/** The keys whose requests somebody pays for: they are refused what has no price. */
import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import { peopleWithin } from '../storage/within-scope.ts';

export interface PayingKey {
  readonly id: number;
  readonly name: string;
  readonly ownerEmail: string;
  /** Null allows every model, or provider. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedProviders: readonly string[] | null;
}

const billingUsers = alias(users, 'billing_users');

/** Those that can be used now, in the order in which they were made. */
export async function listPayingKeys(
  scope: Scope,
  executor: Executor,
  now: Date,
): Promise<readonly PayingKey[]> {
  return executor
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      ownerEmail: users.email,
      allowedModels: apiKeys.allowedModels,
      allowedProviders: apiKeys.allowedProviders,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .leftJoin(
      organisations,
      eq(organisations.id, sql`coalesce(${apiKeys.organisationId}, ${users.organisationId})`),
    )
    .leftJoin(billingUsers, eq(billingUsers.id, organisations.billingUserId))
    .where(
      and(
        peopleWithin(scope),
        eq(apiKeys.enabled, true),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
        eq(users.billingExempt, false),
        or(isNull(organisations.id), eq(organisations.billingExempt, false)),
        or(isNull(billingUsers.id), eq(billingUsers.billingExempt, false)),
      ),
    )
    .orderBy(asc(apiKeys.id));
}
