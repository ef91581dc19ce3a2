import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import type { Clock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import type { Storage } from '../storage/storage.ts';
import { watchProviders } from './provider-watch.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { usageRecord } from './testing/usage-record.ts';

describeOnEachDatabase('providers in trouble', (openDatabase) => {
  let storage: Storage;
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 12));
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  async function ask(provider: string, count: number, errorCode: string | null): Promise<void> {
    const attempt = { provider, credentialId: null, status: 200, latencyMs: 5, errorCode };
    const startedAt = new Date(clock.nowMs());
    const records = Array.from({ length: count }, () =>
      usageRecord(provider, { requestId: requestIdAt(startedAt), startedAt, attempts: [attempt] }),
    );
    await insertUsage(storage.db, records);
    await clock.advance(1000);
  }
  const databaseMs = async () => clock.nowMs();
  const look = (shown: Clock = clock) =>
    watchProviders({ storage, clock: shown, ids: systemIds, databaseMs });
  const told = async () =>
    (await storage.db.select().from(notificationEvents).orderBy(asc(notificationEvents.id))).map(
      ({ kind, audience, facts }) => [kind, audience, facts['provider']],
    );

  test('are told once when they begin to fail and once when they answer again, to who runs the platform', async () => {
    await ask('steady', 40, null);
    await ask('few', 19, 'upstream_failed');
    await ask('strict', 40, 'upstream_refused_request');
    await ask('left', 40, 'client_closed');
    await ask('broken', 20, null);
    await ask('broken', 19, 'upstream_failed');
    await look();
    expect(await told()).toEqual([]);
    await ask('broken', 1, 'upstream_timeout');
    await Promise.all([look(), look(), look()]);
    await look();
    expect(await told()).toEqual([['provider.troubled', 'platform', 'broken']]);
    await clock.advance(4 * 60_000);
    await ask('broken', 9, null);
    await clock.advance(3 * 60_000);
    await look();
    expect(await told()).toHaveLength(1);
    await ask('broken', 1, null);
    await look();
    await look();
    expect((await told()).slice(1)).toEqual([['provider.recovered', 'platform', 'broken']]);
  });

  test('that hang until a request’s time is over count when it is, however long before it began', async () => {
    const before = (await told()).length;
    const beganAt = new Date(clock.nowMs());
    await clock.advance(600_000);
    const timeout = { credentialId: null, status: null, latencyMs: 600_000, errorCode: 'upstream_timeout' };
    const attempt = { provider: 'hanging', ...timeout };
    await insertUsage(
      storage.db,
      Array.from({ length: 20 }, () => ({
        ...usageRecord('hanging', {
          requestId: requestIdAt(beganAt),
          startedAt: beganAt,
          attempts: [attempt],
        }),
        durationMs: 600_000,
      })),
    );
    await look();
    expect((await told()).slice(before)).toEqual([['provider.troubled', 'platform', 'hanging']]);
  });

  test('are told once by several processes, though the date of one is hours ahead', async () => {
    const before = (await told()).length;
    const ahead = new ManualClock(clock.nowMs() + 2 * 3_600_000);
    await ask('seen by two', 20, 'upstream_failed');
    for (let round = 0; round < 3; round += 1) {
      await look();
      await look(ahead);
    }
    expect((await told()).slice(before)).toEqual([['provider.troubled', 'platform', 'seen by two']]);
  });

  test('that are hardly asked any more are forgotten after an hour, so that the next outage is told', async () => {
    const before = (await told()).length;
    const since = async () => (await told()).slice(before);
    const troubled = ['provider.troubled', 'platform', 'left alone'];
    await ask('left alone', 20, 'upstream_failed');
    await look();
    expect(await since()).toEqual([troubled]);
    await clock.advance(59 * 60_000);
    await ask('left alone', 9, null);
    await look();
    await ask('left alone', 20, 'upstream_failed');
    await look();
    expect(await since()).toEqual([troubled]);
    await clock.advance(10 * 60_000);
    await ask('left alone', 9, 'upstream_failed');
    await look();
    expect(await since()).toEqual([troubled]);
    await ask('left alone', 11, 'upstream_failed');
    await look();
    expect(await since()).toEqual([troubled, troubled]);
    await clock.advance(2 * 3_600_000);
    await ask('left alone', 20, 'upstream_failed');
    await look();
    await ask('left alone', 20, 'upstream_failed');
    await look();
    expect(await since()).toEqual([troubled, troubled]);
  });
});
