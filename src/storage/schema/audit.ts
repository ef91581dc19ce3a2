/** What was done to accounts and by whom, as chains of hashes: a row that is missing or changed shows. */
import { sql } from 'drizzle-orm';
import { check, index, json, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { idColumn, identityColumn } from './columns.ts';

/**
 * Append-only: a trigger refuses every change but the removal of what is personal. Ids refer to nothing, because a row
 * outlives whom and what it is about.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: identityColumn(),
    /** `organisation:7`, `person:3` for who belongs to none, or `house`. */
    chain: text('chain').notNull(),
    /** From 1 on, without a gap. */
    sequence: idColumn('sequence').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    action: text('action').notNull(),
    subjectKind: text('subject_kind').notNull(),
    subjectId: text('subject_id').notNull(),
    /** Whose account it happened to. */
    userId: idColumn('user_id'),
    organisationId: idColumn('organisation_id'),
    departmentId: idColumn('department_id'),
    /** person, visitor (nobody was signed in) or program. */
    actorKind: text('actor_kind').notNull(),
    actorId: idColumn('actor_id'),
    /** No secrets and nothing personal. As text, so that it is hashed as it was written. */
    details: json('details').$type<AuditDetails>().notNull(),
    /** Name, network address, browser; null where there is nothing, and once the person is gone. */
    personal: json('personal').$type<AuditPersonal>(),
    /** Random, so that nobody finds what was removed by trying. */
    personalSalt: text('personal_salt'),
    personalHash: text('personal_hash').notNull(),
    /** Over all of the row but the personal part, whose hash stands for it, and over the hash before it. */
    hash: text('hash').notNull(),
  },
  (table) => [
    uniqueIndex('audit_entries_chain').on(table.chain, table.sequence),
    index('audit_entries_user').on(table.userId, table.id),
    index('audit_entries_organisation').on(table.organisationId, table.id),
    index('audit_entries_actor').on(table.actorId, table.id),
    index('audit_entries_subject').on(table.subjectKind, table.subjectId, table.id),
    check('audit_entries_actor_kind', sql`${table.actorKind} IN ('person', 'visitor', 'program')`),
  ],
);

/** Where each chain ends. Its row is locked from a new entry to the commit, so that entries have one order. */
export const auditChains = pgTable('audit_chains', {
  chain: text('chain').primaryKey(),
  length: idColumn('length').notNull(),
  head: text('head').notNull(),
});

/** Everything that details may tell. The words for people stand with the page that shows them. */
export const auditFields = [
  ...['role', 'status', 'language', 'method', 'version', 'provider', 'sessions', 'departmentId', 'projectId'],
  ...[
    'scopes',
    'expiresAt',
    'renamed',
    'overlapHours',
    'overlapEnded',
    'strictOutput',
    'rescue',
    'dataPolicy',
  ],
  ...['allowedModels', 'allowedProviders', 'allowedRegions'],
  ...['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'],
  ...['usd', 'period', 'receivers', 'name', 'until', 'journal', 'from', 'nanoUsdPerMillion'],
  ...['kind', 'preferences', 'contacts', 'mails_a_day', 'host', 'enabled', 'failures'],
] as const;
export type AuditField = (typeof auditFields)[number];

export type AuditValue =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean | null)[]
  // As a data policy is declared.
  | Readonly<Record<string, unknown>>;

/** What was changed is `{ from, to }`. */
export type AuditDetails = {
  readonly [Field in AuditField]?: AuditValue | { readonly from: AuditValue; readonly to: AuditValue };
};

export interface AuditPersonal {
  /** What people call the subject. */
  readonly label?: string;
  readonly address?: string;
  readonly userAgent?: string;
}
