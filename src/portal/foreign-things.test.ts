/** What belongs to somebody else is not there: every row that takes an id, for every role, from near and from far. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { within } from '../../test/support/writing.ts';
import {
  createInvite,
  isAtLeast,
  startSession,
  type User,
  type UserRole,
  userRoles,
} from '../identity/index.ts';
import { createOrganisation } from '../identity/organisations.ts';
import { widestScope } from '../identity/roles.ts';
import { newDepartment } from '../identity/testing/new-department.ts';
import { signedInBy } from '../identity/testing/signed-in-by.ts';
import { invites, users } from '../storage/schema/identity.ts';
import { passkeys, sessions } from '../storage/schema/sign-in.ts';
import { portalRoutes } from './routes.ts';
import { openTestPortal, type TestPortal } from './testing/test-portal.ts';

/** Where things are, seen from who asks: their own department, one beside it, another organisation. */
const places = ['own department', 'sibling department', 'another organisation'] as const;
type Place = (typeof places)[number];
interface Spot {
  readonly organisationId: number;
  readonly departmentId: number;
}

let storage: TestDatabase;
let portal: TestPortal;
let spots: Readonly<Record<Place, Spot>>;
beforeAll(async () => {
  storage = await usualDatabase.open();
  portal = await openTestPortal(storage);
  const [own, other] = [await newOrganisation('Own'), await newOrganisation('Other')];
  spots = {
    'own department': { organisationId: own, departmentId: await departmentOf(own, 'Sales') },
    'sibling department': { organisationId: own, departmentId: await departmentOf(own, 'Works') },
    'another organisation': { organisationId: other, departmentId: await departmentOf(other, 'Sales') },
  };
});
afterAll(async () => {
  await portal.close();
  await storage.close();
});

const newOrganisation = async (name: string) => (await portal.write(createOrganisation, { name })).id;
const departmentOf = async (organisationId: number, name: string) =>
  (await portal.write(newDepartment, organisationId, name)).id;

/** Somebody of a role, at home in a place. */
async function personIn(role: UserRole, place: Place) {
  const { user, cookie } = await portal.signedIn({ role });
  await storage.db.update(users).set(spots[place]).where(eq(users.id, user.id));
  return { user: { ...user, ...spots[place] }, cookie };
}

interface Thing {
  /** Makes one that belongs to somebody of the place, who may be asked to. */
  make(place: Place, owner: User): Promise<number>;
  /** Whether the role reaches it there, written by hand. */
  reaches(role: UserRole, place: Place): boolean;
}

/** What is a person's own is nobody else's, whatever they administer. */
const personal = { reaches: () => false };

/** By the name of the parameter that stands for it. */
const things: Readonly<Record<string, Thing>> = {
  session_id: {
    ...personal,
    async make(_place, owner) {
      await portal.write(startSession, owner.id, signedInBy('password'));
      const [row] = await storage.db.select().from(sessions).where(eq(sessions.userId, owner.id));
      return row?.id ?? 0;
    },
  },
  passkey_id: {
    ...personal,
    async make(_place, owner) {
      const credentialId = crypto.randomUUID();
      const values = { userId: owner.id, name: 'Key', credentialId, publicKey: '', signatureCounter: 0 };
      const [row] = await storage.db.insert(passkeys).values(values).returning({ id: passkeys.id });
      return row?.id ?? 0;
    },
  },
  invite_id: {
    reaches: (role, place) =>
      isAtLeast(role, 'platform_admin') ||
      (place !== 'another organisation' && isAtLeast(role, 'org_admin')) ||
      place === 'own department',
    async make(place) {
      const { user: inviter } = await personIn('org_admin', place);
      const fields = { inviter, email: `${crypto.randomUUID()}@example.test`, role: 'member' } as const;
      const made = await portal.write(within(widestScope(inviter), createInvite), {
        ...fields,
        ...spots[place],
      });
      return made.id;
    },
  },
};

/** Of what somebody could change that is not theirs. */
const snapshot = async () =>
  JSON.stringify([
    await storage.db.select().from(invites).orderBy(invites.id),
    await storage.db.select().from(sessions).orderBy(sessions.id),
    await storage.db.select().from(passkeys).orderBy(passkeys.id),
    await storage.db.select().from(users).orderBy(users.id),
  ]);

/** Rows that change something by an id of their path. */
const rowsWithIds = portalRoutes.flatMap((row) => {
  const [name, ...others] = [...row.path.matchAll(/\{(\w+_id)\}/g)].map(([, each]) => each ?? '');
  return name === undefined || others.length > 0 ? [] : [{ row, name }];
});

describe.each(userRoles)('%s', (role) => {
  for (const { row, name } of rowsWithIds) {
    const isAllowed = row.access === 'session' || (row.access !== 'anyone' && isAtLeast(role, row.access));
    if (!isAllowed) continue;
    const ask = (id: number, cookie: string) =>
      portal.ask(row.path.replace(`{${name}}`, String(id)), {
        method: row.method,
        headers: { cookie, 'content-type': 'application/json' },
        ...(row.method === 'GET' ? {} : { body: '{}' }),
      });

    test(`${row.method} ${row.path} of an id that nobody has finds nothing`, async () => {
      const { cookie } = await personIn(role, 'own department');
      const before = await snapshot();
      const { status } = await ask(999_999_999, cookie);
      // What a row asks for beside the id may be missed before it is looked for.
      expect([404, 422]).toContain(status);
      expect(await snapshot()).toBe(before);
    });

    const thing = things[name];
    if (thing === undefined) continue;
    test.each(places)(`${row.method} ${row.path} of something in %s`, async (place) => {
      const { cookie } = await personIn(role, 'own department');
      const { user: owner } = await personIn('member', place);
      const id = await thing.make(place, owner);
      const before = await snapshot();
      const { status } = await ask(id, cookie);
      const isReached = thing.reaches(role, place);
      expect([place, status]).toEqual([place, isReached ? 200 : 404]);
      expect((await snapshot()) === before).toBe(!isReached);
    });
  }

  if (!isAtLeast(role, 'department_admin')) return;

  test.each(places)('who invites into %s by ids in the body', async (place) => {
    const { cookie } = await personIn(role, 'own department');
    const { organisationId: organisation, departmentId: department } = spots[place];
    const before = await snapshot();
    const email = `${crypto.randomUUID()}@example.test`;
    const sent = { email, organisation, department };
    const { status } = await portal.sendJson('/dashboard/admin/users/invite', sent, { cookie });
    const isReached = things['invite_id']?.reaches(role, place) === true;
    expect([place, status]).toEqual([place, isReached ? 200 : 404]);
    expect((await snapshot()) === before).toBe(!isReached);
  });

  test('who invites into a department of another organisation than the one that they name', async () => {
    const { cookie } = await personIn(role, 'own department');
    const before = await snapshot();
    const sent = {
      email: `${crypto.randomUUID()}@example.test`,
      organisation: spots['own department'].organisationId,
      department: spots['another organisation'].departmentId,
    };
    const { status } = await portal.sendJson('/dashboard/admin/users/invite', sent, { cookie });
    expect(status).toBe(404);
    expect(await snapshot()).toBe(before);
  });

  test.each(places)('who chooses the organisation of %s to look at', async (place) => {
    const { cookie } = await personIn(role, 'own department');
    const before = await snapshot();
    const sent = { org_id: spots[place].organisationId };
    const { status } = await portal.sendJson('/dashboard/set-admin-org', sent, { cookie });
    const isReached = place !== 'another organisation' || isAtLeast(role, 'platform_admin');
    expect([place, status]).toEqual([place, isReached ? 200 : 404]);
    expect((await snapshot()) === before).toBe(!isReached);
  });
});
