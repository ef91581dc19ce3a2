import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { changeAccountStatus } from './account-status.ts';
import { createKey, listKeys } from './keys.ts';
import { createOrganisation } from './organisations.ts';
import { createUser, findUser, type NewUser } from './users.ts';

describeOnEachDatabase('the status of an account', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let people = 0;
  const nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
  });
  afterAll(() => storage.close());

  const person = (fields: Partial<NewUser> = {}) => {
    people += 1;
    return write(createUser, { email: `p${people}@example.test`, role: 'member', ...fields });
  };
  const change = (userId: number, status: 'active' | 'suspended' | 'archived', scope: Scope = everybody) =>
    write(within(scope, changeAccountStatus), { userId, status });
  const newKey = (ownerId: number) =>
    write(within(everybody, createKey), 'sk-test-', { ownerId, name: 'laptop' });
  const keysOf = (ownerId: number) => listKeys(everybody, storage.db, { ownerId, includeRevoked: true });
  const notesOf = async (userId: number) => {
    const entries = await storage.db
      .select({ action: auditEntries.action, details: auditEntries.details })
      .from(auditEntries)
      .where(eq(auditEntries.userId, userId))
      .orderBy(asc(auditEntries.id));
    return entries.slice(1);
  };

  test('suspended keeps its keys, and opens again as it was', async () => {
    const { id } = await person();
    await newKey(id);
    expect(await change(id, 'suspended')).toMatchObject({ id, status: 'suspended' });
    expect(await findUser(everybody, storage.db, id)).toMatchObject({ status: 'suspended' });
    // Asked twice it changes nothing, and nothing is noted.
    await change(id, 'suspended');
    expect(await change(id, 'active')).toMatchObject({ status: 'active' });
    expect(await keysOf(id)).toMatchObject([{ revokedAt: null }]);
    expect(await notesOf(id)).toEqual([
      { action: 'key.created', details: expect.anything() },
      { action: 'account.status_changed', details: { status: { from: 'active', to: 'suspended' } } },
      { action: 'account.status_changed', details: { status: { from: 'suspended', to: 'active' } } },
    ]);
  });

  test('closed has its keys revoked, each as if by itself, and opens without them', async () => {
    const { id } = await person();
    const [other, first] = [await newKey((await person()).id), await newKey(id)];
    await newKey(id);
    await change(id, 'archived');
    expect((await keysOf(id)).map(({ revokedAt }) => revokedAt)).toEqual([new Date(nowMs), new Date(nowMs)]);
    expect(await keysOf(other.key.ownerId)).toMatchObject([{ revokedAt: null }]);
    await change(id, 'active');
    expect(await keysOf(id)).toMatchObject([{ id: first.key.id, revokedAt: new Date(nowMs) }, {}]);
    const actions = (await notesOf(id)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'key.revoked')).toHaveLength(2);
  });

  test('opened again waits for an address that was never verified', async () => {
    const { id } = await person({ status: 'unverified' });
    expect(await change(id, 'active')).toMatchObject({ status: 'unverified' });
    await change(id, 'suspended');
    expect(await change(id, 'active')).toMatchObject({ status: 'unverified' });
  });

  test('of the last owner stays, and so does the account of who pays for others', async () => {
    const [one, two] = [await person({ role: 'platform_owner' }), await person({ role: 'platform_owner' })];
    await change(one.id, 'suspended');
    for (const status of ['suspended', 'archived'] as const) {
      await expect(change(two.id, status)).rejects.toMatchObject({ code: 'conflict' });
    }
    await change(one.id, 'active');
    // Of two who go at once, the second is the last.
    const ends = await Promise.allSettled([change(one.id, 'archived'), change(two.id, 'suspended')]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);

    const [payer, colleague] = [await person(), await person()];
    const { id: organisationId } = await write(createOrganisation, { name: 'Paying' });
    for (const { id } of [payer, colleague]) {
      await storage.db.update(users).set({ organisationId }).where(eq(users.id, id));
    }
    const own = eq(organisations.id, organisationId);
    await storage.db.update(organisations).set({ billingUserId: payer.id }).where(own);
    await expect(change(payer.id, 'archived')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('pays for others'),
    });
    await change(payer.id, 'suspended');
  });

  test('is not there outside the scope', async () => {
    const [one, other] = [await person(), await person()];
    const attempt = change(one.id, 'suspended', onlyOf(other.id));
    await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
    await expect(change(999_999, 'suspended')).rejects.toMatchObject({ code: 'not_found' });
  });
});
