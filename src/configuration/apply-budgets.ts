/** The budgets of the configuration file, and those that its groups give. */
import { findOrganisationIdBySlug, findPartByName, findUserByEmail } from '../identity/index.ts';
import {
  type BudgetDefault,
  type BudgetSubject,
  removeUndeclaredBudgetDefaults,
  removeUndeclaredBudgets,
  setBudget,
  setBudgetDefault,
} from '../ledger/index.ts';
import type { Work } from '../storage/work.ts';
import type { ConfigurationFile } from './file.ts';
import type { FileContent } from './file-schema.ts';
import { ConfigurationError, type Mistake } from './mistake.ts';

/**
 * What the file declares is set, also where somebody set it otherwise meanwhile; what it declared before and does no more
 * is removed.
 * @param keyIds of the file's keys, by name.
 * @returns whether anything changed.
 * @throws ConfigurationError for budgets of what there is not.
 */
export async function applyBudgets(
  work: Work,
  file: ConfigurationFile,
  keyIds: ReadonlyMap<string, number>,
): Promise<boolean> {
  const mistakes: Mistake[] = [];
  const declared: Parameters<typeof setBudget>[1][] = [];
  for (const [index, row] of file.content.budgets.entries()) {
    const subject = await findSubject(work, row, keyIds);
    if (typeof subject === 'string') {
      mistakes.push(file.mistakeAt(['budgets', index, subject], missing(subject, row)));
      continue;
    }
    declared.push({ subject, period: row.period, limitNanoUsd: row.usd, managedBy: 'file' });
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  let changed = await removeUndeclaredBudgets(work, declared);
  for (const budget of declared) changed = (await setBudget(work, budget)) || changed;
  return changed;
}

/**
 * For whoever joins a group from now on, and keys that are made in it; what was given stays.
 * @returns whether anything changed.
 * @throws ConfigurationError for groups that there are not.
 */
export async function applyBudgetDefaults(work: Work, file: ConfigurationFile): Promise<boolean> {
  const mistakes: Mistake[] = [];
  const declared: BudgetDefault[] = [];
  for (const [index, row] of file.content.budget_defaults.entries()) {
    const { organisation, department, for: receivers, period, usd: limitNanoUsd } = row;
    const organisationId = await findOrganisationIdBySlug(work.executor, organisation);
    if (organisationId === undefined) {
      mistakes.push(file.mistakeAt(['budget_defaults', index, 'organisation'], missing('organisation', row)));
      continue;
    }
    const named = { kind: 'department', organisationId, name: department ?? '' } as const;
    const departmentId = department === undefined ? null : await findPartByName(work.executor, named);
    if (departmentId === undefined) {
      mistakes.push(file.mistakeAt(['budget_defaults', index, 'department'], missing('department', row)));
      continue;
    }
    declared.push({
      group: { organisationId, departmentId },
      receivers,
      period,
      limitNanoUsd,
      managedBy: 'file',
    });
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  let changed = await removeUndeclaredBudgetDefaults(work, declared);
  for (const each of declared) changed = (await setBudgetDefault(work, each)) || changed;
  return changed;
}

type Row = FileContent['budgets'][number];
type Member = 'user' | 'key' | 'organisation' | 'department' | 'project';

/** @returns the member that names what there is not. */
async function findSubject(
  { executor }: Work,
  { user, key, organisation, department, project }: Row,
  keyIds: ReadonlyMap<string, number>,
): Promise<BudgetSubject | Member> {
  const as = (kind: Member, id: number | undefined) => (id === undefined ? kind : { kind, id });
  if (user !== undefined) return as('user', (await findUserByEmail(executor, user))?.id);
  if (key !== undefined) return as('key', keyIds.get(key));
  const organisationId = await findOrganisationIdBySlug(executor, organisation ?? '');
  if (organisationId === undefined) return 'organisation';
  if (department !== undefined) {
    return as(
      'department',
      await findPartByName(executor, { kind: 'department', organisationId, name: department }),
    );
  }
  if (project !== undefined) {
    return as('project', await findPartByName(executor, { kind: 'project', organisationId, name: project }));
  }
  return as('organisation', organisationId);
}

const missing = (member: Member, row: Partial<Record<Member, string | undefined>>): string =>
  member === 'user'
    ? `nobody has an account with the address "${row.user}"`
    : `there is no ${member} "${row[member]}"`;
