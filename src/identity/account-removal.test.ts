import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { type KeptElsewhere, removeAccount } from './account-removal.ts';
import { acceptInvite, createInvite, revokeInvite } from './invites.ts';
import { createOrganisation } from './organisations.ts';
import type { User, UserRole } from './user.ts';
import { createUser, findUser } from './users.ts';

describeOnEachDatabase('removing an account', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let people = 0;
  let keptElsewhere: readonly KeptElsewhere[] = [];
  const nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
  });
  afterAll(() => storage.close());
  afterEach(() => {
    keptElsewhere = [];
  });

  const person = (role: UserRole = 'member') => {
    people += 1;
    return write(createUser, { email: `p${people}@example.test`, name: `Person ${people}`, role });
  };
  const remove = (scope: Scope, user: User, actor: User, typedEmail = user.email) =>
    write(within(scope, removeAccount), { userId: user.id, typedEmail, actor, keptElsewhere });

  test('is for oneself and for who stands above, within their scope', async () => {
    const { id: organisationId } = await write(createOrganisation, { name: 'Own' });
    const [owner, admin, peer, member, stranger] = [
      ...[await person('org_owner'), await person('org_admin'), await person('org_admin')],
      ...[await person(), await person()],
    ] as const;
    for (const { id } of [owner, admin, peer, member]) {
      await storage.db.update(users).set({ organisationId }).where(eq(users.id, id));
    }
    const own: Scope = { whose: 'organisation', organisationId };
    await expect(remove(own, peer, admin)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(remove(own, owner, admin)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(remove(own, stranger, admin)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(onlyOf(member.id), admin, member)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(own, member, admin, 'other@example.test')).rejects.toMatchObject({
      code: 'validation_failed',
      param: 'email',
    });
    expect(await findUser(everybody, storage.db, member.id)).toBeDefined();
    await remove(own, member, admin);
    await remove(onlyOf(peer.id), peer, peer);
    expect(await findUser(everybody, storage.db, peer.id)).toBeUndefined();
    expect(await findUser(everybody, storage.db, owner.id)).toBeDefined();
  });

  test('holds what others keep before it looks at the account, and has it forgotten in the same work', async () => {
    const user = await person();
    const seen: unknown[] = [];
    const typed = 'moved@example.test';
    keptElsewhere = [
      {
        async hold({ executor }, id) {
          await executor.update(users).set({ email: typed }).where(eq(users.id, id));
        },
        async forget(_work, { id, email }) {
          seen.push([id, email]);
          throw new Error('cannot be forgotten');
        },
      },
    ];
    await expect(remove(onlyOf(user.id), user, user)).rejects.toMatchObject({ param: 'email' });
    expect(seen).toEqual([]);
    await expect(remove(onlyOf(user.id), user, user, typed)).rejects.toThrow('cannot be forgotten');
    expect(seen).toEqual([[user.id, typed]]);
    expect(await findUser(everybody, storage.db, user.id)).toMatchObject({ email: user.email });
  });

  test('leaves the address in no entry of the audit trail, those about invitations included', async () => {
    const { id: organisationId } = await write(createOrganisation, { name: 'Inviting' });
    const inviter = await person('platform_admin');
    const user = await person();
    const invite = (email: string) =>
      write(within(everybody, createInvite), {
        ...{ inviter, email, role: 'member' as const },
        ...{ organisationId, departmentId: null },
      });
    const { id: inviteId } = await invite(user.email);
    await write(within(everybody, revokeInvite), { inviteId, actor: inviter });
    const { secret } = await invite(user.email);
    await invite('other@example.test');
    const joined = await write(acceptInvite, secret, user);
    const trail = async () => JSON.stringify(await storage.db.select().from(auditEntries));
    expect(await trail()).toContain(user.email);
    await remove(onlyOf(user.id), joined, joined);
    expect(await trail()).not.toContain(user.email);
    expect(await trail()).toContain('other@example.test');
  });
});
