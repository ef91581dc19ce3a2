/** What belongs to somebody else is not there: every row that takes an id, for every role, from near and from far. */
import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../test/support/databases.ts';
import { isAtLeast, setAdminView, type User, type UserRole, userRoles } from '../identity/index.ts';
import { createOrganisation } from '../identity/organisations.ts';
import { newDepartment } from '../identity/testing/new-department.ts';
import { users } from '../storage/schema/identity.ts';
import { sessions } from '../storage/schema/sign-in.ts';
import type { Route } from './route.ts';
import { portalRoutes } from './routes.ts';
import { soundBody } from './testing/sound-fields.ts';
import { type TestPortal, withTestPortal } from './testing/test-portal.ts';
import { fingerprintOf, type Place, places, type Thing, thingsIn } from './testing/things.ts';

interface Spot {
  readonly organisationId: number;
  readonly departmentId: number;
}

let storage: TestDatabase;
let portal: TestPortal;
let spots: Readonly<Record<Place, Spot>>;
let things: Readonly<Record<string, Thing>>;
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  things = thingsIn(portal, storage);
  const [own, other] = [await newOrganisation('Own'), await newOrganisation('Other')];
  spots = {
    'own department': { organisationId: own, departmentId: await departmentOf(own, 'Sales') },
    'sibling department': { organisationId: own, departmentId: await departmentOf(own, 'Works') },
    'another organisation': { organisationId: other, departmentId: await departmentOf(other, 'Sales') },
  };
});

const newOrganisation = async (name: string) => (await portal.write(createOrganisation, { name })).id;
const departmentOf = async (organisationId: number, name: string) =>
  (await portal.write(newDepartment, organisationId, name)).id;

/** Whose things others ask for. */
const ownerIn = (place: Place) => known.get(place) ?? keep(place, newPerson('member', place, false));

type Person = { readonly user: User; readonly cookie: string };
const known = new Map<string, Promise<Person>>();

/** Somebody of a role, at home in a place, who looks at all that they administer, or at their own things: one of each. */
function personIn(role: UserRole, place: Place, adminMode = true): Promise<Person> {
  const name = `${role} ${place} ${adminMode}`;
  return known.get(name) ?? keep(name, newPerson(role, place, adminMode));
}

function keep(name: string, person: Promise<Person>): Promise<Person> {
  known.set(name, person);
  return person;
}

async function newPerson(role: UserRole, place: Place, adminMode: boolean): Promise<Person> {
  const { user, cookie } = await portal.signedIn({ role });
  await storage.db.update(users).set(spots[place]).where(eq(users.id, user.id));
  const [session] = await storage.db.select().from(sessions).where(eq(sessions.userId, user.id));
  await portal.write(setAdminView, session?.id ?? 0, { adminMode, organisationId: null });
  return { user: { ...user, ...spots[place] }, cookie };
}

/** What stands in a path and is nobody's: a configured provider, a model of the catalogue, a secret that is its own proof. */
const ownersOfNone = ['idp', 'model…', 'secret', 'token'];

/** Rows that name something of somebody, with the parameter that says what. */
const rowsWithThings = portalRoutes.flatMap((row) => {
  const name = [...row.path.matchAll(/\{([^}]+)\}/g)].at(-1)?.[1];
  return name === undefined || ownersOfNone.includes(name) ? [] : [{ row, name }];
});

const ask = (row: Route, ids: Readonly<Record<string, string>>, cookie: string) =>
  portal.ask(
    row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '999999999'),
    {
      method: row.method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(row.method === 'GET' ? {} : { body: JSON.stringify(soundBody(row)) }),
    },
  );

test('every address that names something is known here', () => {
  const known = Object.keys(things);
  expect([...new Set(rowsWithThings.map(({ name }) => name))].toSorted()).toEqual(known.toSorted());
});

describe.each(userRoles)('%s', (role) => {
  for (const { row, name } of rowsWithThings) {
    const isAllowed = row.access === 'session' || (row.access !== 'anyone' && isAtLeast(role, row.access));
    if (!isAllowed) continue;

    test(`${row.method} ${row.path} of an id that nobody has finds nothing`, async () => {
      const { cookie } = await personIn(role, 'own department');
      const before = await fingerprintOf(storage);
      const { status } = await ask(row, { [name]: things[name]?.unknown ?? '' }, cookie);
      expect(status).toBe(404);
      expect(await fingerprintOf(storage)).toBe(before);
    });

    test.each(places)(`${row.method} ${row.path} of something in %s`, async (place) => {
      const { cookie } = await personIn(role, 'own department');
      const { user: owner } = await ownerIn(place);
      const ids = (await things[name]?.make(owner)) ?? {};
      const before = await fingerprintOf(storage);
      const { status, text } = await ask(row, ids, cookie);
      const isReached = things[name]?.reaches(role, place) === true;
      if (isReached) expect([200, 409], text).toContain(status);
      else expect([status, await fingerprintOf(storage)]).toEqual([404, before]);
    });

    // What is for admins alone is about what they administer, wherever they look.
    const isNarrowed = row.access === 'member' && !name.startsWith('webhook') && name !== 'delivery_id';
    if (!isNarrowed || role === 'member') continue;
    test(`${row.method} ${row.path} of a colleague, outside of admin mode`, async () => {
      const { cookie } = await personIn(role, 'own department', false);
      const { user: owner } = await ownerIn('own department');
      const ids = (await things[name]?.make(owner)) ?? {};
      const before = await fingerprintOf(storage);
      const { status } = await ask(row, ids, cookie);
      expect([status, await fingerprintOf(storage)]).toEqual([404, before]);
    });
  }

  if (!isAtLeast(role, 'department_admin')) return;

  const reaches = (place: Place) => things['invite_id']?.reaches(role, place) === true;

  test.each(places)('who invites into %s by ids in the body', async (place) => {
    const { cookie } = await personIn(role, 'own department');
    const { organisationId: organisation, departmentId: department } = spots[place];
    const before = await fingerprintOf(storage);
    const email = `${crypto.randomUUID()}@example.test`;
    const sent = { email, organisation, department };
    const { status } = await portal.sendJson('/dashboard/admin/users/invite', sent, { cookie });
    expect([place, status]).toEqual([place, reaches(place) ? 200 : 404]);
    expect((await fingerprintOf(storage)) === before).toBe(!reaches(place));
  });

  test('who invites into a department of another organisation than the one that they name', async () => {
    const { cookie } = await personIn(role, 'own department');
    const before = await fingerprintOf(storage);
    const sent = {
      email: `${crypto.randomUUID()}@example.test`,
      organisation: spots['own department'].organisationId,
      department: spots['another organisation'].departmentId,
    };
    const { status } = await portal.sendJson('/dashboard/admin/users/invite', sent, { cookie });
    expect(status).toBe(404);
    expect(await fingerprintOf(storage)).toBe(before);
  });

  test.each(places)('who chooses the organisation of %s to look at', async (place) => {
    const { cookie } = await newPerson(role, 'own department', true);
    const before = await fingerprintOf(storage);
    const sent = { org_id: spots[place].organisationId };
    const { status } = await portal.sendJson('/dashboard/set-admin-org', sent, { cookie });
    const isReached = place !== 'another organisation' || isAtLeast(role, 'platform_admin');
    expect([place, status]).toEqual([place, isReached ? 200 : 404]);
    expect((await fingerprintOf(storage)) === before).toBe(!isReached);
  });
});

describe('ids in the body of a key', () => {
  test.each(places)('by whom it would be owned, in %s', async (place) => {
    for (const role of userRoles) {
      const { cookie } = await personIn(role, 'own department');
      const { user: owner } = await ownerIn(place);
      const before = await fingerprintOf(storage);
      const sent = { name: 'Key', owner: owner.email };
      const { status } = await portal.sendJson('/dashboard/keys/new', sent, { cookie });
      const isReached = things['key_id']?.reaches(role, place) === true;
      expect([role, status]).toEqual([role, isReached ? 200 : 422]);
      expect((await fingerprintOf(storage)) === before).toBe(!isReached);
    }
  });

  test.each(places)('in whose department it would be, in %s', async (place) => {
    for (const role of userRoles) {
      const { cookie } = await personIn(role, 'own department');
      const before = await fingerprintOf(storage);
      const sent = { name: 'Key', department: spots[place].departmentId };
      const { status } = await portal.sendJson('/dashboard/keys/new', sent, { cookie });
      // A key is in its owner's organisation, and where who makes it still sees it.
      const isReached =
        place === 'own department' || (place === 'sibling department' && isAtLeast(role, 'org_admin'));
      expect([role, status]).toEqual([role, isReached ? 200 : 422]);
      expect((await fingerprintOf(storage)) === before).toBe(!isReached);
    }
  });
});
