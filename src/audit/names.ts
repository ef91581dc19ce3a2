/** What the things are called now of which entries have the id alone. */
import { inArray } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { models } from '../storage/schema/catalogue.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { departments, organisations, projects } from '../storage/schema/identity.ts';
import type { ActivityEntry } from './activity.ts';

/** By `kind id`, such as `department 3`. What is gone has none. */
export type NamesOfThings = ReadonlyMap<string, string>;

interface Named {
  readonly table: PgTable;
  readonly id: PgColumn;
  readonly name: PgColumn;
}

const things: Readonly<Record<string, Named>> = {
  department: { table: departments, id: departments.id, name: departments.name },
  project: { table: projects, id: projects.id, name: projects.name },
  organisation: { table: organisations, id: organisations.id, name: organisations.name },
  key: { table: apiKeys, id: apiKeys.id, name: apiKeys.name },
  model: { table: models, id: models.id, name: models.publicId },
  contact: {
    table: notificationContacts,
    id: notificationContacts.id,
    name: notificationContacts.email,
  },
};

/** Members of details that are the id of a thing. */
const idFields = { departmentId: 'department', projectId: 'project' } as const;

/** At most one question for each kind of thing, and none where every entry has a name of its own. */
export async function nameThings(
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
      const { table, id, name } = named;
      const ids = [...new Set(those.map((thing) => thing.id))];
      const rows = await executor.select({ id, name }).from(table).where(inArray(id, ids));
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
