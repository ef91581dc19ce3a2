/** How requests come into their sums: once each, whoever folds, and without anybody waiting. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { everybody } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { Storage } from '../storage/storage.ts';
import { readUsageReport, rollupKeeper } from './index.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';
import { foldUnsummed, vacuumUnsummed } from './unsummed.ts';

const noon = new Date('2031-05-06T12:00:00Z');
const some = (count: number) =>
  Array.from({ length: count }, (_, place) =>
    sampleRecord('', { requestId: requestIdAt(noon), startedAt: noon, keyId: place % 3, costNanoUsd: 1n }),
  );

describeOnEachDatabase('requests that wait for their sums', (openDatabase, { kind }) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.db.execute(sql`TRUNCATE usage_records, usage_hourly, usage_daily, usage_unsummed`);
  });

  const told = async () => {
    const span = { from: new Date('2031-05-06T00:00:00Z'), to: new Date('2031-05-07T00:00:00Z') };
    const { rows } = await readUsageReport(everybody, storage.db, span);
    return rows[0]?.requests ?? 0;
  };
  const count = async (table: string) => {
    const { rows } = await storage.db.execute<{ count: string }>(
      sql`SELECT coalesce(sum(${sql.raw(table === 'usage_unsummed' ? '1' : 'requests')}), 0)::text AS count
        FROM ${sql.identifier(table)} ${sql.raw(table === 'usage_unsummed' ? '' : 'WHERE facet = 1')}`,
    );
    return Number(rows[0]?.count);
  };
  const counts = async () => [
    await count('usage_unsummed'),
    await count('usage_hourly'),
    await count('usage_daily'),
  ];

  test('are told at once, and folded so many at a time', async () => {
    await insertUsage(storage.db, some(10));
    expect([await counts(), await told()]).toEqual([[10, 0, 0], 10]);
    expect(await foldUnsummed(storage.db, 7)).toEqual({ requests: 7, hasMore: true });
    expect([await counts(), await told()]).toEqual([[3, 7, 7], 10]);
    expect(await foldUnsummed(storage.db, 7)).toEqual({ requests: 3, hasMore: false });
    expect([await counts(), await told()]).toEqual([[0, 10, 10], 10]);
    expect(await foldUnsummed(storage.db, 7)).toEqual({ requests: 0, hasMore: false });
  });

  test('wait only once when they are written again', async () => {
    const records = some(3);
    await insertUsage(storage.db, records);
    await foldUnsummed(storage.db, 100);
    await insertUsage(storage.db, [...records, ...records]);
    expect([await counts(), await told()]).toEqual([[0, 3, 3], 3]);
  });

  test('go on waiting when the sums cannot be written', async () => {
    await insertUsage(storage.db, some(3));
    await storage.db.execute(sql`ALTER TABLE usage_daily ADD CONSTRAINT never CHECK (requests < 0)`);
    await expect(foldUnsummed(storage.db, 100)).rejects.toThrow();
    expect([await counts(), await told()]).toEqual([[3, 0, 0], 3]);
    await storage.db.execute(sql`ALTER TABLE usage_daily DROP CONSTRAINT never`);
  });

  test('are in the sums once when several fold, store and read at the same moment', async () => {
    const seen: number[] = [];
    for (let round = 1; round <= 8; round += 1) {
      const stored = insertUsage(storage.db, some(20));
      const folds = [1, 2, 3].map(() => foldUnsummed(storage.db, 15));
      const report = told();
      await Promise.all([stored, ...folds]);
      seen.push(await report);
    }
    // A batch is there as a whole or not at all, and nothing that was told goes away or comes twice.
    expect(seen.every((requests, round) => requests === 20 * round || requests === 20 * (round + 1))).toBe(
      true,
    );
    while ((await foldUnsummed(storage.db, 50)).hasMore);
    expect([await counts(), await told()]).toEqual([[0, 160, 160], 160]);
  });

  test.skipIf(kind === 'embedded')('are stored without a wait while somebody folds', async () => {
    await insertUsage(storage.db, some(5));
    await storage.db.transaction(async (transaction) => {
      await foldUnsummed(transaction, 100);
      // Both would wait for the end of this transaction if they wrote the same sums.
      await insertUsage(storage.db, some(5));
      expect(await foldUnsummed(storage.db, 100)).toEqual({ requests: 0, hasMore: false });
    });
    expect([await counts(), await told()]).toEqual([[5, 5, 5], 10]);
  });

  test('leave no room behind that is not used again', async () => {
    const bytes = async () => {
      const { rows } = await storage.db.execute<{ bytes: string }>(
        sql`SELECT pg_relation_size('usage_unsummed')::text AS bytes`,
      );
      return Number(rows[0]?.bytes);
    };
    await storage.db.execute(sql`ALTER TABLE usage_unsummed SET (autovacuum_enabled = false)`);
    await insertUsage(storage.db, some(5));
    await storage.db.execute(sql`INSERT INTO usage_unsummed
      SELECT waiting.* FROM usage_unsummed AS waiting, generate_series(1, 10000)`);
    expect(await bytes()).toBeGreaterThan(4 * 1024 ** 2);
    while ((await foldUnsummed(storage.db, 30_000)).hasMore);
    // Whoever reads in this database at that moment, as autovacuum may, keeps what was deleted: then once more.
    do await vacuumUnsummed(storage.db);
    while ((await bytes()) > 4 * 1024 ** 2);
    expect(await bytes()).toBeLessThan(1024 ** 2);
  });

  test('are folded at the start of a server and every few seconds until it stops, also after a failure', async () => {
    const clock = new ManualClock();
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
    const round = async () => {
      while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    await insertUsage(storage.db, some(5));
    const keeper = rollupKeeper({ storage, clock, log });
    await round();
    expect(await counts()).toEqual([0, 5, 5]);
    await storage.db.execute(sql`ALTER TABLE usage_daily RENAME TO usage_away`);
    await insertUsage(storage.db, some(5));
    for (const _ of [1, 2]) {
      await clock.advance(2_000);
      await round();
    }
    expect(warnings).toEqual([expect.stringContaining('tried until they are')]);
    await storage.db.execute(sql`ALTER TABLE usage_away RENAME TO usage_daily`);
    await clock.advance(2_000);
    await round();
    await keeper.close();
    expect(await counts()).toEqual([0, 10, 10]);
    expect(clock.pendingTimers).toBe(0);
  });
});
