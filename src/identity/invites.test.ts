import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { invites, users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import {
  acceptInvite,
  createInvite,
  findInvite,
  listInvites,
  type NewInvite,
  revokeInvite,
} from './invites.ts';
import { createOrganisation } from './organisations.ts';
import { register } from './registration.ts';
import { widestScope } from './roles.ts';
import { findSession, startSession } from './sessions.ts';
import { newDepartment } from './testing/new-department.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { hashToken } from './token.ts';
import type { User, UserRole } from './user.ts';
import { createUser, findUser } from './users.ts';

const dayMs = 24 * 3_600_000;

describeOnEachDatabase('invitations', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let parts: AgreeingParts;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  let place: { own: number; foreign: number; sales: number; works: number; foreignSales: number };
  let platformAdmin: User;
  let orgAdmin: User;
  let departmentAdmin: User;
  let member: User;

  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => nowMs };
    write = writerOn(parts);
    const own = await write(createOrganisation, { name: 'Own' });
    const foreign = await write(createOrganisation, { name: 'Foreign' });
    place = {
      own: own.id,
      foreign: foreign.id,
      sales: (await write(newDepartment, own.id, 'Sales')).id,
      works: (await write(newDepartment, own.id, 'Works')).id,
      foreignSales: (await write(newDepartment, foreign.id, 'Sales')).id,
    };
    platformAdmin = await someone('platform_admin', {});
    orgAdmin = await someone('org_admin', { organisationId: place.own });
    departmentAdmin = await someone('department_admin', {
      organisationId: place.own,
      departmentId: place.sales,
    });
    member = await someone('member', { organisationId: place.own });
  });
  afterAll(() => storage.close());

  let people = 0;
  async function someone(role: UserRole, where: { organisationId?: number; departmentId?: number } = {}) {
    people += 1;
    const { id } = await write(createUser, { email: `p${people}@example.test`, name: `P ${people}`, role });
    if (where.organisationId !== undefined) await storage.db.update(users).set(where).where(eq(users.id, id));
    const user = await findUser(everybody, storage.db, id);
    if (user === undefined) throw new Error('nobody was made');
    return user;
  }

  const invite = (inviter: User, fields: Partial<NewInvite> = {}, scope: Scope = widestScope(inviter)) =>
    write(within(scope, createInvite), {
      inviter,
      email: 'new@example.test',
      role: 'member',
      organisationId: place.own,
      departmentId: null,
      ...fields,
    });

  const found = (secret: string) => findInvite(storage.db, { secret, nowMs });

  describe('who may invite whom', () => {
    test('into their own scope, up to their own role', async () => {
      await invite(platformAdmin, { role: 'platform_admin', organisationId: null });
      await invite(platformAdmin, { role: 'org_owner', organisationId: place.foreign });
      await invite(orgAdmin, { role: 'org_admin' });
      await invite(orgAdmin, { role: 'department_admin', departmentId: place.works });
      await invite(departmentAdmin, { role: 'department_admin', departmentId: place.sales });
    });

    test('422 above their role or without what is needed, 404 outside their scope, whether or not it exists', async () => {
      const refused = async (param: string, attempt: Promise<unknown>) =>
        await expect(attempt).rejects.toMatchObject({ code: 'validation_failed', param });
      const notThere = async (param: string, attempt: Promise<unknown>) =>
        await expect(attempt).rejects.toMatchObject({ code: 'not_found', param, fields: [{ loc: [param] }] });
      await refused('role', invite(platformAdmin, { role: 'platform_owner' }));
      await refused('role', invite(orgAdmin, { role: 'org_owner' }));
      await refused('role', invite(departmentAdmin, { role: 'org_admin', departmentId: place.sales }));
      await refused('role', invite(member));
      await notThere('organisation', invite(orgAdmin, { organisationId: place.foreign }));
      await notThere('organisation', invite(orgAdmin, { organisationId: 999_999 }));
      await refused('organisation', invite(orgAdmin, { organisationId: null }));
      await notThere('department', invite(orgAdmin, { departmentId: place.foreignSales }));
      await notThere('department', invite(orgAdmin, { departmentId: 999_999 }));
      await notThere('department', invite(departmentAdmin, { departmentId: place.works }));
      await refused('department', invite(departmentAdmin));
      await notThere('organisation', invite(orgAdmin, {}, onlyOf(orgAdmin.id)));
      await refused('organisation', invite(platformAdmin, { role: 'org_admin', organisationId: null }));
      await refused('department', invite(orgAdmin, { role: 'department_admin' }));
      await refused('email', invite(orgAdmin, { email: 'a\r\nBcc: b@example.test' }));
    });
  });

  test('whoever has the link sees what it is for, for seven days; only its hash is stored', async () => {
    const { secret, expiresAt } = await invite(orgAdmin, { departmentId: place.works });
    expect(expiresAt).toEqual(new Date(nowMs + 7 * dayMs));
    expect(await found(secret)).toMatchObject({
      email: 'new@example.test',
      role: 'member',
      state: 'pending',
      organisationName: 'Own',
      departmentName: 'Works',
      inviterName: orgAdmin.name,
    });
    expect(JSON.stringify(await storage.db.select().from(invites))).not.toContain(secret);
    expect(await found(`${secret}x`)).toBeUndefined();
    nowMs += 7 * dayMs;
    expect(await found(secret)).toBeUndefined();
  });

  test('a newer one for the same address and organisation takes the place of the one before', async () => {
    const first = await invite(orgAdmin, { email: 'twice@example.test' });
    const elsewhere = await invite(platformAdmin, {
      email: 'twice@example.test',
      organisationId: place.foreign,
    });
    const second = await invite(orgAdmin, { email: 'twice@example.test' });
    expect(await found(first.secret)).toBeUndefined();
    expect(await found(elsewhere.secret)).toBeDefined();
    expect(await found(second.secret)).toBeDefined();
  });

  test.each([
    ['in another department', { departmentId: 'works' }],
    ['of a higher role', { departmentId: 'sales', role: 'org_admin' }],
  ] as const)(
    'one %s, which its inviter could not revoke, stays good beside theirs',
    async (_what, given) => {
      const email = `${given.departmentId}@example.test`;
      const superior = await invite(orgAdmin, { ...given, email, departmentId: place[given.departmentId] });
      const own = await invite(departmentAdmin, { email, departmentId: place.sales });
      expect(await found(superior.secret)).toBeDefined();
      expect(await found(own.secret)).toBeDefined();
    },
  );

  test('stands for its inviter: it is worth nothing once they could not give it', async () => {
    const inviter = await someone('org_owner', { organisationId: place.own });
    const { secret } = await invite(inviter, { role: 'org_owner' });
    const change = (values: Partial<typeof users.$inferInsert>) =>
      storage.db.update(users).set(values).where(eq(users.id, inviter.id));
    for (const lost of [{ role: 'org_admin' }, { status: 'suspended' }, { organisationId: place.foreign }]) {
      await change(lost);
      expect(await found(secret)).toBeUndefined();
      await change({ role: 'org_owner', status: 'active', organisationId: place.own });
      expect(await found(secret)).toBeDefined();
    }
  });

  describe('accepting', () => {
    test('puts who has an account in their place, gives the role, and ends their sessions', async () => {
      const guest = await someone('member');
      const { secret } = await invite(orgAdmin, {
        email: guest.email,
        role: 'department_admin',
        departmentId: place.works,
      });
      const { token } = await write(startSession, guest.id, signedInBy('password'));
      const joined = await write(acceptInvite, secret, guest);
      expect(joined).toMatchObject({
        role: 'department_admin',
        organisationId: place.own,
        departmentId: place.works,
      });
      expect(await findUser(everybody, storage.db, guest.id)).toEqual(joined);
      expect(await findSession(parts, token)).toBeUndefined();
      await expect(write(acceptInvite, secret, joined)).rejects.toMatchObject({ param: 'invite' });
    });

    test('never lowers a role, and leaves sessions where it stays', async () => {
      const guest = await someone('platform_admin');
      const { secret } = await invite(orgAdmin, { email: guest.email });
      const { token } = await write(startSession, guest.id, signedInBy('password'));
      expect(await write(acceptInvite, secret, guest)).toMatchObject({
        role: 'platform_admin',
        organisationId: place.own,
      });
      expect(await findSession(parts, token)).toBeDefined();
    });

    test('leaves an admin’s role behind where it is for another place', async () => {
      const head = await someone('department_admin', {
        organisationId: place.own,
        departmentId: place.sales,
      });
      const moved = await invite(orgAdmin, { email: head.email, departmentId: place.works });
      expect(await write(acceptInvite, moved.secret, head)).toMatchObject({
        role: 'member',
        departmentId: place.works,
      });
      const chief = await someone('org_admin');
      const joining = await invite(orgAdmin, { email: chief.email });
      expect((await write(acceptInvite, joining.secret, chief)).role).toBe('member');
      const stays = await someone('department_admin', {
        organisationId: place.own,
        departmentId: place.sales,
      });
      const same = await invite(orgAdmin, { email: stays.email, departmentId: place.sales });
      expect((await write(acceptInvite, same.secret, stays)).role).toBe('department_admin');
    });

    test('leaves a suspended account suspended, also where that happened since it was looked at', async () => {
      const guest = await someone('member');
      const { secret } = await invite(orgAdmin, { email: guest.email });
      await storage.db.update(users).set({ status: 'suspended' }).where(eq(users.id, guest.id));
      const joined = await write(acceptInvite, secret, guest);
      expect([joined.status, joined.organisationId]).toEqual(['suspended', place.own]);
    });

    test('422 for another address, another organisation’s person, and one that is revoked', async () => {
      const [guest, others] = [
        await someone('member'),
        await someone('member', { organisationId: place.foreign }),
      ];
      const { id, secret } = await invite(orgAdmin, { email: guest.email });
      const refused = { code: 'validation_failed', param: 'invite' };
      await expect(write(acceptInvite, secret, member)).rejects.toMatchObject(refused);
      const forOthers = await invite(orgAdmin, { email: others.email });
      await expect(write(acceptInvite, forOthers.secret, others)).rejects.toMatchObject(refused);
      await write(within(widestScope(orgAdmin), revokeInvite), { inviteId: id, actor: orgAdmin });
      await expect(write(acceptInvite, secret, guest)).rejects.toMatchObject(refused);
      expect((await findUser(everybody, storage.db, guest.id))?.organisationId).toBeNull();
    });

    test('by registering makes an active account in its place, and only for the invited address', async () => {
      const { secret } = await invite(orgAdmin, { email: 'joins@example.test', role: 'org_admin' });
      const fields = {
        password: 'four plain words here',
        name: 'Joins',
        language: null,
        legalVersion: '1',
        invite: secret,
        organisationId: place.foreign,
      };
      const attempt = (email: string) => register(parts, { ...fields, email }, async () => undefined);
      await expect(attempt('other@example.test')).rejects.toMatchObject({ param: 'invite' });
      const joined = await attempt('joins@example.test');
      expect(joined).toMatchObject({
        outcome: 'joined',
        user: {
          status: 'active',
          role: 'org_admin',
          organisationId: place.own,
          emailVerifiedAt: new Date(nowMs),
        },
      });
      // Used up, whatever address comes with it: the answer says nothing of accounts.
      await expect(attempt('joins@example.test')).rejects.toMatchObject({ param: 'invite' });
    });

    test('of many at once, one does', async () => {
      const guest = await someone('member');
      const { secret } = await invite(orgAdmin, { email: guest.email });
      const attempts = await Promise.allSettled(
        Array.from({ length: 5 }, () => write(acceptInvite, secret, guest)),
      );
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });

  describe('in a scope', () => {
    test('nobody lists or revokes what is outside, or what gives more than they may', async () => {
      const outside = await invite(platformAdmin, { email: 'x@example.test', organisationId: place.foreign });
      const above = await invite(platformAdmin, { email: 'x@example.test', role: 'org_owner' });
      const inSales = await invite(departmentAdmin, { email: 'y@example.test', departmentId: place.sales });
      const idsIn = async (scope: Scope) =>
        (await listInvites(scope, storage.db, { nowMs })).invites.map(({ id }) => id);
      expect(await idsIn(widestScope(orgAdmin))).toContain(inSales.id);
      expect(await idsIn(widestScope(orgAdmin))).not.toContain(outside.id);
      expect(await idsIn(widestScope(departmentAdmin))).not.toContain(above.id);
      expect(await idsIn(onlyOf(departmentAdmin.id))).toContain(inSales.id);
      expect(await idsIn(onlyOf(departmentAdmin.id))).not.toContain(above.id);
      const revoke = (actor: User, inviteId: number) =>
        write(within(widestScope(actor), revokeInvite), { inviteId, actor });
      for (const [actor, inviteId] of [
        [orgAdmin, outside.id],
        [orgAdmin, above.id],
        [departmentAdmin, above.id],
        [member, inSales.id],
        [orgAdmin, 999_999],
      ] as const) {
        await expect(revoke(actor, inviteId)).rejects.toMatchObject({ code: 'not_found' });
      }
      await revoke(orgAdmin, inSales.id);
      await expect(revoke(orgAdmin, inSales.id)).rejects.toMatchObject({ code: 'not_found' });
      const { invites: listed, next } = await listInvites(everybody, storage.db, { nowMs });
      expect(next).toBeNull();
      const older = await listInvites(everybody, storage.db, { nowMs, before: inSales.id });
      expect(older.invites).toEqual(listed.slice(listed.findIndex(({ id }) => id === inSales.id) + 1));
      expect(listed.find(({ id }) => id === inSales.id)?.state).toBe('revoked');
      const [row] = await storage.db
        .select()
        .from(invites)
        .where(eq(invites.tokenHash, hashToken(above.secret)));
      expect(row?.status).toBe('pending');
    });
  });
});
