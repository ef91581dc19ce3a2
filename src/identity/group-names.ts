/** What organisations, departments and projects are called: for pages that mention them. */
import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { departments, organisations, projects, users } from '../storage/schema/identity.ts';

const tables = {
  organisation: { table: organisations, organisationId: organisations.id },
  department: { table: departments, organisationId: departments.organisationId },
  project: { table: projects, organisationId: projects.organisationId },
} as const;

export type GroupKind = keyof typeof tables;

/** Those of the ids that are within the organisation of the scope; of a person's scope, within their own. */
export async function nameGroups(
  scope: Scope,
  executor: Executor,
  { kind, ids }: { readonly kind: GroupKind; readonly ids: readonly number[] },
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const { table, organisationId } = tables[kind];
  const rows = await executor
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(inArray(table.id, [...new Set(ids)]), reaching(scope, executor, organisationId)));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function reaching(scope: Scope, executor: Executor, organisationId: PgColumn): SQL | undefined {
  if (scope.whose === 'everybody') return undefined;
  if (scope.whose !== 'person') return eq(organisationId, scope.organisationId);
  const own = executor.select({ id: users.organisationId }).from(users).where(eq(users.id, scope.userId));
  return inArray(organisationId, own);
}
