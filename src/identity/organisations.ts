/** Organisations and their departments: making and finding them. */
import { and, asc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { checkFields, fieldError, nameField } from '../base/field-check.ts';
import type { PersonScope, Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { departments, organisations, projects, users } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';
import { userTopic } from './user.ts';

export interface Organisation {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** Whose wallet pays for all of its people; null where each pays for themself. */
  readonly billingUserId: number | null;
  readonly billingExempt: boolean;
  readonly managedBy: string | null;
  readonly createdAt: Date;
}

export interface Department {
  readonly id: number;
  readonly organisationId: number;
  readonly name: string;
  readonly createdAt: Date;
}

const filledNameField = nameField.min(1, 'must have at least 1 character');
const organisationFields = z.object({
  name: filledNameField,
  slug: z
    .string()
    .trim()
    .toLowerCase()
    .regex(
      /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      'must be up to 63 lower-case letters, digits and hyphens, none of them at an end',
    )
    .optional(),
});

export type NewOrganisation = z.input<typeof organisationFields>;

/**
 * Without a slug the name makes one; when that is taken, a number is added to it.
 * @throws AppError `validation_failed`, also when a given slug is taken.
 */
export async function createOrganisation(
  { executor }: Work,
  newOrganisation: NewOrganisation,
): Promise<Organisation> {
  const { name, slug } = checkFields(organisationFields, newOrganisation);
  for (const candidate of slug === undefined ? slugsFor(name) : [slug]) {
    const [row] = await executor
      .insert(organisations)
      .values({ name, slug: candidate })
      .onConflictDoNothing({ target: organisations.slug })
      .returning();
    if (row !== undefined) return row;
  }
  throw fieldError([{ loc: ['slug'], msg: 'belongs to another organisation', type: 'taken' }]);
}

/**
 * Makes the organisation that the configuration file declares, or gives who has that slug its name.
 * @returns whether the row is another one now.
 * @throws AppError `validation_failed`.
 */
export async function upsertManagedOrganisation(
  { executor }: Work,
  declared: Required<NewOrganisation>,
): Promise<{ readonly organisation: Organisation; readonly changed: boolean }> {
  const { name, slug = '' } = checkFields(organisationFields, declared);
  const [before] = await executor.select().from(organisations).where(eq(organisations.slug, slug));
  const values = { name, managedBy: 'file' };
  const [row] = await executor
    .insert(organisations)
    .values({ slug, ...values })
    .onConflictDoUpdate({ target: organisations.slug, set: values })
    .returning();
  if (row === undefined) throw new Error('the upsert of an organisation returned nothing');
  return { organisation: row, changed: !Bun.deepEquals(before, row) };
}

/** For people who arrive by a provider or a host that belongs to it. */
export async function findOrganisationIdBySlug(
  executor: Executor,
  slug: string,
): Promise<number | undefined> {
  const [row] = await executor
    .select({ id: organisations.id })
    .from(organisations)
    .where(eq(organisations.slug, slug));
  return row?.id;
}

/**
 * Makes an organisation that the person belongs to from then on.
 * @throws AppError `validation_failed`, also when they belong to one already.
 */
export async function foundOrganisation(
  { userId }: PersonScope,
  work: Work,
  fields: NewOrganisation,
): Promise<Organisation> {
  const organisation = await createOrganisation(work, fields);
  const placed = await work.executor
    .update(users)
    .set({ organisationId: organisation.id })
    .where(and(eq(users.id, userId), isNull(users.organisationId)))
    .returning({ id: users.id });
  if (placed.length === 0) {
    throw fieldError([{ loc: ['organisation'], msg: 'cannot be a second one', type: 'taken' }]);
  }
  work.announce(userTopic, String(userId));
  return organisation;
}

/**
 * Those that a scope reaches into: everybody's, or the one that it is in. A person's own scope reaches none.
 * @param filter how many at most, and what stands in their name or slug; all when not given.
 */
export async function listOrganisations(
  scope: Scope,
  executor: Executor,
  filter: { readonly limit?: number; readonly search?: string } = {},
): Promise<readonly Organisation[]> {
  const { limit, search } = filter;
  const found = executor
    .select()
    .from(organisations)
    .where(and(reaching(scope, organisations.id), nameHas(search)))
    .orderBy(asc(organisations.name), asc(organisations.id))
    .$dynamic();
  return await (limit === undefined ? found : found.limit(limit));
}

/** What somebody searches for stands for itself: no character of it is a pattern. */
function nameHas(search: string | undefined): SQL | undefined {
  if (search === undefined) return undefined;
  return or(
    sql`strpos(lower(${organisations.name}), lower(${search})) > 0`,
    sql`strpos(${organisations.slug}, lower(${search})) > 0`,
  );
}

export async function findOrganisation(
  scope: Scope,
  executor: Executor,
  organisationId: number,
): Promise<Organisation | undefined> {
  const [row] = await executor
    .select()
    .from(organisations)
    .where(and(eq(organisations.id, organisationId), reaching(scope, organisations.id)));
  return row;
}

export async function listDepartments(scope: Scope, executor: Executor): Promise<readonly Department[]> {
  const own =
    scope.whose === 'department'
      ? eq(departments.id, scope.departmentId)
      : reaching(scope, departments.organisationId);
  return await executor
    .select()
    .from(departments)
    .where(own)
    .orderBy(asc(departments.organisationId), asc(departments.name));
}

export async function findProject(
  scope: Scope,
  executor: Executor,
  projectId: number,
): Promise<{ readonly id: number; readonly name: string } | undefined> {
  const own = scope.whose === 'department' ? eq(projects.departmentId, scope.departmentId) : undefined;
  const [row] = await executor
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(and(eq(projects.id, projectId), own, reaching(scope, projects.organisationId)));
  return row;
}

/** A part of an organisation by its name; undefined where it has none of that name. */
export async function findPartByName(
  executor: Executor,
  part: { readonly kind: 'department' | 'project'; readonly organisationId: number; readonly name: string },
): Promise<number | undefined> {
  const table = part.kind === 'department' ? departments : projects;
  const [row] = await executor
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.organisationId, part.organisationId), eq(table.name, part.name)));
  return row?.id;
}

function reaching(scope: Scope, organisationId: PgColumn): SQL | undefined {
  switch (scope.whose) {
    case 'everybody':
      return undefined;
    case 'person':
      return sql`false`;
    default:
      return eq(organisationId, scope.organisationId);
  }
}

function slugsFor(name: string): readonly string[] {
  const base =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 50)
      .replaceAll(/^-|-$/g, '') || 'organisation';
  return [base, ...Array.from({ length: 99 }, (_, index) => `${base}-${index + 2}`)];
}
