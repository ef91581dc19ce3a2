import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import { accounts } from '../storage/schema/ledger.ts';
import type { Storage } from '../storage/storage.ts';
import { createInvite } from './invites.ts';
import { createKey } from './keys.ts';
import { acceptLegal } from './legal.ts';
import { issueToken } from './one-time-tokens.ts';
import { startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { unverifiedKeeper } from './unverified-keeper.ts';
import { createUser, type NewUser } from './users.ts';

const dayMs = 86_400_000;

describeOnEachDatabase('accounts that were never verified', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let clock: ManualClock;
  beforeAll(async () => {
    storage = await openDatabase();
    clock = new ManualClock();
    write = writerOn({ storage, clock, ids: systemIds });
  });
  afterAll(() => storage.close());

  async function newUser(name: string, fields: Partial<NewUser> = {}, ageDays = 31) {
    const email = `${name}@example.test`;
    const user = await write(createUser, { email, role: 'member', status: 'unverified', ...fields });
    const createdAt = new Date(clock.nowMs() - ageDays * dayMs);
    await storage.db.update(users).set({ createdAt }).where(eq(users.id, user.id));
    return user;
  }

  const names = async () =>
    (await storage.db.select({ email: users.email }).from(users).orderBy(asc(users.id))).map(
      ({ email }) => email.split('@')[0],
    );

  const databaseMs = async () => clock.nowMs();
  const open = (afterDays: number) =>
    unverifiedKeeper({ storage, clock, ids: systemIds, log: silentLog, afterDays, databaseMs });
  async function round(): Promise<void> {
    while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  test('are removed with everything of theirs once they are old, and others stay', async () => {
    const gone = await newUser('gone');
    await write(within(onlyOf(gone.id), acceptLegal), '2030-01-01');
    await write(startSession, gone.id, signedInBy('password'));
    await write(issueToken, 'verify_email', gone.id, { email: gone.email });
    await write(within(everybody, createKey), 'sluice_', { ownerId: gone.id, name: 'never used' });
    await newUser('young', {}, 29);
    await newUser('verified', { status: 'active' });
    await newUser('suspended', { status: 'suspended' });
    await newUser('admin', { role: 'platform_admin' });
    const declared = await newUser('declared');
    await storage.db.update(users).set({ managedBy: 'file' }).where(eq(users.id, declared.id));
    const rich = await newUser('rich');
    await storage.db.insert(accounts).values({ kind: 'paid', userId: rich.id });
    const caller = await newUser('caller');
    await write(within(everybody, createKey), 'sluice_', { ownerId: caller.id, name: 'used' });
    const lastUsedAt = new Date(clock.nowMs());
    await storage.db.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.ownerId, caller.id));
    const inviter = await newUser('inviter', { role: 'platform_owner', status: 'active' });
    await newUser('invited');
    await write(within(everybody, createInvite), {
      ...{ inviter, email: 'invited@example.test', role: 'member' as const },
      ...{ organisationId: null, departmentId: null },
    });

    const off = open(0);
    await off.close();
    expect(await names()).toContain('gone');
    expect(clock.pendingTimers).toBe(0);

    const keeper = open(30);
    await round();
    const stay = ['verified', 'suspended', 'admin', 'declared', 'rich', 'caller', 'inviter', 'invited'];
    expect(await names()).toEqual(['young', ...stay]);
    expect(await storage.db.select().from(apiKeys).where(eq(apiKeys.ownerId, gone.id))).toEqual([]);
    const trail = JSON.stringify(await storage.db.select().from(auditEntries));
    expect(trail).toContain('young@example.test');
    expect(trail).not.toContain(gone.email);

    await clock.advance(dayMs / 2);
    await round();
    expect(await names()).toContain('young');
    await clock.advance(dayMs);
    await round();
    // The round before began while time was still passing.
    await clock.advance(dayMs / 24);
    await round();
    await keeper.close();
    expect(await names()).toEqual(stay);
    expect(clock.pendingTimers).toBe(0);
  });

  test("are left by a server whose clock is ahead of the database's", async () => {
    const createdAt = new Date();
    const { id } = await newUser('new');
    await storage.db.update(users).set({ createdAt }).where(eq(users.id, id));
    const ahead = new ManualClock(createdAt.getTime() + 31 * dayMs);
    const parts = { storage, clock: ahead, ids: systemIds, log: silentLog };
    const keeper = unverifiedKeeper({ ...parts, afterDays: 30 });
    while (ahead.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    await keeper.close();
    expect(await names()).toContain('new');
  });
});
