/** Which groups cost most, where there are so many that adding all of them up takes long. README.md says how. */
import { type SQL, sql } from 'drizzle-orm';
import { usageWeekly } from '../storage/schema/usage.ts';
import { daysOf, type Facet, rankedFacets } from './facets.ts';
import { dayMs, type Piece, type Span } from './pieces.ts';
import { mondayBefore, type SettledUntil } from './settling.ts';

/** A WITH whose `dearest` has the groups that cost most, of rows that have `grouped`, `cost_nano_usd` and `requests`. */
export const plainDearest = (rows: SQL, limit: number): SQL => sql`WITH dearest AS MATERIALIZED (
  SELECT grouped FROM ${rows} GROUP BY grouped
  ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, grouped LIMIT ${limit})`;

const rankedOnes: readonly Facet[] = Object.values(rankedFacets);

interface Ranked {
  readonly facet: Facet;
  readonly weeks: Span;
  /** What is in none of these weeks. */
  readonly beside: readonly Piece[];
}

/** Takes out of the pieces of a facet the weeks that are ranked; undefined where none is. */
export function splitRanked(
  pieces: readonly Piece[],
  { id }: Facet,
  settledOf: (facet: Facet) => SettledUntil,
): Ranked | undefined {
  const facet = rankedOnes.find((each) => daysOf(each).id === id);
  const whole = pieces.find(({ table }) => table === usageWeekly);
  if (facet === undefined || whole === undefined) return undefined;
  const toMs = Math.min(whole.toMs, mondayBefore(settledOf(facet).weeksMs));
  if (toMs <= whole.fromMs) return undefined;
  const rest = toMs < whole.toMs ? [{ ...whole, fromMs: toMs }] : [];
  return {
    facet,
    weeks: { fromMs: whole.fromMs, toMs },
    beside: [...pieces.filter((piece) => piece !== whole), ...rest],
  };
}

interface RankedAsked {
  readonly facet: Facet;
  /** Whole ones. */
  readonly weeks: Span;
  /** What lies beside them: rows of `grouped`, `cost_nano_usd` and `requests`, in brackets and with a name. */
  readonly beside: SQL;
  /** So many groups are wanted. */
  readonly limit: number;
}

/** Of each week so many more than are wanted are looked at: who is dear altogether is seldom that far behind in all of them. */
const depthFor = (limit: number): number => 4 * limit;

/**
 * A WITH whose `dearest` has the groups that cost most, found without a look at most of the others: of each week the first
 * by cost are candidates, which are added up whole. Who is none cost in each week no more than the last of its candidates.
 * Where that could be as much together as the last that is wanted nothing is sure, and `dearest` has no row.
 */
export function rankedDearest({ facet, weeks, beside, limit }: RankedAsked): SQL {
  const depth = depthFor(limit);
  const count = Math.round((weeks.toMs - weeks.fromMs) / (7 * dayMs));
  const mondays = Array.from({ length: count }, (_, place) => {
    return sql`(${new Date(weeks.fromMs + place * 7 * dayMs).toISOString()}::timestamptz)`;
  });
  // By number, as the index says it that has them in order.
  const ofFacet = sql.raw(`facet = ${facet.id}`);
  return sql`WITH dear AS MATERIALIZED (
    SELECT week.at, kept.* FROM (VALUES ${sql.join(mondays, sql`, `)}) AS week (at) CROSS JOIN LATERAL (
      SELECT label AS grouped, cost_nano_usd AS cost FROM ${usageWeekly}
      WHERE ${ofFacet} AND bucket_at = week.at ORDER BY cost_nano_usd DESC LIMIT ${depth}) AS kept
  ), beside AS MATERIALIZED (
    SELECT grouped, sum(cost_nano_usd) AS cost, sum(requests) AS requests FROM ${beside} GROUP BY grouped
  ), dear_beside AS MATERIALIZED (
    SELECT grouped, cost FROM beside ORDER BY cost DESC LIMIT ${depth}
  ), most_of_others AS (
    SELECT sum(greatest(cost, 0)) AS cost FROM (
      SELECT min(cost) AS cost FROM dear GROUP BY at HAVING count(*) = ${depth}
      UNION ALL SELECT min(cost) FROM dear_beside HAVING count(*) = ${depth}) AS least
  ), candidates AS MATERIALIZED (
    SELECT grouped FROM dear UNION SELECT grouped FROM dear_beside
  ), ranked AS MATERIALIZED (
    SELECT grouped, sum(cost) AS cost FROM (
      SELECT label AS grouped, cost_nano_usd AS cost, requests FROM ${usageWeekly}
      WHERE ${ofFacet} AND bucket_at >= ${new Date(weeks.fromMs).toISOString()}
        AND bucket_at < ${new Date(weeks.toMs).toISOString()} AND label IN (SELECT grouped FROM candidates)
      UNION ALL SELECT grouped, cost, requests FROM beside WHERE grouped IN (SELECT grouped FROM candidates)) AS told
    GROUP BY grouped ORDER BY sum(cost) DESC, sum(requests) DESC, grouped LIMIT ${limit}
  ), dearest AS MATERIALIZED (
    SELECT grouped FROM ranked, most_of_others
    WHERE most_of_others.cost IS NULL OR most_of_others.cost < (SELECT min(cost) FROM ranked))`;
}
