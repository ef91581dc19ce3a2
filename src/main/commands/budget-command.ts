/** What `sluice budgets …` does, on the database: whose budgets are meant, and how they stand. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { nanoUsdPerUsd, writeUsd } from '../../base/money.ts';
import { everybody } from '../../base/scope.ts';
import {
  findKey,
  findOrganisationIdBySlug,
  findProject,
  findUserByEmail,
  holdKey,
  listDepartments,
  overtakeFormsOf,
} from '../../identity/index.ts';
import {
  type BudgetSubject,
  budgetPeriods,
  listBudgets,
  removeBudget,
  setBudget,
} from '../../ledger/index.ts';
import { withDatabaseTime } from '../../storage/agreed-time.ts';
import type { Database } from '../../storage/database.ts';
import { transact, type WorkParts } from '../../storage/work.ts';
import { type AdminCommand, command, readAmount } from './command.ts';

const subject = {
  key: z.int().positive().optional(),
  user: z.string().optional(),
  department: z.int().positive().optional(),
  project: z.int().positive().optional(),
  organisation: z.string().optional(),
};
const period = z.enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`);

const budgetSetInput = z.strictObject({ ...subject, period, usd: z.string() });
const budgetListInput = z.strictObject(subject);
const budgetRemovalInput = z.strictObject({ ...subject, period });

export const budgetCommands = {
  'budgets set': command(budgetSetInput, setBudgetOf),
  'budgets list': command(budgetListInput, listBudgetsOf),
  'budgets remove': command(budgetRemovalInput, removeBudgetOf),
} as const satisfies Record<string, AdminCommand>;

type SubjectInput = z.output<typeof budgetListInput>;

async function setBudgetOf(
  parts: WorkParts,
  { period: asked, usd, ...whose }: z.output<typeof budgetSetInput>,
): Promise<{ readonly changed: boolean }> {
  const limitNanoUsd = readAmount(usd, 0n, highestLimitNanoUsd);
  const its = await requireSubject(parts.storage.db, whose);
  const changed = await transact(parts, async (work) => {
    if (its.kind === 'key') await holdKey(work, its.id);
    const isChanged = await setBudget(work, { subject: its, period: asked, limitNanoUsd, managedBy: null });
    if (isChanged && its.kind === 'key') await overtakeFormsOf(work, its.id);
    return isChanged;
  });
  return { changed };
}

async function removeBudgetOf(
  parts: WorkParts,
  { period: asked, ...whose }: z.output<typeof budgetRemovalInput>,
): Promise<{ readonly removed: boolean }> {
  const its = await requireSubject(parts.storage.db, whose);
  const removed = await transact(parts, async (work) => {
    if (its.kind === 'key') await holdKey(work, its.id);
    const isRemoved = await removeBudget(work, { subject: its, period: asked });
    if (isRemoved && its.kind === 'key') await overtakeFormsOf(work, its.id);
    return isRemoved;
  });
  return { removed };
}

/** Of whom is asked for, or all. */
async function listBudgetsOf(parts: WorkParts, whose: SubjectInput) {
  const { db } = parts.storage;
  const isAll = Object.values(whose).every((each) => each === undefined);
  const subjects = isAll ? null : [await requireSubject(db, whose)];
  const { clock } = await withDatabaseTime(parts);
  const budgets = await listBudgets(db, clock.nowMs(), subjects);
  return budgets.map((budget) => ({
    subject: `${budget.subject.kind} ${budget.subject.id}`,
    period: budget.period,
    limitUsd: writeUsd(budget.limitNanoUsd),
    spentUsd: writeUsd(budget.spentNanoUsd),
    heldUsd: writeUsd(budget.heldNanoUsd),
    leftUsd: writeUsd(budget.leftNanoUsd),
    resetsAt: budget.resetsAtMs === null ? null : new Date(budget.resetsAtMs).toISOString(),
    managedBy: budget.managedBy,
  }));
}

async function requireSubject(db: Database, whose: SubjectInput): Promise<BudgetSubject> {
  const given = Object.entries(whose).filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const message =
      'Say whose budget it is: one of --key, --user, --department, --project and --organisation.';
    throw new AppError({ code: 'invalid_parameter', public: message });
  }
  const found = await findSubject(db, whose);
  if (found !== undefined) return found;
  const [[kind, name] = []] = given;
  throw new AppError({ code: 'not_found', public: `There is no ${kind} ${name}.` });
}

async function findSubject(db: Database, whose: SubjectInput): Promise<BudgetSubject | undefined> {
  const { key, user, department, project, organisation } = whose;
  if (key !== undefined) {
    return (await findKey(everybody, db, key)) === undefined ? undefined : { kind: 'key', id: key };
  }
  if (user !== undefined) return subjectOf('user', (await findUserByEmail(db, user))?.id);
  if (organisation !== undefined) {
    return subjectOf('organisation', await findOrganisationIdBySlug(db, organisation));
  }
  if (project !== undefined) return subjectOf('project', (await findProject(everybody, db, project))?.id);
  const departments = await listDepartments(everybody, db);
  return subjectOf('department', departments.find(({ id }) => id === department)?.id);
}

const subjectOf = (kind: BudgetSubject['kind'], id: number | undefined): BudgetSubject | undefined =>
  id === undefined ? undefined : { kind, id };

/** Above what one payment may be: organisations have budgets. */
export const highestLimitNanoUsd = 1_000_000_000n * nanoUsdPerUsd;
