/** What a key can belong to beside its owner: a department or a project of the owner's organisation. */
import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm';
import { fieldError } from '../base/field-check.ts';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { departments, projectMembers, projects, users } from '../storage/schema/identity.ts';
import type { KeyPlace } from './keys.ts';
import type { User } from './user.ts';

export interface Project {
  readonly id: number;
  readonly organisationId: number;
  /** Null where it is the whole organisation's. */
  readonly departmentId: number | null;
  readonly name: string;
}

/** Those that a scope reaches: a person's are those that they work on, a department's also the whole organisation's. */
export async function listProjects(scope: Scope, executor: Executor): Promise<readonly Project[]> {
  return await executor
    .select({
      id: projects.id,
      organisationId: projects.organisationId,
      departmentId: projects.departmentId,
      name: projects.name,
    })
    .from(projects)
    .where(projectsWithin(scope))
    .orderBy(asc(projects.organisationId), asc(projects.name));
}

function projectsWithin(scope: Scope): SQL | undefined {
  switch (scope.whose) {
    case 'everybody':
      return undefined;
    case 'organisation':
      return eq(projects.organisationId, scope.organisationId);
    case 'department':
      return and(
        eq(projects.organisationId, scope.organisationId),
        or(eq(projects.departmentId, scope.departmentId), sql`${projects.departmentId} IS NULL`),
      );
    case 'person':
      return sql`${projects.id} IN (SELECT ${projectMembers.projectId} FROM ${projectMembers}
        WHERE ${projectMembers.userId} = ${scope.userId})`;
  }
}

/** What was asked for; both null follow the owner. */
export interface PlaceAsked {
  readonly departmentId: number | null;
  readonly projectId: number | null;
}

/**
 * Always one that the scope sees, so that nobody loses sight of a key by placing it.
 * @throws AppError `validation_failed` for what is not the owner's organisation's, or outside of the scope.
 */
export async function requirePlace(
  scope: Scope,
  executor: Executor,
  owner: User,
  { departmentId, projectId }: PlaceAsked,
): Promise<KeyPlace> {
  if (departmentId === null && projectId === null) {
    return { organisationId: null, departmentId: null, projectId: null };
  }
  const { organisationId } = owner;
  const project = projectId === null ? null : await findProject(scope, executor, { projectId, owner });
  if (departmentId !== null) await requireDepartment(scope, executor, { departmentId, owner });
  if (organisationId === null || project === undefined) throw notThere('projectId');
  const ofProject = project?.departmentId ?? null;
  if (departmentId !== null && ofProject !== null && departmentId !== ofProject) {
    const msg = 'is not the department that the project belongs to';
    throw fieldError([{ loc: ['departmentId'], msg, type: 'other_department' }]);
  }
  return { organisationId, departmentId: departmentId ?? ofProject ?? owner.departmentId, projectId };
}

async function findProject(
  scope: Scope,
  executor: Executor,
  { projectId, owner }: { readonly projectId: number; readonly owner: User },
): Promise<Pick<Project, 'departmentId'> | undefined> {
  if (owner.organisationId === null) return undefined;
  const [project] = await executor
    .select({ departmentId: projects.departmentId })
    .from(projects)
    .where(
      and(
        eq(projects.id, projectId),
        eq(projects.organisationId, owner.organisationId),
        projectsWithin(scope),
      ),
    );
  return project;
}

async function requireDepartment(
  scope: Scope,
  executor: Executor,
  { departmentId, owner }: { readonly departmentId: number; readonly owner: User },
): Promise<void> {
  const isReached =
    scope.whose === 'person'
      ? owner.departmentId === departmentId
      : scope.whose !== 'department' || scope.departmentId === departmentId;
  const [department] = await executor
    .select({ organisationId: departments.organisationId })
    .from(departments)
    .where(eq(departments.id, departmentId));
  if (isReached && department !== undefined && department.organisationId === owner.organisationId) return;
  throw notThere('departmentId');
}

function notThere(field: 'departmentId' | 'projectId') {
  const msg = "is none of the owner's organisation that you can choose";
  return fieldError([{ loc: [field], msg, type: 'unknown_place' }]);
}

/** The organisation and department where the key is by itself, else where its owner is. */
export async function groupOfKey(
  executor: Executor,
  keyId: number,
): Promise<{ readonly organisationId: number | null; readonly departmentId: number | null }> {
  const [row] = await executor
    .select({
      isOwn: sql<boolean>`${apiKeys.organisationId} IS NOT NULL`,
      ...{ organisationId: apiKeys.organisationId, departmentId: apiKeys.departmentId },
      ...{ ownersOrganisationId: users.organisationId, ownersDepartmentId: users.departmentId },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(eq(apiKeys.id, keyId));
  if (row === undefined) return { organisationId: null, departmentId: null };
  const { isOwn, organisationId, departmentId, ownersOrganisationId, ownersDepartmentId } = row;
  return isOwn
    ? { organisationId, departmentId }
    : { organisationId: ownersOrganisationId, departmentId: ownersDepartmentId };
}
