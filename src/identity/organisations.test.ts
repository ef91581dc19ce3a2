import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { createOrganisation, findOrganisation, listDepartments, listOrganisations } from './organisations.ts';
import { isAtLeast, mayGrant, scopeOf } from './roles.ts';
import { newDepartment } from './testing/new-department.ts';
import { userRoles } from './user.ts';
import { createUser, findUser, listUsers } from './users.ts';

describeOnEachDatabase('organisations', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  const clock = clockShowing(() => Date.UTC(2031, 0, 1));
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock, ids: systemIds });
  });
  afterAll(() => storage.close());

  test('get a slug from their name, with a number when it is taken', async () => {
    expect(await write(createOrganisation, { name: ' Österreichs Mühlen & Co. ' })).toMatchObject({
      name: 'Österreichs Mühlen & Co.',
      slug: 'o-sterreichs-mu-hlen-co',
      billingUserId: null,
      billingExempt: false,
    });
    const again = await write(createOrganisation, { name: 'Österreichs Mühlen & Co.' });
    expect(again.slug).toBe('o-sterreichs-mu-hlen-co-2');
    expect((await write(createOrganisation, { name: '株式会社' })).slug).toBe('organisation');
  });

  test('422 for a slug that is taken or is none', async () => {
    await write(createOrganisation, { name: 'A', slug: 'taken' });
    for (const slug of ['taken', 'TAKEN', '-a', 'a b', 'x'.repeat(64)]) {
      await expect(write(createOrganisation, { name: 'B', slug })).rejects.toMatchObject({
        code: 'validation_failed',
        param: 'slug',
      });
    }
  });

  describe('in a scope', () => {
    let scopes: Readonly<Record<'all' | 'own' | 'department' | 'foreign' | 'person', Scope>>;
    beforeAll(async () => {
      const own = await write(createOrganisation, { name: 'Own', slug: 'own' });
      const foreign = await write(createOrganisation, { name: 'Foreign', slug: 'foreign' });
      const sales = await write(newDepartment, own.id, 'Sales');
      await write(newDepartment, own.id, 'Works');
      await write(newDepartment, foreign.id, 'Sales');
      const seller = await write(createUser, { email: 'seller@example.test', role: 'member' });
      await storage.db
        .update(users)
        .set({ organisationId: own.id, departmentId: sales.id })
        .where(eq(users.id, seller.id));
      scopes = {
        all: everybody,
        own: { whose: 'organisation', organisationId: own.id },
        department: { whose: 'department', organisationId: own.id, departmentId: sales.id },
        foreign: { whose: 'organisation', organisationId: foreign.id },
        person: onlyOf(seller.id),
      };
    });

    test('nobody sees or finds what is outside', async () => {
      const seen = async (scope: Scope) => ({
        organisations: (await listOrganisations(scope, storage.db)).map(({ slug }) => slug),
        departments: (await listDepartments(scope, storage.db)).length,
        people: (await listUsers(scope, storage.db)).length,
      });
      expect(await seen(scopes.own)).toEqual({
        organisations: ['own'],
        departments: 2,
        people: 1,
      });
      expect(await seen(scopes.department)).toEqual({
        organisations: ['own'],
        departments: 1,
        people: 1,
      });
      expect(await seen(scopes.foreign)).toEqual({
        organisations: ['foreign'],
        departments: 1,
        people: 0,
      });
      expect(await seen(scopes.person)).toEqual({
        organisations: [],
        departments: 0,
        people: 1,
      });
      expect(await seen(scopes.all)).toMatchObject({ departments: 3 });
      const [own] = await listOrganisations(scopes.own, storage.db);
      expect(await findOrganisation(scopes.own, storage.db, own?.id ?? 0)).toEqual(own);
      expect(await findOrganisation(scopes.foreign, storage.db, own?.id ?? 0)).toBeUndefined();
      const [seller] = await listUsers(scopes.own, storage.db);
      expect(await findUser(scopes.foreign, storage.db, seller?.id ?? 0)).toBeUndefined();
    });

    test('the database refuses a person in a department of another organisation, and a stranger who pays', async () => {
      const [seller] = await listUsers(scopes.own, storage.db);
      const [department] = await listDepartments(scopes.foreign, storage.db);
      const [foreign] = await listOrganisations(scopes.foreign, storage.db);
      const move = storage.db
        .update(users)
        .set({ departmentId: department?.id ?? 0 })
        .where(eq(users.id, seller?.id ?? 0));
      await expect(Promise.resolve(move)).rejects.toThrow();
      const pay = storage.db
        .update(organisations)
        .set({ billingUserId: seller?.id ?? 0 })
        .where(eq(organisations.id, foreign?.id ?? 0));
      await expect(Promise.resolve(pay)).rejects.toThrow();
    });
  });
});

describe('roles', () => {
  const person = (id: number, role: (typeof userRoles)[number], organisationId: number | null = 7) => ({
    id,
    role,
    organisationId,
    departmentId: organisationId === null ? null : 3,
  });

  test('nobody grants above themself, and members grant nothing', () => {
    for (const actor of userRoles) {
      for (const granted of userRoles) {
        expect(mayGrant(person(1, actor), granted)).toBe(
          actor !== 'member' && userRoles.indexOf(granted) >= userRoles.indexOf(actor),
        );
      }
    }
    expect(isAtLeast('org_owner', 'org_admin')).toBe(true);
    expect(isAtLeast('member', 'department_admin')).toBe(false);
  });

  test('a session narrows what its person may see and never widens it', () => {
    const seen = (role: (typeof userRoles)[number], adminMode: boolean, chosen: number | null) =>
      scopeOf(person(1, role), { adminMode, organisationId: chosen });
    const own = { whose: 'organisation', organisationId: 7 };
    expect(seen('platform_admin', true, null)).toEqual({ whose: 'everybody' });
    expect(seen('platform_admin', true, 9)).toEqual({ whose: 'organisation', organisationId: 9 });
    expect(seen('org_admin', true, null)).toMatchObject(own);
    expect(seen('org_admin', true, 9)).toMatchObject(own);
    expect(seen('department_admin', true, 9)).toMatchObject({ whose: 'department', departmentId: 3 });
    expect(seen('member', true, 9)).toEqual({ whose: 'person', userId: 1 });
    for (const role of userRoles) expect(seen(role, false, 9)).toEqual({ whose: 'person', userId: 1 });
    const placeless = { ...person(1, 'org_owner', null) };
    expect(scopeOf(placeless, { adminMode: true, organisationId: 9 })).toEqual({
      whose: 'person',
      userId: 1,
    });
  });
});
