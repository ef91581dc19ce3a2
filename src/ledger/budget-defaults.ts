/** The budgets that a group gives to whoever joins it, and to keys that are made in it. */
import { and, asc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { writeUsd } from '../base/money.ts';
import type { AuditAction, AuditDetails } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { budgetDefaults } from '../storage/schema/budgets.ts';
import type { Work } from '../storage/work.ts';
import { type BudgetPeriod, budgetPeriods } from './budget-window.ts';
import { type BudgetSubject, readBudgets, removeBudget, setBudget } from './budgets.ts';

/** Who is given them. */
export const budgetReceivers = ['members', 'keys'] as const;

/** An organisation, or a department of it. */
export interface BudgetGroup {
  readonly organisationId: number;
  readonly departmentId: number | null;
}

/** There is one of each group, receivers and period. */
export interface BudgetDefault {
  readonly group: BudgetGroup;
  readonly receivers: (typeof budgetReceivers)[number];
  readonly period: BudgetPeriod;
  readonly limitNanoUsd: bigint;
  readonly managedBy: string | null;
}

type Named = Pick<BudgetDefault, 'group' | 'receivers' | 'period'>;

/**
 * For whoever comes from now on: who is there already keeps the budgets that they have.
 * @returns whether anything changed.
 * @throws RangeError for a limit below zero.
 */
export async function setBudgetDefault(work: Work, asked: BudgetDefault): Promise<boolean> {
  const { group, receivers, period, limitNanoUsd, managedBy } = asked;
  if (limitNanoUsd < 0n) throw new RangeError('a budget cannot be less than nothing');
  const [row] = await work.executor
    .insert(budgetDefaults)
    .values({ ...group, receivers, period, limitNanoUsd, managedBy })
    .onConflictDoUpdate({
      target: [
        budgetDefaults.organisationId,
        budgetDefaults.departmentId,
        budgetDefaults.receivers,
        budgetDefaults.period,
      ],
      set: { limitNanoUsd, managedBy },
      setWhere: sql`${budgetDefaults.limitNanoUsd} <> excluded.limit_nano_usd
        OR ${budgetDefaults.managedBy} IS DISTINCT FROM excluded.managed_by`,
    })
    .returning({ id: budgetDefaults.id });
  if (row === undefined) return false;
  note(work, group, 'budget.default_set', { receivers, period, usd: writeUsd(limitNanoUsd) });
  return true;
}

/** Budgets that were given stay. @returns false when there was none. */
export async function removeBudgetDefault(work: Work, { group, receivers, period }: Named): Promise<boolean> {
  const removed = await work.executor
    .delete(budgetDefaults)
    .where(and(isOf(group), eq(budgetDefaults.receivers, receivers), eq(budgetDefaults.period, period)))
    .returning({ id: budgetDefaults.id });
  if (removed.length === 0) return false;
  note(work, group, 'budget.default_removed', { receivers, period });
  return true;
}

/** Those that the configuration file declared at an earlier start and does not now. @returns whether there were any. */
export async function removeUndeclaredBudgetDefaults(
  work: Work,
  declared: readonly Named[],
): Promise<boolean> {
  const named = new Set(declared.map(nameOf));
  const gone = (await listBudgetDefaults(work.executor)).filter(
    (each) => each.managedBy === 'file' && !named.has(nameOf(each)),
  );
  for (const each of gone) await removeBudgetDefault(work, each);
  return gone.length > 0;
}

const nameOf = ({ group, receivers, period }: Named): string =>
  [group.organisationId, group.departmentId, receivers, period].join(' ');

/** @param group whose own; null for all there are. In the order of their making. */
export async function listBudgetDefaults(
  executor: Executor,
  group: BudgetGroup | null = null,
): Promise<readonly BudgetDefault[]> {
  return await select(executor, group === null ? undefined : isOf(group));
}

/**
 * To somebody who joined a group, or a key that was made in one, in the work that does so: of each period the department's,
 * where it has one, else the organisation's. A budget that is there already stays as it is.
 */
export async function giveDefaultBudgets(
  work: Work,
  subject: BudgetSubject & { readonly kind: 'user' | 'key' },
  {
    organisationId,
    departmentId,
  }: { readonly organisationId: number | null; readonly departmentId: number | null },
): Promise<void> {
  if (organisationId === null) return;
  const receivers = subject.kind === 'user' ? 'members' : 'keys';
  const ofGroups = or(
    isOf({ organisationId, departmentId: null }),
    departmentId === null ? undefined : isOf({ organisationId, departmentId }),
  );
  const found = await select(work.executor, and(ofGroups, eq(budgetDefaults.receivers, receivers)));
  if (found.length === 0) return;
  const nearest = new Map<BudgetPeriod, BudgetDefault>();
  for (const each of found) {
    if (each.group.departmentId !== null || !nearest.has(each.period)) nearest.set(each.period, each);
  }
  for (const { period } of await readBudgets(work.executor, [subject])) nearest.delete(period);
  for (const { period, limitNanoUsd } of nearest.values()) {
    await setBudget(work, { subject, period, limitNanoUsd, managedBy: null });
  }
}

/** What a group gave to a member, or somebody set by hand: it is not for who has the account from now on. */
export async function removeGivenBudgets(
  work: Work,
  subject: BudgetSubject & { readonly kind: 'user' },
): Promise<void> {
  for (const { period, managedBy } of await readBudgets(work.executor, [subject])) {
    if (managedBy === null) await removeBudget(work, { subject, period });
  }
}

async function select(executor: Executor, condition: SQL | undefined): Promise<BudgetDefault[]> {
  const rows = await executor.select().from(budgetDefaults).where(condition).orderBy(asc(budgetDefaults.id));
  return rows.flatMap((row) => {
    const receivers = knownReceivers.safeParse(row.receivers).data;
    const period = knownPeriod.safeParse(row.period).data;
    // One that a newer version of this program made.
    if (receivers === undefined || period === undefined) return [];
    const { organisationId, departmentId, limitNanoUsd, managedBy } = row;
    return [{ group: { organisationId, departmentId }, receivers, period, limitNanoUsd, managedBy }];
  });
}

const knownReceivers = z.enum(budgetReceivers);
const knownPeriod = z.enum(budgetPeriods);

const isOf = ({ organisationId, departmentId }: BudgetGroup): SQL | undefined =>
  and(
    eq(budgetDefaults.organisationId, organisationId),
    departmentId === null
      ? isNull(budgetDefaults.departmentId)
      : eq(budgetDefaults.departmentId, departmentId),
  );

function note(work: Work, group: BudgetGroup, action: AuditAction, details: AuditDetails): void {
  const { organisationId, departmentId } = group;
  const owner =
    departmentId === null
      ? ({ kind: 'organisation', id: organisationId } as const)
      : ({ kind: 'department', id: departmentId } as const);
  work.note({ action, subject: owner, owner, details });
}
