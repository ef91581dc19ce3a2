/** What `sluice budgets defaults …` does, on the database: the budgets that groups give to members and keys. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { writeUsd } from '../../base/money.ts';
import { everybody } from '../../base/scope.ts';
import { findOrganisationIdBySlug, listDepartments } from '../../identity/index.ts';
import {
  type BudgetGroup,
  budgetPeriods,
  budgetReceivers,
  listBudgetDefaults,
  removeBudgetDefault,
  setBudgetDefault,
} from '../../ledger/index.ts';
import type { Database } from '../../storage/database.ts';
import { transact, type WorkParts } from '../../storage/work.ts';
import { highestLimitNanoUsd } from './budget-command.ts';
import { type AdminCommand, command, readAmount } from './command.ts';

const group = { organisation: z.string().optional(), department: z.int().positive().optional() };
const which = {
  ...group,
  for: z.enum(budgetReceivers, `must be one of ${budgetReceivers.join(', ')}`),
  period: z.enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`),
};

const settingInput = z.strictObject({ ...which, usd: z.string() });
const listInput = z.strictObject(group);
const removalInput = z.strictObject(which);

export const budgetDefaultCommands = {
  'budgets defaults set': command(settingInput, setDefault),
  'budgets defaults list': command(listInput, listDefaults),
  'budgets defaults remove': command(removalInput, removeDefault),
} as const satisfies Record<string, AdminCommand>;

async function setDefault(
  parts: WorkParts,
  { for: receivers, period, usd, ...whose }: z.output<typeof settingInput>,
): Promise<{ readonly changed: boolean }> {
  const limitNanoUsd = readAmount(usd, 0n, highestLimitNanoUsd);
  const its = await requireGroup(parts.storage.db, whose);
  const changed = await transact(parts, (work) =>
    setBudgetDefault(work, { group: its, receivers, period, limitNanoUsd, managedBy: null }),
  );
  return { changed };
}

async function removeDefault(
  parts: WorkParts,
  { for: receivers, period, ...whose }: z.output<typeof removalInput>,
): Promise<{ readonly removed: boolean }> {
  const its = await requireGroup(parts.storage.db, whose);
  const removed = await transact(parts, (work) =>
    removeBudgetDefault(work, { group: its, receivers, period }),
  );
  return { removed };
}

/** Of one group, or of all. */
async function listDefaults({ storage: { db } }: WorkParts, whose: z.output<typeof listInput>) {
  const isAll = whose.organisation === undefined && whose.department === undefined;
  const defaults = await listBudgetDefaults(db, isAll ? null : await requireGroup(db, whose));
  return defaults.map(({ group: { organisationId, departmentId }, receivers, period, ...rest }) => ({
    group: departmentId === null ? `organisation ${organisationId}` : `department ${departmentId}`,
    ...{ for: receivers, period, limitUsd: writeUsd(rest.limitNanoUsd), managedBy: rest.managedBy },
  }));
}

async function requireGroup(
  db: Database,
  { organisation, department }: z.output<typeof listInput>,
): Promise<BudgetGroup> {
  if ((organisation === undefined) === (department === undefined)) {
    const message = 'Say whose defaults they are: one of --organisation and --department.';
    throw new AppError({ code: 'invalid_parameter', public: message });
  }
  if (organisation !== undefined) {
    const organisationId = await findOrganisationIdBySlug(db, organisation);
    if (organisationId !== undefined) return { organisationId, departmentId: null };
    throw new AppError({ code: 'not_found', public: `There is no organisation ${organisation}.` });
  }
  const found = (await listDepartments(everybody, db)).find(({ id }) => id === department);
  if (found !== undefined) return { organisationId: found.organisationId, departmentId: found.id };
  throw new AppError({ code: 'not_found', public: `There is no department ${department}.` });
}
