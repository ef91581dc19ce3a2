/** API keys: whose they are, their secrets, what they may and how much of it. */
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, idColumn, identityColumn, timeColumn } from './columns.ts';

import { departments, organisations, projects, users } from './identity.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    id: identityColumn(),
    ownerId: idColumn('owner_id')
      .notNull()
      .references(() => users.id),
    /** What the key's usage is counted for. Null follows the owner: their organisation and department. */
    organisationId: idColumn('organisation_id').references(() => organisations.id),
    departmentId: idColumn('department_id'),
    projectId: idColumn('project_id'),
    name: text('name').notNull(),
    /** SHA-256 of the whole token, lower-case hex. The token itself is never stored. */
    tokenHash: text('token_hash').notNull(),
    /** What stays visible: the service prefix with the first four characters, and the last four. */
    tokenPrefix: text('token_prefix').notNull(),
    tokenLastFour: text('token_last_four').notNull(),
    /** Counts the secrets that the key had; `rotated_at` is when the present one was made, null for the first. */
    secretNumber: integer('secret_number').notNull().default(1),
    rotatedAt: timeColumn('rotated_at'),
    /** Of the present secret alone, once the key was rotated. */
    secretLastUsedAt: timeColumn('secret_last_used_at'),
    /** The secret before it, which works until its end; all null where there is none. */
    previousTokenHash: text('previous_token_hash'),
    previousTokenPrefix: text('previous_token_prefix'),
    previousTokenLastFour: text('previous_token_last_four'),
    previousEndsAt: timeColumn('previous_ends_at'),
    previousLastUsedAt: timeColumn('previous_last_used_at'),
    scopes: text('scopes').array().notNull().default(sql`'{inference,read}'::text[]`),
    /** Locks: null allows everything, an empty list nothing. */
    allowedModels: text('allowed_models').array(),
    allowedProviders: text('allowed_providers').array(),
    allowedRegions: text('allowed_regions').array(),
    dataPolicy: jsonb('data_policy').$type<Readonly<Record<string, unknown>>>(),
    /** Limits: null is unlimited. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: integer('tokens_per_minute'),
    concurrentRequests: integer('concurrent_requests'),
    /** A request whose own output limit cannot be paid is refused instead of being held to less. */
    strictOutput: boolean('strict_output').notNull().default(false),
    /** Whether a streamed answer that breaks is gone on with; null leaves it to the model. */
    rescue: boolean('rescue'),
    enabled: boolean('enabled').notNull().default(true),
    expiresAt: timeColumn('expires_at'),
    revokedAt: timeColumn('revoked_at'),
    lastUsedAt: timeColumn('last_used_at'),
    /** Counts the changes that people make, so that one is never lost behind another. */
    revision: integer('revision').notNull().default(1),
    managedBy: text('managed_by'),
    shownToOther: boolean('shown_to_other').notNull().default(false), // Such a key opens no account.
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('api_keys_token_hash').on(table.tokenHash),
    uniqueIndex('api_keys_previous_token_hash').on(table.previousTokenHash),
    index('api_keys_owner').on(table.ownerId),
    index('api_keys_expiry').on(table.expiresAt).where(sql`${table.expiresAt} IS NOT NULL`),
    index('api_keys_organisation').on(table.organisationId),
    foreignKey({
      name: 'api_keys_department',
      columns: [table.departmentId, table.organisationId],
      foreignColumns: [departments.id, departments.organisationId],
    }),
    foreignKey({
      name: 'api_keys_project',
      columns: [table.projectId, table.organisationId],
      foreignColumns: [projects.id, projects.organisationId],
    }),
    check(
      'api_keys_within',
      sql`(${table.departmentId} IS NULL AND ${table.projectId} IS NULL) OR ${table.organisationId} IS NOT NULL`,
    ),
  ],
);
