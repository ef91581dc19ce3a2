import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type Work } from '../storage/work.ts';
import { expiryKeeper, listEndingKeys, tellOfExpiry, warningMsOf } from './key-ends.ts';
import { listKeyPage, stateOfKey } from './key-list.ts';
import { createKey, requireKey } from './keys.ts';
import { createUser } from './users.ts';

const dayMs = 86_400_000;

describeOnEachDatabase('the end of a key', (openDatabase) => {
  let storage: Storage;
  const clock = new ManualClock();
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  const write = <Result>(run: (work: Work) => Promise<Result>) =>
    transact({ storage, clock, ids: systemIds }, run);
  const told = async () =>
    (await storage.db.select().from(notificationEvents).orderBy(asc(notificationEvents.id)))
      .filter(({ kind }) => kind.startsWith('key.'))
      .map(({ kind, facts }) => [kind, facts['name'], facts['days']]);

  test('is told seven days and a day before, and when it has come; each once for each end', async () => {
    const owner = await write((work) => createUser(work, { email: 'ada@example.test', role: 'member' }));
    const make = (name: string, days: number) =>
      write((work) =>
        createKey(everybody, work, 'sluice_', {
          ...{ ownerId: owner.id, name, expiresAt: new Date(clock.nowMs() + days * dayMs) },
        }),
      );
    await make('far', 30);
    await make('nightly', 8);
    await write(tellOfExpiry);
    expect(await told()).toEqual([]);
    await clock.advance(2 * dayMs);
    await Promise.all([write(tellOfExpiry), write(tellOfExpiry)]);
    await write(tellOfExpiry);
    expect(await told()).toEqual([['key.expires_soon', 'nightly', 7]]);
    await clock.advance(5.5 * dayMs);
    await write(tellOfExpiry);
    await write(tellOfExpiry);
    await clock.advance(dayMs);
    await write(tellOfExpiry);
    await write(tellOfExpiry);
    expect((await told()).slice(1)).toEqual([
      ['key.expires_soon', 'nightly', 1],
      ['key.expired', 'nightly', undefined],
    ]);
    await storage.db.update(apiKeys).set({ expiresAt: new Date(clock.nowMs() + 5 * dayMs) });
    await storage.db.update(apiKeys).set({ revokedAt: new Date(clock.nowMs()) });
    await write(tellOfExpiry);
    expect(await told()).toHaveLength(3);
    await storage.db.update(apiKeys).set({ revokedAt: null });
    await write(tellOfExpiry);
    expect((await told()).slice(3).sort()).toEqual([
      ['key.expires_soon', 'far', 7],
      ['key.expires_soon', 'nightly', 7],
    ]);
  });

  test('is told when it has come, and not before by a process whose clock is ahead', async () => {
    const owner = await write((work) => createUser(work, { email: 'eve@example.test', role: 'member' }));
    const fields = { ownerId: owner.id, name: 'kept', expiresAt: new Date(clock.nowMs() + dayMs) };
    await write((work) => createKey(everybody, work, 'sluice_', fields));
    const round = async (aheadMs: number) => {
      const ahead = new ManualClock(clock.nowMs() + aheadMs);
      const parts = { storage, clock: ahead, ids: systemIds, databaseMs: async () => clock.nowMs() };
      const keeper = expiryKeeper({ ...parts, log: silentLog });
      // It waits for its next round once the first is over.
      while (ahead.pendingTimers === 0) await ahead.advance(0);
      await keeper.close();
      return (await told()).filter(([, name]) => name === 'kept');
    };
    const soon = ['key.expires_soon', 'kept', 1];
    expect(await round(1.5 * dayMs)).toEqual([soon]);
    await clock.advance(dayMs);
    expect(await round(1.5 * dayMs)).toEqual([soon, ['key.expired', 'kept', undefined]]);
  });

  test('is news in the last fifth of a life, a week at most, and of few days on the last one alone', async () => {
    const days = [365, 30, 10, 9, 7, 1].map((life) => [life, warningMsOf(life * dayMs) / dayMs]);
    expect(days).toEqual([
      [365, 7],
      [30, 6],
      [10, 2],
      [9, 1],
      [7, 1],
      [1, 0.2],
    ]);
  });

  test('is news to mails, the overview and the list from the same moment on', async () => {
    const owner = await write((work) => createUser(work, { email: 'bob@example.test', role: 'member' }));
    for (const life of [60, 30, 9, 7, 1]) {
      const bornMs = clock.nowMs();
      const name = `lives ${life}`;
      const fields = { ownerId: owner.id, name, expiresAt: new Date(bornMs + life * dayMs) };
      const { key } = await write((work) => createKey(everybody, work, 'sluice_', fields));
      await storage.db
        .update(apiKeys)
        .set({ createdAt: new Date(bornMs) })
        .where(eq(apiKeys.id, key.id));
      const isNews = async () => {
        await write(tellOfExpiry);
        const nowMs = clock.nowMs();
        const listed = await listEndingKeys(everybody, storage.db, { nowMs, limit: 50 });
        const asked = { nowMs, sort: 'made', isDescending: true, page: 1, pageSize: 50 } as const;
        const { keys } = await listKeyPage(everybody, storage.db, { ...asked, state: 'expiring' });
        const state = stateOfKey(await requireKey(storage.db, key.id), nowMs);
        return [
          (await told()).some(([, about]) => about === name),
          listed.some(({ id }) => id === key.id),
          keys.some(({ id }) => id === key.id),
          state === 'expiring',
        ];
      };
      expect(await isNews()).toEqual([false, false, false, false]);
      await clock.advance(life * dayMs - warningMsOf(life * dayMs) - 1);
      expect(await isNews()).toEqual([false, false, false, false]);
      await clock.advance(1);
      expect(await isNews()).toEqual([true, true, true, true]);
    }
    expect((await told()).filter(([, about]) => about === 'lives 7')).toHaveLength(1);
  });
});
