/** The condition of a query that keeps it to a scope: rows of others are as if they were not there. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';

/** The columns that say to whom a row belongs. */
export interface OwningColumns {
  readonly user: PgColumn;
  readonly organisation: PgColumn;
  readonly department: PgColumn;
}

export function withinScope(scope: Scope, columns: OwningColumns): SQL {
  return conditionOf(scope, columns) ?? sql`true`;
}

function conditionOf(scope: Scope, { user, organisation, department }: OwningColumns): SQL | undefined {
  switch (scope.whose) {
    case 'everybody':
      return undefined;
    case 'organisation':
      return eq(organisation, scope.organisationId);
    case 'department':
      return and(eq(organisation, scope.organisationId), eq(department, scope.departmentId));
    case 'person':
      return eq(user, scope.userId);
  }
}
