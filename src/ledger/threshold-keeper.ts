/** Tells who answers for a budget how much of it is spent, at 50, 80 and 100 percent, each once a period and limit. */
import { type SQL, sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { writeUsd } from '../base/money.ts';
import { type AgreeingParts, withDatabaseTime } from '../storage/agreed-time.ts';
import { type EventAudience, raiseEvent } from '../storage/events.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { budgets, budgetWindows } from '../storage/schema/budgets.ts';
import { departments, organisations, projects, users } from '../storage/schema/identity.ts';
import { transact, type Work } from '../storage/work.ts';
import { budgetPeriods, budgetSpan } from './budget-window.ts';
import { spentStep } from './spent-steps.ts';

const pauseMs = 30_000;
/** In one transaction, so that none is long. */
const atOnce = 200;
/** What was spent in the last moments of a window, or while nobody looked, is told so long after its end. */
const lateMs = 86_400_000;

export function thresholdKeeper({ log, ...parts }: AgreeingParts & { readonly log: Log }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs,
    failure: 'thresholds of budgets could not be told; it is tried again in half a minute',
    async round(closing) {
      const agreed = await withDatabaseTime(parts);
      for (let count = atOnce; count === atOnce && !closing.aborted; ) {
        count = await transact(agreed, tellThresholds);
      }
    },
  });
}

interface Found {
  readonly [column: string]: unknown;
  readonly budget_id: string;
  readonly starts_at: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly period: string;
  readonly settled: string;
  readonly limit: string;
  readonly step: number;
}

/** Of the windows that are open now, or were within the last day. @returns how many were told of. */
export async function tellThresholds(work: Work): Promise<number> {
  const nowMs = work.clock.nowMs();
  const step = spentStep(sql`known.settled_nano_usd`, sql`known.limit_nano_usd`);
  const { rows } = await work.executor.execute<Found>(sql`
    SELECT known.budget_id::text AS budget_id, known.starts_at::text AS starts_at, budget.subject_kind AS kind,
      budget.subject_id::text AS subject_id, budget.period, known.settled_nano_usd::text AS settled,
      known.limit_nano_usd::text AS limit, ${step} AS step
    FROM ${budgetWindows} AS known JOIN ${budgets} AS budget ON budget.id = known.budget_id
    WHERE known.settled_nano_usd > 0 AND known.starts_at IN (${startOf(nowMs)}, ${startOf(nowMs - lateMs)})
      AND known.told_percent < ${step}
    ORDER BY known.fund_id LIMIT ${atOnce} FOR UPDATE OF known SKIP LOCKED`);
  for (const found of rows) await tellThreshold(work, found);
  return rows.length;
}

async function tellThreshold(work: Work, found: Found): Promise<void> {
  const { kind, step, period } = found;
  const id = Number(found.subject_id);
  await work.executor.execute(sql`
    UPDATE ${budgetWindows} SET told_percent = ${step}
    WHERE budget_id = ${Number(found.budget_id)} AND starts_at = ${found.starts_at}::timestamptz`);
  const subject = await findSubject(work, kind, id);
  if (subject === undefined) return;
  await raiseEvent(work, {
    kind: 'budget.threshold',
    facts: {
      percent: step,
      spent_usd: writeUsd(BigInt(found.settled)),
      limit_usd: writeUsd(BigInt(found.limit)),
      period,
      period_started_at: new Date(found.starts_at).toISOString(),
      subject: { kind, id, name: subject.name },
    },
    audience: subject.audience,
  });
}

interface Subject {
  readonly name: string;
  readonly audience: EventAudience;
}

/** A budget is never the platform's. */
type SubjectOwner = Exclude<EventAudience['of'], 'platform'>;

/** What people call it, and who answers for it; undefined for one that is gone. */
async function findSubject({ executor }: Work, kind: string, id: number): Promise<Subject | undefined> {
  const query = subjectQueries[kind]?.(id);
  if (query === undefined) return undefined;
  const { rows } = await executor.execute<{ name: string; of: SubjectOwner; id: string }>(query);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { name: row.name, audience: { of: row.of, id: Number(row.id) } };
}

const subjectQueries: Readonly<Record<string, (id: number) => SQL>> = {
  key: (id) => sql`SELECT name, 'account' AS of, owner_id::text AS id FROM ${apiKeys} WHERE id = ${id}`,
  user: (id) => sql`SELECT email AS name, 'account' AS of, id::text AS id FROM ${users} WHERE id = ${id}`,
  department: (id) =>
    sql`SELECT name, 'department' AS of, id::text AS id FROM ${departments} WHERE id = ${id}`,
  project: (id) =>
    sql`SELECT name, 'organisation' AS of, organisation_id::text AS id FROM ${projects} WHERE id = ${id}`,
  organisation: (id) =>
    sql`SELECT name, 'organisation' AS of, id::text AS id FROM ${organisations} WHERE id = ${id}`,
};

/** Of the window of a budget that a moment is in. No period is shorter than a day, so none is left out between two. */
function startOf(atMs: number): SQL {
  const cases = budgetPeriods.map((period) => {
    const startsAt = new Date(budgetSpan(period, atMs).startsAtMs).toISOString();
    return sql`WHEN ${period} THEN ${startsAt}::timestamptz`;
  });
  return sql`CASE budget.period ${sql.join(cases, sql` `)} END`;
}
