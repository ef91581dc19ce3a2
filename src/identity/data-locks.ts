/** What organisations and departments demand of the providers that are sent what their people ask. */
import { and, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  type DeclaredLock,
  dataLockForm,
  type LevelLock,
  noLocks,
  readDataLock,
} from '../base/data-policy.ts';
import { checkFields } from '../base/field-check.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { departments, organisations, users } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';
import { organisationTopic } from './user.ts';

type Demand = readonly [LevelLock['level'], stored: unknown];

/** Those that demand something, from the widest on. All of them hold. */
function levelLocks(...demands: readonly Demand[]): readonly LevelLock[] {
  const locks: LevelLock[] = [];
  for (const [level, stored] of demands) {
    const lock = readDataLock(stored);
    if (lock !== null) locks.push({ level, lock });
  }
  return locks.length === 0 ? noLocks : locks;
}

const ownersOrganisations = alias(organisations, 'owners_organisations');
const ownersDepartments = alias(departments, 'owners_departments');

/**
 * Of a key: those of its own organisation and department and those of its owner's, where they are others, since it is
 * the owner who asks; and its own.
 */
export async function readKeyLocks(executor: Executor, keyId: number): Promise<readonly LevelLock[]> {
  const [row] = await executor
    .select({
      ...{ organisation: organisations.dataPolicy, department: departments.dataPolicy },
      ...{ ownersOrganisation: ownersOrganisations.dataPolicy },
      ...{ ownersDepartment: ownersDepartments.dataPolicy, key: apiKeys.dataPolicy },
      hasOrganisation: sql<boolean>`${apiKeys.organisationId} IS NOT DISTINCT FROM ${users.organisationId}`,
      hasDepartment: sql<boolean>`${apiKeys.departmentId} IS NOT DISTINCT FROM ${users.departmentId}`,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .leftJoin(organisations, eq(organisations.id, apiKeys.organisationId))
    .leftJoin(departments, eq(departments.id, apiKeys.departmentId))
    .leftJoin(ownersOrganisations, eq(ownersOrganisations.id, users.organisationId))
    .leftJoin(ownersDepartments, eq(ownersDepartments.id, users.departmentId))
    .where(eq(apiKeys.id, keyId));
  if (row === undefined) return noLocks;
  return levelLocks(
    ['organisation', row.organisation],
    ['organisation', row.hasOrganisation ? null : row.ownersOrganisation],
    ['department', row.department],
    ['department', row.hasDepartment ? null : row.ownersDepartment],
    ['key', row.key],
  );
}

/** Of a person who asks without a key. */
export async function readDataLocks(
  executor: Executor,
  { organisationId, departmentId }: { organisationId: number | null; departmentId: number | null },
): Promise<readonly LevelLock[]> {
  if (organisationId === null) return noLocks;
  const [row] = await executor
    .select({ organisation: organisations.dataPolicy, department: departments.dataPolicy })
    .from(organisations)
    .leftJoin(
      departments,
      and(eq(departments.organisationId, organisations.id), eq(departments.id, departmentId ?? 0)),
    )
    .where(eq(organisations.id, organisationId));
  return levelLocks(['organisation', row?.organisation], ['department', row?.department]);
}

/**
 * Sets what an organisation demands, or a department of it, which is made where there is none of that name.
 * @returns whether anything changed.
 * @throws AppError `validation_failed`.
 */
export async function setDataLock(
  work: Work,
  { organisationId, department }: { readonly organisationId: number; readonly department?: string },
  lock: DeclaredLock,
): Promise<boolean> {
  const { executor } = work;
  const stored = checkFields(dataLockForm, lock);
  const [before] =
    department === undefined
      ? await executor.select().from(organisations).where(eq(organisations.id, organisationId))
      : await executor
          .select()
          .from(departments)
          .where(and(eq(departments.organisationId, organisationId), eq(departments.name, department)));
  if (before !== undefined && Bun.deepEquals(before.dataPolicy, stored)) return false;
  if (department === undefined) {
    await executor
      .update(organisations)
      .set({ dataPolicy: stored })
      .where(eq(organisations.id, organisationId));
  } else {
    await executor
      .insert(departments)
      .values({ organisationId, name: department, dataPolicy: stored })
      .onConflictDoUpdate({
        target: [departments.organisationId, departments.name],
        set: { dataPolicy: stored },
      });
  }
  work.announce(organisationTopic, String(organisationId));
  return true;
}
