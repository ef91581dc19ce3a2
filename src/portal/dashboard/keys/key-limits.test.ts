import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { within } from '../../../../test/support/writing.ts';
import { everybody } from '../../../base/scope.ts';
import { createKey, setAdminView, type UserRole } from '../../../identity/index.ts';
import { type House, newcomersIn } from '../../../identity/testing/newcomers.ts';
import { users } from '../../../storage/schema/identity.ts';
import { sessions } from '../../../storage/schema/sign-in.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';

let storage: TestDatabase;
let portal: TestPortal;
let own: House;
let foreign: House;
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  const newcomers = newcomersIn(storage, portal.write);
  own = await newcomers.house('own');
  foreign = await newcomers.house('foreign');
});

async function of(role: UserRole, house: House, departmentId: number | null = house.sales) {
  const { user, cookie } = await portal.signedIn({ role });
  const place = { organisationId: house.id, departmentId };
  await storage.db.update(users).set(place).where(eq(users.id, user.id));
  const [session] = await storage.db.select().from(sessions).where(eq(sessions.userId, user.id));
  const view = { adminMode: true, organisationId: null };
  await portal.write(setAdminView, session?.id ?? 0, view);
  return { user, cookie };
}

async function keyOf(ownerId: number, limits: object): Promise<number> {
  const made = await portal.write(within(everybody, createKey), 'sluice_', {
    ownerId,
    name: 'one',
    ...limits,
  });
  return made.key.id;
}

const ask = (keyId: number | string, cookie: string) =>
  portal.ask(`/dashboard/admin/api/key-rate-limit-state?key_id=${keyId}`, { headers: { cookie } });

test('a key’s limits are told to who administers it, with what its requests have taken of them', async () => {
  const { user } = await of('member', own);
  const admin = await of('org_admin', own);
  const limits = { requestsPerMinute: 5, tokensPerMinute: null, concurrentRequests: 2 };
  const keyId = await keyOf(user.id, limits);
  const told = async () => JSON.parse((await ask(keyId, admin.cookie)).text);
  const requests = { limit: 5, remaining: 5, reset_seconds: 0 };
  expect(await told()).toEqual({
    key_id: keyId,
    limits: { requests, tokens: null, concurrent: { limit: 2, remaining: 2 }, counted_by: 'process' },
  });
  const caller = { keyId, userId: user.id, keyLimits: limits, userLimits: null };
  const tickets = [portal.limiter.admit(caller), portal.limiter.admit(caller)];
  const used = {
    requests: { limit: 5, remaining: 3, reset_seconds: 24 },
    concurrent: { limit: 2, remaining: 0 },
  };
  expect(await told()).toMatchObject({ limits: used });
  for (const ticket of tickets) ticket.close(0);
  expect(await told()).toMatchObject({ limits: { concurrent: { remaining: 2 } } });
});

test('a key without limits has none to tell', async () => {
  const admin = await of('org_admin', own);
  const keyId = await keyOf(admin.user.id, {});
  expect(JSON.parse((await ask(keyId, admin.cookie)).text)).toEqual({ key_id: keyId, limits: null });
});

test('of a key in another organisation nothing is told, nor to a member, nor without a number', async () => {
  const { user, cookie } = await of('member', own);
  const stranger = await of('org_owner', foreign);
  const keyId = await keyOf(user.id, { requestsPerMinute: 5 });
  expect((await ask(keyId, stranger.cookie)).status).toBe(404);
  expect((await ask(999_999, stranger.cookie)).status).toBe(404);
  expect((await ask(keyId, cookie)).status).toBe(403);
  expect((await ask('one', stranger.cookie)).status).toBe(422);
  expect((await ask('', stranger.cookie)).status).toBe(422);
});

test('an admin of a department is told of its keys, and of no others in the organisation', async () => {
  const admin = await of('department_admin', own);
  const statusOf = async (departmentId: number | null) => {
    const { user } = await of('member', own, departmentId);
    return (await ask(await keyOf(user.id, { requestsPerMinute: 5 }), admin.cookie)).status;
  };
  expect(await statusOf(own.sales)).toBe(200);
  expect(await statusOf(own.labs)).toBe(404);
  expect(await statusOf(null)).toBe(404);
});
