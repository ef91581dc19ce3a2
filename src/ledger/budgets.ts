/** Budgets: what a key, a person or a group may cost in a period, as they are set, changed, removed and shown. */
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { writeUsd } from '../base/money.ts';
import { earlierNowMs } from '../storage/agreed-time.ts';
import type { AuditAction, AuditDetails, AuditNote } from '../storage/audit-trail.ts';
import type { Database, Executor } from '../storage/database.ts';
import { budgets, budgetWindows } from '../storage/schema/budgets.ts';
import { funds } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';
import { type BudgetPeriod, budgetPeriods, budgetSpan } from './budget-window.ts';
import { recallOf, recallTopic } from './lease-rows.ts';
import { spentStep } from './spent-steps.ts';

/** Told when a budget was set, changed or removed; the key is its subject, as `key 7`. */
export const budgetTopic = 'budget';

export const budgetSubjectKinds = ['key', 'user', 'department', 'project', 'organisation'] as const;

/** Whose costs are counted. */
export interface BudgetSubject {
  readonly kind: (typeof budgetSubjectKinds)[number];
  readonly id: number;
}

export interface Budget {
  readonly id: number;
  readonly subject: BudgetSubject;
  readonly period: BudgetPeriod;
  readonly limitNanoUsd: bigint;
  readonly managedBy: string | null;
}

/** How its current window stands, in nano-USD. */
export interface BudgetState extends Budget {
  readonly spentNanoUsd: bigint;
  /** With processes, for requests under way and the next ones. */
  readonly heldNanoUsd: bigint;
  /** Below zero where more was spent than was set aside. */
  readonly leftNanoUsd: bigint;
  /** Null for a total, which is raised by hand. */
  readonly resetsAtMs: number | null;
}

const writeSubject = ({ kind, id }: BudgetSubject): string => `${kind} ${id}`;

/** As the topic names it. */
export function readSubject(key: string): BudgetSubject | undefined {
  const [kind, id] = key.split(' ');
  const known = budgetSubjectKinds.find((each) => each === kind);
  return known === undefined || id === undefined ? undefined : { kind: known, id: Number(id) };
}

/**
 * Sets the budget of a subject and period, or changes its limit: what is left of the current window moves by the
 * difference, so that what was spent stays spent.
 * @returns whether anything changed.
 * @throws RangeError for a limit below zero.
 */
export async function setBudget(work: Work, asked: Omit<Budget, 'id'>): Promise<boolean> {
  const { executor } = work;
  const { subject, period, limitNanoUsd, managedBy } = asked;
  if (limitNanoUsd < 0n) throw new RangeError('a budget cannot be less than nothing');
  const [made] = await executor
    .insert(budgets)
    .values({ subjectKind: subject.kind, subjectId: subject.id, period, limitNanoUsd, managedBy })
    .onConflictDoNothing()
    .returning({ id: budgets.id });
  if (made === undefined) {
    const [known] = await executor
      .select()
      .from(budgets)
      .where(and(isOf(subject), eq(budgets.period, period)))
      .for('update');
    if (known === undefined) return await setBudget(work, asked);
    if (known.limitNanoUsd === limitNanoUsd && known.managedBy === managedBy) return false;
    await executor.update(budgets).set({ limitNanoUsd, managedBy }).where(eq(budgets.id, known.id));
    await moveWindow(work, { id: known.id, period, limitNanoUsd });
  }
  work.announce(budgetTopic, writeSubject(subject));
  work.note(aboutBudget(subject, 'budget.set', { period, usd: writeUsd(limitNanoUsd) }));
  return true;
}

function aboutBudget(subject: BudgetSubject, action: AuditAction, details: AuditDetails): AuditNote {
  const owner = { kind: subject.kind === 'user' ? 'person' : subject.kind, id: subject.id } as const;
  return { action, subject, owner, details };
}

/**
 * Whoever makes a window meanwhile waits for the budget's row, which is locked. Steps that are no longer reached under
 * the new limit are told again.
 */
async function moveWindow(
  work: Work,
  { id, period, limitNanoUsd }: Pick<Budget, 'id' | 'period' | 'limitNanoUsd'>,
): Promise<void> {
  // A window too many does not matter, since what is over is not spent from; one too few would keep its old limit.
  const { startsAtMs } = budgetSpan(period, await earlierNowMs(work));
  const limit = sql`${String(limitNanoUsd)}::bigint`;
  const { rows } = await work.executor.execute<{ fund: string; is_less: boolean }>(sql`
    WITH open AS (
      SELECT fund_id, starts_at, limit_nano_usd FROM ${budgetWindows}
      WHERE budget_id = ${id} AND starts_at >= ${new Date(startsAtMs).toISOString()}::timestamptz
    ),
    told AS (
      UPDATE ${budgetWindows} AS budget_window SET limit_nano_usd = ${limit},
        told_percent = least(budget_window.told_percent, ${spentStep(sql`budget_window.settled_nano_usd`, limit)})
      FROM open WHERE budget_window.fund_id = open.fund_id
    )
    UPDATE ${funds} AS fund
    SET balance_nano_usd = fund.balance_nano_usd + ${limit} - open.limit_nano_usd
    FROM open WHERE fund.id = open.fund_id
    RETURNING fund.id::text AS fund, ${limit} < open.limit_nano_usd AS is_less`);
  // What processes have leased of more than there is now comes back, as far as nothing is held against it.
  for (const { fund, is_less } of rows) if (is_less) work.announce(recallTopic, recallOf(Number(fund)));
}

/**
 * What requests under way hold of it is let go as they end.
 * @returns false when there was none.
 */
export async function removeBudget(
  work: Work,
  { subject, period }: Pick<Budget, 'subject' | 'period'>,
): Promise<boolean> {
  const removed = await work.executor
    .delete(budgets)
    .where(and(isOf(subject), eq(budgets.period, period)))
    .returning({ id: budgets.id });
  if (removed.length === 0) return false;
  work.note(aboutBudget(subject, 'budget.removed', { period }));
  work.announce(budgetTopic, writeSubject(subject));
  return true;
}

/** Those that the configuration file declared at an earlier start and does not now. @returns whether there were any. */
export async function removeUndeclaredBudgets(
  work: Work,
  declared: readonly Pick<Budget, 'subject' | 'period'>[],
): Promise<boolean> {
  const named = new Set(declared.map(({ subject, period }) => `${writeSubject(subject)} ${period}`));
  const rows = await work.executor.select().from(budgets).where(eq(budgets.managedBy, 'file'));
  const gone = rows.flatMap((row) => readBudget(row) ?? []);
  let isRemoved = false;
  for (const { subject, period } of gone) {
    if (named.has(`${writeSubject(subject)} ${period}`)) continue;
    isRemoved = (await removeBudget(work, { subject, period })) || isRemoved;
  }
  return isRemoved;
}

/** @param subjects whose; null for all there are. In the order of their making. */
export async function listBudgets(
  executor: Executor,
  nowMs: number,
  subjects: readonly BudgetSubject[] | null = null,
): Promise<readonly BudgetState[]> {
  if (subjects?.length === 0) return [];
  const rows = await executor
    .select({
      ...{ budget: budgets, limit: budgetWindows.limitNanoUsd },
      ...{ balance: funds.balanceNanoUsd, leased: funds.leasedNanoUsd },
    })
    .from(budgets)
    .leftJoin(
      budgetWindows,
      and(eq(budgetWindows.budgetId, budgets.id), eq(budgetWindows.startsAt, currentStart(nowMs))),
    )
    .leftJoin(funds, eq(funds.id, budgetWindows.fundId))
    .where(subjects === null ? undefined : or(...subjects.map(isOf)))
    .orderBy(budgets.id);
  return rows.flatMap(({ budget: row, limit, balance, leased }) => {
    const budget = readBudget(row);
    if (budget === undefined) return [];
    const state = {
      spentNanoUsd: (limit ?? 0n) - (balance ?? 0n),
      heldNanoUsd: leased ?? 0n,
      leftNanoUsd: balance === null ? budget.limitNanoUsd : balance - (leased ?? 0n),
      resetsAtMs: budgetSpan(budget.period, nowMs).endsAtMs,
    };
    return [{ ...budget, ...state }];
  });
}

/** Without how they stand. */
export async function readBudgets(
  executor: Executor,
  subjects: readonly BudgetSubject[],
): Promise<readonly Budget[]> {
  const rows = await executor
    .select()
    .from(budgets)
    .where(or(...subjects.map(isOf)))
    .orderBy(budgets.id);
  return rows.flatMap((row) => readBudget(row) ?? []);
}

/** @returns the fund of each budget's window; one that is missing is made, and none for a budget that is gone. */
export async function openWindows(
  db: Database,
  wanted: readonly { readonly budgetId: number; readonly startsAtMs: number }[],
): Promise<ReadonlyMap<number, number>> {
  const list = JSON.stringify(
    wanted.map(({ budgetId, startsAtMs }) => [budgetId, new Date(startsAtMs).toISOString()]),
  );
  const asked = sql`SELECT (ask->>0)::bigint AS budget_id, (ask->>1)::timestamptz AS starts_at
    FROM json_array_elements(${list}::text::json) AS list (ask)`;
  const found = await findWindows(db, asked);
  const missing = wanted.map(({ budgetId }) => budgetId).filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  return await db.transaction(async (transaction) => {
    // Of two that make it at once, the second waits here and finds the first one's.
    await transaction
      .select({ id: budgets.id })
      .from(budgets)
      .where(inArray(budgets.id, missing))
      .orderBy(budgets.id)
      .for('update');
    await transaction.execute(sql`
      WITH asked AS (${asked}),
      missing AS MATERIALIZED (
        SELECT budget.id AS budget_id, asked.starts_at, budget.limit_nano_usd,
          nextval(pg_get_serial_sequence('funds', 'id')) AS fund_id
        FROM asked JOIN ${budgets} AS budget ON budget.id = asked.budget_id
        WHERE NOT EXISTS (
          SELECT FROM ${budgetWindows} AS known
          WHERE known.budget_id = asked.budget_id AND known.starts_at = asked.starts_at
        )
      ),
      fund AS (
        INSERT INTO ${funds} (id, balance_nano_usd) OVERRIDING SYSTEM VALUE
        SELECT fund_id, limit_nano_usd FROM missing
      )
      INSERT INTO ${budgetWindows} (budget_id, starts_at, fund_id, limit_nano_usd)
      SELECT budget_id, starts_at, fund_id, limit_nano_usd FROM missing`);
    return await findWindows(transaction, asked);
  });
}

async function findWindows(executor: Executor, asked: SQL): Promise<ReadonlyMap<number, number>> {
  const { rows } = await executor.execute<{ budget: string; fund: string }>(sql`
    WITH asked AS (${asked})
    SELECT known.budget_id::text AS budget, known.fund_id::text AS fund
    FROM asked JOIN ${budgetWindows} AS known
      ON known.budget_id = asked.budget_id AND known.starts_at = asked.starts_at`);
  return new Map(rows.map(({ budget, fund }) => [Number(budget), Number(fund)]));
}

const isOf = ({ kind, id }: BudgetSubject): SQL | undefined =>
  and(eq(budgets.subjectKind, kind), eq(budgets.subjectId, id));

function currentStart(nowMs: number): SQL {
  const cases = budgetPeriods.map(
    (period) =>
      sql`WHEN ${period} THEN ${new Date(budgetSpan(period, nowMs).startsAtMs).toISOString()}::timestamptz`,
  );
  return sql`CASE ${budgets.period} ${sql.join(cases, sql` `)} END`;
}

const knownPeriod = z.enum(budgetPeriods);
const knownKind = z.enum(budgetSubjectKinds);

/** Undefined for one that a newer version of this program made. */
function readBudget(row: typeof budgets.$inferSelect): Budget | undefined {
  const period = knownPeriod.safeParse(row.period).data;
  const kind = knownKind.safeParse(row.subjectKind).data;
  if (period === undefined || kind === undefined) return undefined;
  const { id, limitNanoUsd, managedBy } = row;
  return { id, subject: { kind, id: row.subjectId }, period, limitNanoUsd, managedBy };
}
