/** What the things are called now of which entries have the id alone. */
import { and, eq, inArray, isNotNull, isNull, or, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { models } from '../storage/schema/catalogue.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { departments, organisations, projects, users } from '../storage/schema/identity.ts';
import { peopleWithin, withinScope } from '../storage/within-scope.ts';
import type { ActivityEntry } from './activity.ts';

/** By `kind id`, such as `department 3`. What is gone, or out of reach, has none. */
export type NamesOfThings = ReadonlyMap<string, string>;

interface Named {
  readonly table: PgTable;
  readonly id: PgColumn;
  readonly name: PgColumn;
  /** Undefined where everybody may know all of them. */
  readonly within: (scope: Scope, executor: Executor) => SQL | undefined;
}

const things: Readonly<Record<string, Named>> = {
  department: {
    ...{ table: departments, id: departments.id, name: departments.name },
    within: (scope, executor) =>
      inGroup(scope, executor, { organisation: departments.organisationId, department: departments.id }),
  },
  project: {
    ...{ table: projects, id: projects.id, name: projects.name },
    within: (scope, executor) =>
      inGroup(scope, executor, { organisation: projects.organisationId, department: projects.departmentId }),
  },
  organisation: {
    ...{ table: organisations, id: organisations.id, name: organisations.name },
    within: (scope, executor) => inGroup(scope, executor, { organisation: organisations.id }),
  },
  key: {
    ...{ table: apiKeys, id: apiKeys.id, name: apiKeys.name },
    within: (scope, executor) =>
      or(
        withinScope(scope, {
          user: apiKeys.ownerId,
          organisation: apiKeys.organisationId,
          department: apiKeys.departmentId,
        }),
        // One that belongs to nothing by itself is where its owner is.
        and(isNull(apiKeys.organisationId), inArray(apiKeys.ownerId, idsOfPeople(scope, executor))),
      ),
  },
  model: { table: models, id: models.id, name: models.publicId, within: () => undefined },
  contact: {
    table: notificationContacts,
    id: notificationContacts.id,
    name: notificationContacts.email,
    within: (scope, executor) => inArray(notificationContacts.userId, idsOfPeople(scope, executor)),
  },
};

const idsOfPeople = (scope: Scope, executor: Executor) =>
  executor.select({ id: users.id }).from(users).where(peopleWithin(scope));

/** A person knows what their organisation is made of, as long as they belong to it. */
function inGroup(
  scope: Scope,
  executor: Executor,
  { organisation, department }: { readonly organisation: PgColumn; readonly department?: PgColumn },
): SQL | undefined {
  if (scope.whose === 'everybody') return undefined;
  if (scope.whose !== 'person') {
    const isTheirs = eq(organisation, scope.organisationId);
    if (scope.whose === 'organisation' || department === undefined) return isTheirs;
    return and(isTheirs, eq(department, scope.departmentId));
  }
  const own = executor
    .select({ id: users.organisationId })
    .from(users)
    .where(and(eq(users.id, scope.userId), isNotNull(users.organisationId)));
  return inArray(organisation, own);
}

/** Members of details that are the id of a thing. */
const idFields = { departmentId: 'department', projectId: 'project' } as const;

/**
 * At most one question for each kind of thing, and none where every entry has a name of its own.
 * @param scope whose things are named: what somebody left behind is called nothing any more.
 */
export async function nameThings(
  scope: Scope,
  executor: Executor,
  entries: readonly ActivityEntry[],
): Promise<NamesOfThings> {
  const wanted = Map.groupBy(
    entries.flatMap((entry) => [...subjectsOf(entry), ...placesOf(entry)]),
    ({ kind }) => kind,
  );
  const found = await Promise.all(
    [...wanted].map(async ([kind, those]) => {
      const named = things[kind];
      if (named === undefined) return [];
      const { table, id, name, within } = named;
      const ids = [...new Set(those.map((thing) => thing.id))];
      const rows = await executor
        .select({ id, name })
        .from(table)
        .where(and(inArray(id, ids), within(scope, executor)));
      return rows.map((row): [string, string] => [`${kind} ${String(row.id)}`, String(row.name)]);
    }),
  );
  return new Map(found.flat());
}

interface Thing {
  readonly kind: string;
  readonly id: number;
}

function subjectsOf({ subjectKind, subjectId, personal }: ActivityEntry): readonly Thing[] {
  const id = Number(subjectId);
  // A label that was removed with its person does not come back by another way.
  if (personal === null || personal.label !== undefined || !Number.isSafeInteger(id)) return [];
  return [{ kind: subjectKind, id }];
}

function placesOf({ details }: ActivityEntry): readonly Thing[] {
  return Object.entries(idFields).flatMap(([field, kind]) => {
    const value = details[field as keyof typeof idFields];
    const ids =
      value !== null && typeof value === 'object' && 'from' in value ? Object.values(value) : [value];
    return ids.filter((id) => typeof id === 'number').map((id) => ({ kind, id }));
  });
}
