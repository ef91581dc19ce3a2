import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type Work } from '../storage/work.ts';
import { tellOfExpiry } from './account-events.ts';
import { createKey } from './keys.ts';
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
});
