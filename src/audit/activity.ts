/** Reads the audit trail, newest first, a page at a time. */
import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';
import { type AuditAction, auditActions } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { type AuditDetails, type AuditPersonal, auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import { withinScope } from '../storage/within-scope.ts';

export interface ActivityEntry {
  readonly id: number;
  readonly at: Date;
  readonly action: AuditAction;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly userId: number | null;
  /** Null for who is gone. */
  readonly userEmail: string | null;
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly actorKind: string;
  readonly actorId: number | null;
  /** Null for who is gone, and where it was no person. */
  readonly actorEmail: string | null;
  readonly details: AuditDetails;
  /** Null once it was removed with its person. */
  readonly personal: AuditPersonal | null;
  readonly chain: string;
  readonly sequence: number;
  /** What stands in `hash` for what is personal. */
  readonly personalHash: string;
  readonly hash: string;
}

export interface ActivityAsked {
  /** What the actions are about, such as `key`: all whose names begin so. */
  readonly area?: string | undefined;
  readonly actorId?: number | undefined;
  readonly subject?: { readonly kind: string; readonly id: string } | undefined;
  readonly from?: Date | undefined;
  /** Not in it any more. */
  readonly to?: Date | undefined;
  /** A page's `next`; the newest page when not given. */
  readonly before?: number | undefined;
  /** At most this many; 50 when not given, 1000 at most. */
  readonly limit?: number | undefined;
}

export interface ActivityPage {
  readonly entries: readonly ActivityEntry[];
  /** Of the page behind this one; null at the end. */
  readonly next: number | null;
}

const mostEntries = 1000;

const actors = alias(users, 'actors');

const owning = {
  user: auditEntries.userId,
  organisation: auditEntries.organisationId,
  department: auditEntries.departmentId,
};

/** The areas that actions are in, as their names begin. */
export const activityAreas: readonly string[] = [
  ...new Set(auditActions.map((action) => action.slice(0, action.indexOf('.')))),
];

export async function listActivity(
  scope: Scope,
  executor: Executor,
  asked: ActivityAsked = {},
): Promise<ActivityPage> {
  const limit = Math.max(1, Math.min(asked.limit ?? 50, mostEntries));
  const rows = await executor
    .select({ entry: auditEntries, userEmail: emailUnlessGone(users), actorEmail: emailUnlessGone(actors) })
    .from(auditEntries)
    .leftJoin(users, eq(users.id, auditEntries.userId))
    .leftJoin(actors, eq(actors.id, auditEntries.actorId))
    .where(and(withinScope(scope, owning), narrowingOf(asked)))
    .orderBy(desc(auditEntries.id))
    .limit(limit + 1);
  const entries = rows.slice(0, limit).map(({ entry, ...emails }) => ({ ...toEntry(entry), ...emails }));
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** The row of a removed account stays, under an address that is nobody's. */
const emailUnlessGone = ({ email, removedAt }: typeof users | typeof actors): SQL<string | null> =>
  sql<string | null>`CASE WHEN ${removedAt} IS NULL THEN ${email} END`;

function narrowingOf({ area, actorId, subject, from, to, before }: ActivityAsked): SQL | undefined {
  return and(
    area === undefined ? undefined : inArray(auditEntries.action, actionsOf(area)),
    actorId === undefined ? undefined : eq(auditEntries.actorId, actorId),
    subject === undefined
      ? undefined
      : and(eq(auditEntries.subjectKind, subject.kind), eq(auditEntries.subjectId, subject.id)),
    from === undefined ? undefined : gte(auditEntries.at, from),
    to === undefined ? undefined : lt(auditEntries.at, to),
    before === undefined ? undefined : lt(auditEntries.id, before),
  );
}

const actionsOf = (area: string): AuditAction[] =>
  auditActions.filter((action) => action.startsWith(`${area}.`));

function toEntry({
  personalSalt: _,
  action,
  ...row
}: typeof auditEntries.$inferSelect): Omit<ActivityEntry, 'userEmail' | 'actorEmail'> {
  // Only `note` writes the column, whose type is this one.
  return { ...row, action: action as AuditAction };
}
