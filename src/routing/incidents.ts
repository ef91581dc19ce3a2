/** Incidents of providers, told from the token log. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Executor } from '../storage/database.ts';
import { tokenEvents } from '../storage/schema/token-events.ts';
import type { PoolEventKind } from './pool-events.ts';

/** Where a provider had trouble: events that follow each other are one incident. */
export interface Incident {
  readonly provider: string;
  readonly startedAtMs: number;
  /** When the last of it was over; in the future while it goes on. */
  readonly endedAtMs: number;
  readonly isOpen: boolean;
  readonly kinds: readonly PoolEventKind[];
  readonly errorKinds: readonly string[];
  readonly keyNames: readonly string[];
  readonly events: number;
}

interface IncidentRow {
  readonly [column: string]: unknown;
  readonly provider: string;
  readonly started: number;
  readonly ended: number;
  readonly kinds: readonly PoolEventKind[];
  readonly error_kinds: readonly string[];
  readonly key_names: readonly string[];
  readonly events: number;
}

/** What is further apart is another incident. */
const incidentGapMs = 600_000;
/** Incidents are told of the newest events. */
const mostRead = 50_000;
const mostIncidents = 1000;

/** Newest first: for the incidents of an administrator's dashboard. */
export async function listIncidents(
  db: Executor,
  { sinceMs, limit = 50 }: { readonly sinceMs: number; readonly limit?: number },
  clock: Pick<Clock, 'nowMs'>,
): Promise<readonly Incident[]> {
  const { rows } = await db.execute<IncidentRow>(sql`
    WITH recent AS (
      SELECT id, provider, kind, error_kind, key_name, count,
        extract(epoch FROM at) * 1000 AS from_ms,
        extract(epoch FROM at) * 1000 + coalesce(duration_ms, 0) AS until_ms
      FROM ${tokenEvents}
      WHERE at >= ${new Date(sinceMs).toISOString()}::timestamptz AND kind NOT IN ('refresh', 'rotated')
      ORDER BY at DESC, id DESC LIMIT ${mostRead}
    ), marked AS (
      SELECT *, CASE WHEN from_ms - max(until_ms) OVER before > ${incidentGapMs} THEN 1 ELSE 0 END AS begins
      FROM recent
      WINDOW before AS (PARTITION BY provider ORDER BY from_ms, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ), numbered AS (
      SELECT *, sum(begins) OVER (PARTITION BY provider ORDER BY from_ms, id) AS incident FROM marked
    )
    SELECT provider, min(from_ms)::float8 AS started,
      (CASE WHEN (array_agg(kind ORDER BY from_ms DESC, id DESC))[1] = 'recovered'
        THEN max(from_ms) ELSE max(until_ms) END)::float8 AS ended,
      array_agg(DISTINCT kind) AS kinds,
      coalesce(array_agg(DISTINCT error_kind) FILTER (WHERE error_kind IS NOT NULL), '{}') AS error_kinds,
      coalesce(array_agg(DISTINCT key_name) FILTER (WHERE key_name IS NOT NULL), '{}') AS key_names,
      sum(count)::int AS events
    FROM numbered GROUP BY provider, incident
    HAVING bool_or(kind <> 'recovered')
    ORDER BY started DESC, provider LIMIT ${Math.min(mostIncidents, Math.max(1, limit))}`);
  return rows.map((row) => ({
    provider: row.provider,
    startedAtMs: Math.round(row.started),
    endedAtMs: Math.round(row.ended),
    isOpen: row.ended > clock.nowMs(),
    kinds: row.kinds,
    errorKinds: row.error_kinds,
    keyNames: row.key_names,
    events: row.events,
  }));
}
