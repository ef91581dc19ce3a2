/** People, their API keys, their sign-in links and sessions. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn } from './columns.ts';

export const users = pgTable(
  'users',
  {
    id: identityColumn(),
    /** Lower case, trimmed. */
    email: text('email').notNull(),
    name: text('name').notNull().default(''),
    /** argon2id in PHC form; null when the person has no password yet. */
    passwordHash: text('password_hash'),
    role: text('role').notNull(),
    status: text('status').notNull().default('active'),
    /** Usage is recorded at cost and charged to nobody. */
    billingExempt: boolean('billing_exempt').notNull().default(false),
    /** 'file' when the configuration file declares this row; null otherwise. */
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [uniqueIndex('users_email').on(table.email)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: identityColumn(),
    ownerId: bigint('owner_id', { mode: 'number' })
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** SHA-256 of the whole token, lower-case hex. The token itself is never stored. */
    tokenHash: text('token_hash').notNull(),
    /** What stays visible: the service prefix with the first four characters, and the last four. */
    tokenPrefix: text('token_prefix').notNull(),
    tokenLastFour: text('token_last_four').notNull(),
    scopes: text('scopes').array().notNull().default(sql`'{inference,read}'::text[]`),
    /** Locks: null allows everything, an empty list nothing. */
    allowedModels: text('allowed_models').array(),
    allowedProviders: text('allowed_providers').array(),
    allowedRegions: text('allowed_regions').array(),
    /** Limits: null is unlimited. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: integer('tokens_per_minute'),
    concurrentRequests: integer('concurrent_requests'),
    enabled: boolean('enabled').notNull().default(true),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('api_keys_token_hash').on(table.tokenHash),
    index('api_keys_owner').on(table.ownerId),
  ],
);

/** Single-use links; only the hash of the secret in the link is stored. */
export const signInLinks = pgTable(
  'sign_in_links',
  {
    id: identityColumn(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    usedAt: timestamp('used_at', { withTimezone: true }),
    createdAt: createdAtColumn(),
  },
  (table) => [uniqueIndex('sign_in_links_token_hash').on(table.tokenHash)],
);

export const sessions = pgTable(
  'sessions',
  {
    id: identityColumn(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** Sliding: moved on when the session is used. */
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('sessions_token_hash').on(table.tokenHash),
    index('sessions_user').on(table.userId),
  ],
);
