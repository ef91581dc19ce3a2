/** What organisations and departments demand of the providers that are sent what their people ask. */
import { and, eq } from 'drizzle-orm';
import {
  type DeclaredLock,
  dataLockForm,
  type LevelLock,
  noLocks,
  readDataLock,
} from '../base/data-policy.ts';
import { checkFields } from '../base/field-check.ts';
import type { Executor } from '../storage/database.ts';
import { departments, organisations } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';
import { organisationTopic } from './user.ts';

interface Demanding {
  readonly dataPolicy: unknown;
}

interface Levels {
  readonly organisation: Demanding | null | undefined;
  readonly department: Demanding | null | undefined;
  readonly key?: Demanding;
}

/** Those that demand something, from the widest on. All of them hold. */
export function levelLocks({ organisation, department, key }: Levels): readonly LevelLock[] {
  const locks: LevelLock[] = [];
  for (const [level, demanding] of [
    ['organisation', organisation],
    ['department', department],
    ['key', key],
  ] as const) {
    const lock = readDataLock(demanding?.dataPolicy);
    if (lock !== null) locks.push({ level, lock });
  }
  return locks.length === 0 ? noLocks : locks;
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
  return levelLocks({
    organisation: { dataPolicy: row?.organisation },
    department: { dataPolicy: row?.department },
  });
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
