/** People and what they belong to, their API keys, and the hosts under which portals of organisations stand. */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  type PgTableExtraConfigValue,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn } from './columns.ts';

const idOf = (name: string) => bigint(name, { mode: 'number' });
const timeOf = (name: string) => timestamp(name, { withTimezone: true });

export const organisations = pgTable(
  'organisations',
  {
    id: identityColumn(),
    name: text('name').notNull(),
    /** Lower-case letters, digits and hyphens; in addresses. */
    slug: text('slug').notNull(),
    /** Whose wallet pays for all of its people; null where each pays for themself. */
    billingUserId: idOf('billing_user_id'),
    /** Usage is recorded at cost and charged to nobody. */
    billingExempt: boolean('billing_exempt').notNull().default(false),
    /** What is demanded of providers that are sent something, in the form of base/data-policy.ts; null demands nothing. */
    dataPolicy: jsonb('data_policy').$type<Readonly<Record<string, unknown>>>(),
    /** 'file' when the configuration file declares this row; null otherwise. */
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  // Said, because people and organisations refer to each other, which the compiler cannot infer in a circle.
  (table): PgTableExtraConfigValue[] => [
    uniqueIndex('organisations_slug').on(table.slug),
    // Its billing user is one of its own people, whatever is written when.
    foreignKey({
      name: 'organisations_billing_user',
      columns: [table.billingUserId, table.id],
      foreignColumns: [users.id, users.organisationId],
    }),
  ],
);

export const departments = pgTable(
  'departments',
  {
    id: identityColumn(),
    organisationId: idOf('organisation_id')
      .notNull()
      .references(() => organisations.id),
    name: text('name').notNull(),
    dataPolicy: jsonb('data_policy').$type<Readonly<Record<string, unknown>>>(),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('departments_name').on(table.organisationId, table.name),
    // What others refer to, so that a department is always one of the same organisation.
    unique('departments_of_organisation').on(table.id, table.organisationId),
  ],
);

export const users = pgTable(
  'users',
  {
    id: identityColumn(),
    /** Lower case, trimmed. */
    email: text('email').notNull(),
    name: text('name').notNull().default(''),
    /** The document's JSON object: whatever the person's client keeps there. */
    displayName: jsonb('display_name').$type<Record<string, unknown>>().notNull().default({}),
    /** One of the portal's languages; null takes the browser's. */
    language: text('language'),
    /** argon2id in PHC form; null when the person has no password yet. */
    passwordHash: text('password_hash'),
    role: text('role').notNull(),
    status: text('status').notNull().default('active'),
    /** When the address was last shown to be theirs; null before. */
    emailVerifiedAt: timeOf('email_verified_at'),
    /** Null for people who came by themselves and belong to nobody's organisation. */
    organisationId: bigint('organisation_id', { mode: 'number' }).references(
      (): AnyPgColumn => organisations.id,
    ),
    departmentId: idOf('department_id'),
    /** Usage is recorded at cost and charged to nobody. */
    billingExempt: boolean('billing_exempt').notNull().default(false),
    /** Limits over all of the person's keys: null is unlimited. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: integer('tokens_per_minute'),
    concurrentRequests: integer('concurrent_requests'),
    /** 'file' when the configuration file declares this row; null otherwise. */
    managedBy: text('managed_by'),
    lastSignedInAt: timeOf('last_signed_in_at'),
    /** When the account was removed for good: the row is what the books and requests of it refer to, and names nobody. */
    removedAt: timeOf('removed_at'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('users_email').on(table.email),
    index('users_organisation').on(table.organisationId, table.departmentId),
    unique('users_of_organisation').on(table.id, table.organisationId),
    foreignKey({
      name: 'users_department',
      columns: [table.departmentId, table.organisationId],
      foreignColumns: [departments.id, departments.organisationId],
    }),
    check(
      'users_department_within',
      sql`${table.departmentId} IS NULL OR ${table.organisationId} IS NOT NULL`,
    ),
  ],
);

/** What a group of people works on; it may belong to one department or to the organisation as a whole. */
export const projects = pgTable(
  'projects',
  {
    id: identityColumn(),
    organisationId: idOf('organisation_id')
      .notNull()
      .references(() => organisations.id),
    departmentId: idOf('department_id'),
    name: text('name').notNull(),
    /** Null once the person is gone. */
    createdBy: idOf('created_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('projects_name').on(table.organisationId, table.name),
    unique('projects_of_organisation').on(table.id, table.organisationId),
    foreignKey({
      name: 'projects_department',
      columns: [table.departmentId, table.organisationId],
      foreignColumns: [departments.id, departments.organisationId],
    }),
  ],
);

export const projectMembers = pgTable(
  'project_members',
  {
    projectId: idOf('project_id').notNull(),
    userId: idOf('user_id').notNull(),
    /** Of both: nobody is a member of another organisation's project. */
    organisationId: idOf('organisation_id').notNull(),
    createdAt: createdAtColumn(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.userId] }),
    index('project_members_user').on(table.userId),
    foreignKey({
      name: 'project_members_project',
      columns: [table.projectId, table.organisationId],
      foreignColumns: [projects.id, projects.organisationId],
    }).onDelete('cascade'),
    foreignKey({
      name: 'project_members_member',
      columns: [table.userId, table.organisationId],
      foreignColumns: [users.id, users.organisationId],
    }).onDelete('cascade'),
  ],
);

export const invites = pgTable(
  'invites',
  {
    id: identityColumn(),
    /** Lower case, trimmed. */
    email: text('email').notNull(),
    role: text('role').notNull(),
    organisationId: idOf('organisation_id').references(() => organisations.id, { onDelete: 'cascade' }),
    departmentId: idOf('department_id'),
    invitedBy: idOf('invited_by').references(() => users.id, { onDelete: 'set null' }),
    tokenHash: text('token_hash').notNull(),
    /** pending, accepted or revoked; one that is over is pending with a past `expires_at`. */
    status: text('status').notNull().default('pending'),
    /** Who came of it. */
    acceptedBy: idOf('accepted_by').references(() => users.id, { onDelete: 'set null' }),
    expiresAt: timeOf('expires_at').notNull(),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('invites_token_hash').on(table.tokenHash),
    index('invites_email').on(table.email),
    index('invites_organisation').on(table.organisationId),
    foreignKey({
      name: 'invites_department',
      columns: [table.departmentId, table.organisationId],
      foreignColumns: [departments.id, departments.organisationId],
    }),
    check(
      'invites_department_within',
      sql`${table.departmentId} IS NULL OR ${table.organisationId} IS NOT NULL`,
    ),
  ],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: identityColumn(),
    ownerId: idOf('owner_id')
      .notNull()
      .references(() => users.id),
    /** What the key's usage is counted for. Null follows the owner: their organisation and department. */
    organisationId: idOf('organisation_id').references(() => organisations.id),
    departmentId: idOf('department_id'),
    projectId: idOf('project_id'),
    name: text('name').notNull(),
    /** SHA-256 of the whole token, lower-case hex. The token itself is never stored. */
    tokenHash: text('token_hash').notNull(),
    /** What stays visible: the service prefix with the first four characters, and the last four. */
    tokenPrefix: text('token_prefix').notNull(),
    tokenLastFour: text('token_last_four').notNull(),
    /** Counts the secrets that the key had; `rotated_at` is when the present one was made, null for the first. */
    secretNumber: integer('secret_number').notNull().default(1),
    rotatedAt: timeOf('rotated_at'),
    /** Of the present secret alone, once the key was rotated. */
    secretLastUsedAt: timeOf('secret_last_used_at'),
    /** The secret before it, which works until its end; all null where there is none. */
    previousTokenHash: text('previous_token_hash'),
    previousTokenPrefix: text('previous_token_prefix'),
    previousTokenLastFour: text('previous_token_last_four'),
    previousEndsAt: timeOf('previous_ends_at'),
    previousLastUsedAt: timeOf('previous_last_used_at'),
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
    expiresAt: timeOf('expires_at'),
    revokedAt: timeOf('revoked_at'),
    lastUsedAt: timeOf('last_used_at'),
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

/** A portal under another name: its host, look and organisation. */
export const resellerHosts = pgTable(
  'reseller_hosts',
  {
    /** Lower case, with the port where it is not the usual one. */
    host: text('host').primaryKey(),
    name: text('name').notNull(),
    /** As `#rrggbb`; null keeps the house's. */
    accent: text('accent'),
    /** An SVG that holds no script, as text; null keeps the house's mark. */
    logo: text('logo'),
    organisationId: idOf('organisation_id')
      .notNull()
      .references(() => organisations.id),
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [index('reseller_hosts_organisation').on(table.organisationId)],
);
