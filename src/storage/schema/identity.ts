/** People and what they belong to, and the hosts under which portals of organisations stand. */
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
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, idColumn, identityColumn, timeColumn } from './columns.ts';

export const organisations = pgTable(
  'organisations',
  {
    id: identityColumn(),
    name: text('name').notNull(),
    /** Lower-case letters, digits and hyphens; in addresses. */
    slug: text('slug').notNull(),
    /** Whose wallet pays for all of its people; null where each pays for themself. */
    billingUserId: idColumn('billing_user_id'),
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
    organisationId: idColumn('organisation_id')
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
    /** A JSON object of the account API: whatever the person's client keeps there. */
    displayName: jsonb('display_name').$type<Record<string, unknown>>().notNull().default({}),
    /** One of the portal's languages; null takes the browser's. */
    language: text('language'),
    /** argon2id in PHC form; null when the person has no password yet. */
    passwordHash: text('password_hash'),
    role: text('role').notNull(),
    status: text('status').notNull().default('active'),
    /** When the address was last shown to be theirs; null before. */
    emailVerifiedAt: timeColumn('email_verified_at'),
    /** Null for people who came by themselves and belong to nobody's organisation. */
    organisationId: bigint('organisation_id', { mode: 'number' }).references(
      (): AnyPgColumn => organisations.id,
    ),
    departmentId: idColumn('department_id'),
    /** Usage is recorded at cost and charged to nobody. */
    billingExempt: boolean('billing_exempt').notNull().default(false),
    /** Limits over all of the person's keys: null is unlimited. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: integer('tokens_per_minute'),
    concurrentRequests: integer('concurrent_requests'),
    /** 'file' when the configuration file declares this row; null otherwise. */
    managedBy: text('managed_by'),
    lastSignedInAt: timeColumn('last_signed_in_at'),
    /** When the account was removed for good: the row is what the books and requests of it refer to, and names nobody. */
    removedAt: timeColumn('removed_at'),
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
    organisationId: idColumn('organisation_id')
      .notNull()
      .references(() => organisations.id),
    departmentId: idColumn('department_id'),
    name: text('name').notNull(),
    /** Null once the person is gone. */
    createdBy: idColumn('created_by').references(() => users.id, { onDelete: 'set null' }),
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
    projectId: idColumn('project_id').notNull(),
    userId: idColumn('user_id').notNull(),
    /** Of both: nobody is a member of another organisation's project. */
    organisationId: idColumn('organisation_id').notNull(),
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
    organisationId: idColumn('organisation_id').references(() => organisations.id, { onDelete: 'cascade' }),
    departmentId: idColumn('department_id'),
    invitedBy: idColumn('invited_by').references(() => users.id, { onDelete: 'set null' }),
    tokenHash: text('token_hash').notNull(),
    /** pending, accepted or revoked; one that is over is pending with a past `expires_at`. */
    status: text('status').notNull().default('pending'),
    /** Who came of it. */
    acceptedBy: idColumn('accepted_by').references(() => users.id, { onDelete: 'set null' }),
    expiresAt: timeColumn('expires_at').notNull(),
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
    organisationId: idColumn('organisation_id')
      .notNull()
      .references(() => organisations.id),
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [index('reseller_hosts_organisation').on(table.organisationId)],
);
