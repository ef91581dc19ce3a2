/** Makes the people, groups and keys of the demonstration in a database that has none. */
import { eq } from 'drizzle-orm';
import { everybody, onlyOf } from '../../src/base/scope.ts';
import { acceptLegal, createKey, createUser, type User } from '../../src/identity/index.ts';
import { createOrganisation } from '../../src/identity/organisations.ts';
import { apiKeys } from '../../src/storage/schema/api-keys.ts';
import {
  departments,
  organisations,
  projectMembers,
  projects,
  users,
} from '../../src/storage/schema/identity.ts';
import type { Work } from '../../src/storage/work.ts';
import type { PlacedKey } from './requests.ts';
import * as world from './world.ts';

export interface Settled {
  readonly people: ReadonlyMap<string, User>;
  readonly keys: readonly PlacedKey[];
  /** Groups by their names. */
  readonly organisationIds: ReadonlyMap<string, number>;
  readonly departmentIds: ReadonlyMap<string, number>;
}

interface Places {
  readonly organisationIds: ReadonlyMap<string, number>;
  readonly departmentIds: ReadonlyMap<string, number>;
  readonly projects: ReadonlyMap<string, { readonly id: number; readonly departmentId: number | null }>;
}

interface Settling {
  readonly tokenPrefix: string;
  readonly legalVersion: string;
  /** When all of it is made; the work's clock shows it. */
  readonly beganAt: Date;
  readonly nowMs: number;
}

export async function settlePeople(work: Work, settling: Settling): Promise<Settled> {
  const { legalVersion, beganAt } = settling;
  const places = await makePlaces(work);
  const people = new Map<string, User>();
  for (const { alias, name, role, organisation = '', department = '', exempt = false } of world.people) {
    const made = await createUser(work, { email: emailOf(alias), name, role, billingExempt: exempt });
    const belongs = {
      organisationId: places.organisationIds.get(organisation) ?? null,
      departmentId: places.departmentIds.get(department) ?? null,
    };
    await work.executor
      .update(users)
      .set({ ...belongs, createdAt: beganAt })
      .where(eq(users.id, made.id));
    await acceptLegal(onlyOf(made.id), work, legalVersion);
    people.set(alias, { ...made, ...belongs });
  }
  const payers = new Map<number, number>();
  for (const { name, billing } of world.organisations) {
    const id = places.organisationIds.get(name) ?? 0;
    const billingUserId = personCalled(people, billing).id;
    await work.executor
      .update(organisations)
      .set({ billingUserId, createdAt: beganAt })
      .where(eq(organisations.id, id));
    payers.set(id, billingUserId);
  }
  const keys: PlacedKey[] = [];
  for (const key of world.keys) {
    const owner = personCalled(people, key.owner);
    const made = await makeKey(work, key, {
      ...settling,
      owner,
      project: places.projects.get(key.project ?? ''),
    });
    const payerId = payers.get(owner.organisationId ?? 0) ?? owner.id;
    keys.push({ ...key, ...made, userId: owner.id, payerId, exempt: owner.billingExempt });
  }
  return { people, keys, ...places };
}

const dayMs = 86_400_000;

async function makeKey(
  work: Work,
  key: world.DemoKey,
  {
    owner,
    project,
    tokenPrefix,
    beganAt,
    nowMs,
  }: Settling & { owner: User; project: { id: number; departmentId: number | null } | undefined },
): Promise<Pick<PlacedKey, 'keyId' | 'organisationId' | 'departmentId' | 'projectId'>> {
  const made = await createKey(everybody, work, tokenPrefix, {
    ownerId: owner.id,
    name: key.name,
    enabled: key.state !== 'disabled',
    ...(key.state === 'expiring' ? { expiresAt: new Date(nowMs + 5 * dayMs) } : {}),
    ...(key.name === 'nightly-evals' ? { allowedModels: key.models.map(([, model]) => model) } : {}),
    ...(key.name === 'help-desk-live' ? { requestsPerMinute: 600, concurrentRequests: 40 } : {}),
  });
  await work.executor.update(apiKeys).set({ createdAt: beganAt }).where(eq(apiKeys.id, made.key.id));
  const belongs = {
    organisationId: owner.organisationId,
    departmentId: project?.departmentId ?? owner.departmentId,
    projectId: project?.id ?? null,
  };
  if (project !== undefined && owner.organisationId !== null) {
    await work.executor.update(apiKeys).set(belongs).where(eq(apiKeys.id, made.key.id));
    const member = { projectId: project.id, userId: owner.id, organisationId: owner.organisationId };
    await work.executor.insert(projectMembers).values(member).onConflictDoNothing();
  }
  return { keyId: made.key.id, ...belongs };
}

async function makePlaces(work: Work): Promise<Places> {
  const organisationIds = new Map<string, number>();
  const departmentIds = new Map<string, number>();
  const made = new Map<string, { id: number; departmentId: number | null }>();
  for (const organisation of world.organisations) {
    const { id: organisationId } = await createOrganisation(work, { name: organisation.name });
    organisationIds.set(organisation.name, organisationId);
    for (const name of organisation.departments) {
      const [row] = await work.executor.insert(departments).values({ organisationId, name }).returning();
      if (row !== undefined) departmentIds.set(name, row.id);
    }
    for (const { name, department } of organisation.projects) {
      const departmentId = departmentIds.get(department) ?? null;
      const [row] = await work.executor
        .insert(projects)
        .values({ organisationId, departmentId, name })
        .returning({ id: projects.id });
      if (row !== undefined) made.set(name, { id: row.id, departmentId });
    }
  }
  return { organisationIds, departmentIds, projects: made };
}

export const emailOf = (alias: string): string => `${alias}@${world.mailDomain}`;

export function personCalled(people: ReadonlyMap<string, User>, alias: string): User {
  const person = people.get(alias);
  if (person === undefined) throw new Error(`nobody in the demonstration is called ${alias}`);
  return person;
}
