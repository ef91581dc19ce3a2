/** The condition of a query that keeps it to a scope: rows of others are as if they were not there. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';
import { users } from './schema/identity.ts';

/** The columns that say to whom a row belongs. */
export interface OwningColumns {
  readonly user: PgColumn;
  readonly organisation: PgColumn;
  readonly department: PgColumn;
}

export function withinScope(scope: Scope, columns: OwningColumns): SQL {
  return conditionOf(scope, columns) ?? sql`true`;
}

const ofPeople = { user: users.id, organisation: users.organisationId, department: users.departmentId };

/** The same of a query of people. */
export const peopleWithin = (scope: Scope): SQL => withinScope(scope, ofPeople);

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
