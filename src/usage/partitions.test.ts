/** How the request log lies in time, on a clock that the test moves. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { clockShowing, ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { usageRatings } from '../storage/schema/usage.ts';
import type { Storage } from '../storage/storage.ts';
import { partitionKeeper, readUsage, readUsageReport } from './index.ts';
import { keepPartitions, listPartitions, type PartitionSettings } from './partitions.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';

const at = (text: string) => new Date(`${text}Z`);
const cameAt = (text: string) => sampleRecord('', { requestId: requestIdAt(at(text)), startedAt: at(text) });

describeOnEachDatabase('partitions of the request log', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  /** As if the migration had been at the end of January 2040. */
  beforeEach(async () => {
    await storage.db.execute(sql`TRUNCATE usage_records, usage_hourly, usage_daily, usage_unsummed`);
    for (const { name, fromMs, toMs } of await listPartitions(storage.db)) {
      if (fromMs !== null && toMs !== null) await storage.db.execute(sql`DROP TABLE ${sql.identifier(name)}`);
    }
    await storage.db
      .execute(sql`ALTER TABLE usage_records DETACH PARTITION usage_records_first`)
      .catch(() => undefined);
    await storage.db.execute(sql`DROP TABLE IF EXISTS usage_records_first`);
    await storage.db.execute(sql`CREATE TABLE usage_records_first PARTITION OF usage_records
      FOR VALUES FROM (MINVALUE) TO ('0202f1a3-4800-0000-0000-000000000000')`);
  });

  const keep = (now: string, change: Partial<PartitionSettings> = {}) => {
    const settings: PartitionSettings = { span: 'month', retentionDays: null, ...change };
    return keepPartitions(
      { storage, clock: clockShowing(() => at(now).getTime()), ids: systemIds },
      settings,
    );
  };
  const bounds = async () =>
    (await listPartitions(storage.db)).map(({ fromMs, toMs }) =>
      [fromMs, toMs].map((ms) => (ms === null ? '' : new Date(ms).toISOString().slice(0, 10))).join(' to '),
    );
  const whereIs = async (): Promise<readonly string[]> => {
    const { rows } = await storage.db.execute<{ name: string }>(
      sql`SELECT tableoid::regclass::text AS name FROM usage_records ORDER BY request_id`,
    );
    return rows.map(({ name }) => name);
  };

  test('are made ahead, month by month, once', async () => {
    expect(await keep('2040-02-10T00:00:00')).toEqual({
      made: ['usage_records_2040_02_01', 'usage_records_2040_03_01'],
      dropped: [],
      deletedRows: 0,
    });
    expect((await keep('2040-02-28T23:59:59')).made).toEqual([]);
    expect((await keep('2040-03-01T00:00:00')).made).toEqual(['usage_records_2040_04_01']);
    expect(await bounds()).toEqual([
      ' to 2040-02-01',
      '2040-02-01 to 2040-03-01',
      '2040-03-01 to 2040-04-01',
      '2040-04-01 to 2040-05-01',
      ' to ',
    ]);
  });

  test('are made by the day where that is set, from where those of a month end', async () => {
    await keep('2040-02-10T00:00:00');
    expect((await keep('2040-03-30T00:00:00', { span: 'day' })).made).toEqual([
      ...['usage_records_2040_04_01', 'usage_records_2040_04_02', 'usage_records_2040_04_03'],
      ...['usage_records_2040_04_04', 'usage_records_2040_04_05'],
    ]);
  });

  test('after a long time in which nobody made any are one for all that time', async () => {
    await keep('2041-06-10T00:00:00');
    expect((await bounds()).slice(1)).toEqual([
      '2040-02-01 to 2041-06-01',
      '2041-06-01 to 2041-07-01',
      '2041-07-01 to 2041-08-01',
      ' to ',
    ]);
  });

  test('take rows by their time, also those that came before their partition was made', async () => {
    await insertUsage(storage.db, [cameAt('2040-01-31T23:59:59.999'), cameAt('2040-02-01T00:00:00')]);
    expect(await whereIs()).toEqual(['usage_records_first', 'usage_records_default']);
    await keep('2040-02-10T00:00:00');
    await insertUsage(storage.db, [cameAt('2040-03-01T00:00:00')]);
    expect(await whereIs()).toEqual([
      'usage_records_first',
      'usage_records_2040_02_01',
      'usage_records_2040_03_01',
    ]);
  });

  test('are made once where several processes make them at the same moment', async () => {
    const reports = await Promise.all([keep('2040-02-10T00:00:00'), keep('2040-02-10T00:00:00')]);
    expect(reports.flatMap(({ made }) => made).sort()).toEqual([
      'usage_records_2040_02_01',
      'usage_records_2040_03_01',
    ]);
  });

  test('are dropped when all of them is older than it is kept, with stray rows, and the sums stay', async () => {
    await keep('2040-02-10T00:00:00');
    const stray = sampleRecord('', {
      requestId: requestIdAt(at('2050-01-01T00:00:00')),
      startedAt: at('2040-01-15T00:00:00'),
    });
    await insertUsage(storage.db, [cameAt('2040-01-15T00:00:00'), cameAt('2040-02-15T00:00:00'), stray]);
    const before = await keep('2040-02-10T00:00:00', { retentionDays: 30 });
    expect([before.dropped, before.deletedRows]).toEqual([[], 0]);
    const after = await keep('2040-03-02T00:00:00', { retentionDays: 30 });
    expect([after.dropped, after.deletedRows]).toEqual([['usage_records_first'], 1]);
    expect((await readUsage(everybody, storage.db)).map(({ startedAt }) => startedAt)).toEqual([
      at('2040-02-15T00:00:00'),
    ]);
    const span = { from: at('2040-01-01T00:00:00'), to: at('2040-03-01T00:00:00') };
    expect((await readUsageReport(everybody, storage.db, span)).rows[0]?.requests).toBe(3);
  });

  test('keep the ratings of their requests for as long as they stay themselves', async () => {
    await storage.db.execute(sql`TRUNCATE usage_ratings`);
    await keep('2040-02-10T00:00:00');
    const dropped = cameAt('2040-01-31T23:00:00');
    const kept = cameAt('2040-02-01T00:00:00');
    await insertUsage(storage.db, [dropped, kept]);
    const charge = { priceVersionId: 1, costNanoUsd: 4n, chargedNanoUsd: 4n };
    await storage.db
      .insert(usageRatings)
      .values([dropped, kept].map(({ requestId }) => ({ requestId, ...charge })));
    // February has not ended for 30 days, but its first days are older than that.
    expect((await keep('2040-03-20T00:00:00', { retentionDays: 30 })).dropped).toEqual([
      'usage_records_first',
    ]);
    const rated = async () =>
      (await storage.db.select({ requestId: usageRatings.requestId }).from(usageRatings)).map(
        ({ requestId }) => requestId,
      );
    expect(await rated()).toEqual([kept.requestId]);
    await keep('2040-04-02T00:00:00', { retentionDays: 30 });
    expect(await rated()).toEqual([]);
  });

  test('are kept at the start of a server and every hour until it stops', async () => {
    const clock = new ManualClock(at('2040-02-10T00:00:00').getTime());
    const databaseMs = async () => clock.nowMs();
    const parts = { storage, clock, ids: systemIds, log: silentLog, databaseMs };
    const keeper = partitionKeeper({ ...parts, settings: { span: 'month', retentionDays: null } });
    const round = async () => {
      while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    await round();
    expect((await bounds()).at(-2)).toBe('2040-03-01 to 2040-04-01');
    await clock.advance(20 * 86_400_000);
    await round();
    await clock.advance(3_600_000);
    await round();
    await keeper.close();
    expect((await bounds()).at(-2)).toBe('2040-04-01 to 2040-05-01');
    expect(clock.pendingTimers).toBe(0);
  });

  test("are neither made nor dropped by a server whose clock is ahead of the database's", async () => {
    const before = await bounds();
    const clock = new ManualClock(at('2041-02-10T00:00:00').getTime());
    const parts = { storage, clock, ids: systemIds, log: silentLog };
    await partitionKeeper({ ...parts, settings: { span: 'month', retentionDays: 30 } }).close();
    expect(await bounds()).toEqual(before);
  });
});
