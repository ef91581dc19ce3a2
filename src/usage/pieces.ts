/** Of which sums a span is made: hours, days and weeks, of days that are settled and of those that are not. */
import { type SQL, sql } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { usageDaily, usageHourly, usageWeekly } from '../storage/schema/usage.ts';
import { withinScope } from '../storage/within-scope.ts';
import { type Facet, foldedOf, hourlyOf, type SumColumn } from './facets.ts';
import { mondayBefore, readSettled, type SettledUntil } from './settling.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Weeks begin on Mondays; all of UTC. */
export type UsageStep = 'hour' | 'day' | 'week' | 'month';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Piece extends Span {
  readonly table: typeof usageHourly | typeof usageDaily | typeof usageWeekly;
  readonly facetId: number;
}

export interface PiecesAsked {
  readonly facet: Facet;
  readonly every: UsageStep | undefined;
  /** How far the facet is settled. */
  readonly settled: SettledUntil;
  /** Whose weeks are read in place of the facet's, as far as there are any. */
  readonly weekly?: { readonly facet: Facet; readonly settled: SettledUntil } | undefined;
}

/** Whole weeks and days come from their sums, what is left at both ends from those of hours. */
export function piecesOf(
  { fromMs, toMs }: Span,
  { facet, every, settled, weekly }: PiecesAsked,
): readonly Piece[] {
  const hourly = hourlyOf(facet);
  /** From the day on that is not settled only those are there that requests are folded into. */
  const parted = (table: Piece['table'], told: Facet, span: Span): readonly Piece[] => {
    if (told.madeOf === undefined) return [{ table, facetId: told.id, ...span }];
    return [
      { table, facetId: told.id, fromMs: span.fromMs, toMs: Math.min(span.toMs, settled.daysMs) },
      { table, facetId: foldedOf(told).id, fromMs: Math.max(span.fromMs, settled.daysMs), toMs: span.toMs },
    ];
  };
  const hours = (span: Span) => (hourly === undefined ? [] : parted(usageHourly, hourly, span));
  const days = (span: Span): readonly Piece[] => {
    const weeksFromMs = mondayBefore(span.fromMs + 7 * dayMs - 1);
    const weeksToMs = Math.min(mondayBefore(span.toMs), mondayBefore(settled.weeksMs));
    // A week can lie in two months.
    const hasWeeks = weeksFromMs < weeksToMs && (every === undefined || every === 'week');
    if (!hasWeeks) return parted(usageDaily, facet, span);
    const otherMs = weekly === undefined ? weeksFromMs : mondayBefore(weekly.settled.weeksMs);
    const fewerToMs = Math.min(Math.max(otherMs, weeksFromMs), weeksToMs);
    return [
      ...parted(usageDaily, facet, { fromMs: span.fromMs, toMs: weeksFromMs }),
      { table: usageWeekly, facetId: (weekly?.facet ?? facet).id, fromMs: weeksFromMs, toMs: fewerToMs },
      { table: usageWeekly, facetId: facet.id, fromMs: fewerToMs, toMs: weeksToMs },
      ...parted(usageDaily, facet, { fromMs: weeksToMs, toMs: span.toMs }),
    ];
  };
  const daysFromMs = Math.ceil(fromMs / dayMs) * dayMs;
  const daysToMs = Math.floor(toMs / dayMs) * dayMs;
  const isOfHours = every === 'hour' || (hourly !== undefined && daysFromMs >= daysToMs);
  const pieces = isOfHours
    ? hours({ fromMs, toMs })
    : [
        ...hours({ fromMs, toMs: daysFromMs }),
        ...days({ fromMs: daysFromMs, toMs: daysToMs }),
        ...hours({ fromMs: daysToMs, toMs }),
      ];
  return pieces.filter((piece) => piece.fromMs < piece.toMs);
}

/** Columns of the rows of sums that pieces have in a scope, a SELECT for each piece. */
export function selectPieces(
  scope: Scope,
  pieces: readonly Piece[],
  { columns, narrowed = () => sql`` }: PiecesSelected,
): readonly SQL[] {
  return pieces.map(({ table, facetId, fromMs, toMs }) => {
    const names = { user: table.userId, organisation: table.organisationId, department: table.departmentId };
    return sql`SELECT ${sql.raw(columns)} FROM ${table}
      WHERE facet = ${sql.raw(String(facetId))} AND bucket_at >= ${new Date(fromMs).toISOString()}
        AND bucket_at < ${new Date(toMs).toISOString()} AND ${withinScope(scope, names)} ${narrowed(table)}`;
  });
}

interface PiecesSelected {
  readonly columns: string;
  /** Further conditions, each with its AND. */
  readonly narrowed?: (table: Piece['table']) => SQL;
}

/** What a scope looks at rows by. */
export function columnsOfScope({ whose }: Scope): readonly SumColumn[] {
  if (whose === 'person') return ['user_id'];
  if (whose === 'organisation') return ['organisation_id'];
  return whose === 'department' ? ['organisation_id', 'department_id'] : [];
}

/** Longer than any server stands still. */
const foreverMs = 3650 * dayMs;

/** Of all that came from a day on. */
export async function piecesSince(
  executor: Executor,
  from: Date,
  { facet, every }: Pick<PiecesAsked, 'facet' | 'every'>,
): Promise<readonly Piece[]> {
  const settled = (await readSettled(executor))(facet);
  const fromMs = Math.ceil(from.getTime() / dayMs) * dayMs;
  const toMs = Math.max(fromMs, settled.daysMs, settled.weeksMs) + foreverMs;
  return piecesOf({ fromMs, toMs }, { facet, every, settled });
}
