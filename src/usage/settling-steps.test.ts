/** Days are settled in steps: each is small, whole or not done at all, and others have their turn between them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { everybody } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { openStorage } from '../storage/open-storage.ts';
import { facets, settledFacets } from './facets.ts';
import { readUsageReport, settlingKeeper } from './index.ts';
import { readSettled } from './settling.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';
import { foldUnsummed, settleUsage } from './unsummed.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Wednesday. */
const firstMs = Date.UTC(2021, 3, 28);
/** The days with requests, of two weeks. The last of them, a Sunday, is over, but not for an hour. */
const days = [0, 4, 5, 11];
const nowMs = firstMs + 12 * dayMs;
const requestsADay = 3;
const [stored, settled] = [days.length * requestsADay, (days.length - 1) * requestsADay];
/** Of the week that is over for an hour. */
const ofFirstWeek = 2 * requestsADay;

const some = (count: number, atMs: number) =>
  Array.from({ length: count }, (_, place) => {
    const startedAt = new Date(atMs + place * hourMs);
    const labels = { sessionId: null, endUser: 'e', tags: ['t'] };
    const requestId = requestIdAt(startedAt);
    return sampleRecord('', {
      ...{ requestId, startedAt, labels },
      ...{ organisationId: 1, keyId: place, costNanoUsd: 1n },
    });
  });

describeOnEachDatabase('settling days of usage', (openDatabase, { kind }) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  beforeEach(async () => {
    await storage.db.execute(sql`
      TRUNCATE usage_records, usage_unsummed, usage_hourly, usage_daily, usage_weekly, usage_settled_facets`);
  });
  afterAll(() => storage.close());

  const fill = async (filled = days) => {
    for (const day of filled) await insertUsage(storage.db, some(requestsADay, firstMs + day * dayMs));
    while ((await foldUnsummed(storage.db, 100)).hasMore);
  };
  const settleAll = async (atMs = nowMs) => {
    let steps = 0;
    while ((await settleUsage(storage.db, atMs)).hasMore) steps += 1;
    return steps;
  };
  const settledOn = async (facet: keyof typeof facets) => {
    const { daysMs, weeksMs } = (await readSettled(storage.db))(facets[facet]);
    return [daysMs, weeksMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  };
  /** How many days and weeks have sums, and how many requests are in them, of each facet that is made of others. */
  const madeSums = async () => {
    const { rows } = await storage.db.execute<{ made: string }>(sql`
      SELECT concat_ws(' ', step, facet, count(DISTINCT bucket_at), sum(requests)) AS made FROM (
        SELECT 'hour' AS step, facet, bucket_at, requests FROM usage_hourly
        UNION ALL SELECT 'day', facet, bucket_at, requests FROM usage_daily
        UNION ALL SELECT 'week', facet, bucket_at, requests FROM usage_weekly) AS sums
      WHERE facet > 4 OR step = 'week' GROUP BY step, facet ORDER BY 1`);
    return rows.map(({ made }) => made);
  };
  const weeksOf = (count: number, requests: number) =>
    Object.values(facets).map(({ id }) => `week ${id} ${count} ${requests}`);
  const allMade = [
    ...Object.values(settledFacets).map(({ id }) => `day ${id} ${days.length - 1} ${settled}`),
    ...[facets.organisations.id, facets.asks.id].map((id) => `hour ${id} ${settled} ${settled}`),
    ...weeksOf(1, ofFirstWeek),
  ].toSorted();
  const told = async () => {
    const asked = { from: new Date(firstMs), to: new Date(nowMs), by: 'organisation' } as const;
    const { rows } = await readUsageReport(everybody, storage.db, asked);
    return rows[0]?.requests ?? 0;
  };

  test('does one day of one facet at a time, the oldest first, from an hour after its end', async () => {
    await fill();
    const { rows } = await storage.db.execute<{ rows: number }>(
      sql`SELECT count(*)::int AS rows FROM usage_daily`,
    );
    await settleUsage(storage.db, nowMs);
    const { rows: after } = await storage.db.execute<{ rows: number }>(
      sql`SELECT count(*)::int AS rows FROM usage_daily`,
    );
    expect(Number(after[0]?.rows) - Number(rows[0]?.rows)).toBe(1);
    expect(await settledOn('organisations')).toEqual(['2021-04-29', '1970-01-05']);
    await settleAll(nowMs + hourMs - 1);
    expect([await madeSums(), await told()]).toEqual([allMade, stored]);
    expect(await settledOn('organisations')).toEqual(['2021-05-09', '2021-05-03']);
    await settleAll(nowMs + hourMs);
    expect(await settledOn('labelTags')).toEqual(['2021-05-10', '2021-05-10']);
    expect(await madeSums()).toEqual(expect.arrayContaining(weeksOf(2, stored)));
  });

  test('passes over days in which nothing came, and asks for no more when all is done', async () => {
    await insertUsage(storage.db, [...some(1, firstMs), ...some(1, firstMs + 5 * dayMs)]);
    await foldUnsummed(storage.db, 100);
    // Two days and the end of the span, of the days of seven facets; a week of fourteen, of which eight wait for days that
    // are made and pass over the weeks before once the first is there.
    expect(await settleAll()).toBe(3 * 7 + 14 + 8);
    expect(await settleUsage(storage.db, nowMs)).toEqual({ hasMore: false });
    expect(await settledOn('callers')).toEqual(['2021-05-09', '2021-05-03']);
  });

  test('goes by the clock of the database where that of the process is ahead', async () => {
    await fill([0]);
    await settleAll(Date.UTC(2099, 0, 1));
    const { daysMs, weeksMs } = (await readSettled(storage.db))(facets.callers);
    expect(Math.max(daysMs, weeksMs)).toBeLessThanOrEqual(Date.now());
    expect(daysMs).toBeGreaterThan(firstMs);
  });

  test('does a step whole or not at all, and goes on where it was', async () => {
    await fill();
    const failed: number[] = [];
    for (const table of ['usage_daily', 'usage_weekly', 'usage_settled_facets']) {
      await storage.db.execute(
        sql.raw(`ALTER TABLE ${table} ADD CONSTRAINT never CHECK (facet <> 6) NOT VALID`),
      );
      const before = failed.length;
      for (let step = 0; step < 30 && failed.length === before; step += 1) {
        await settleUsage(storage.db, nowMs).catch(() => failed.push(step));
      }
      await storage.db.execute(sql.raw(`ALTER TABLE ${table} DROP CONSTRAINT never`));
      expect(await told()).toBe(stored);
      for (let step = 0; step < 5; step += 1) await settleUsage(storage.db, nowMs);
    }
    expect(failed).toHaveLength(3);
    await settleAll();
    expect([await madeSums(), await told()]).toEqual([allMade, stored]);
  });

  test('makes sums anew where the note of what was made is lost, and folding goes on meanwhile', async () => {
    await fill();
    await settleAll();
    await storage.db.execute(sql`DELETE FROM usage_settled_facets`);
    await insertUsage(storage.db, some(3, firstMs + 11 * dayMs));
    expect(await foldUnsummed(storage.db, 100)).toEqual({ requests: 3, hasMore: false });
    expect(await told()).toBe(stored + 3);
    await settleAll();
    expect([await madeSums(), await told()]).toEqual([allMade, stored + 3]);
  });

  test('makes a week anew of which the version before had made a part', async () => {
    await fill();
    await settleAll();
    await storage.db.execute(sql`UPDATE usage_settled_facets SET weeks_until = '2021-05-04T00:00:00Z'`);
    await storage.db.execute(sql`
      INSERT INTO usage_weekly SELECT (jsonb_populate_record(NULL::usage_weekly, to_jsonb(monday))).*
      FROM usage_daily AS monday WHERE bucket_at = '2021-05-03T00:00:00Z'`);
    await insertUsage(storage.db, some(2, firstMs + 5 * dayMs));
    await foldUnsummed(storage.db, 100);
    expect(await told()).toBe(stored + 2);
    await settleAll(nowMs + hourMs);
    expect(await madeSums()).toEqual(expect.arrayContaining(weeksOf(2, stored + 2)));
    expect(await told()).toBe(stored + 2);
  });

  test('goes on from where all facets had been settled together, as they were before', async () => {
    await fill();
    await settleAll(firstMs + 6 * dayMs + hourMs);
    const name = '0036_how-far-each-facet-is-settled.sql';
    const migration = readFileSync(join(import.meta.dirname, '../storage/migrations', name), 'utf8');
    await storage.db.transaction(async (transaction) => {
      await transaction.execute(sql`DELETE FROM usage_weekly WHERE bucket_at >= '2021-05-03T00:00:00Z'`);
      await transaction.execute(sql`DROP TABLE usage_settled_facets`);
      await transaction.execute(sql`CREATE TABLE usage_settled (until timestamptz NOT NULL)`);
      await transaction.execute(sql`INSERT INTO usage_settled VALUES ('2021-05-04T00:00:00Z')`);
      for (const statement of migration.split('--> statement-breakpoint')) {
        await transaction.execute(sql.raw(statement));
      }
    });
    expect(await settledOn('labelTags')).toEqual(['2021-05-04', '2021-05-03']);
    await settleAll();
    expect([await madeSums(), await told()]).toEqual([allMade, stored]);
  });

  test('goes on in two processes that fold and store too, while every report is right', async () => {
    await fill();
    const other = kind === 'embedded' ? storage : await openStorage(storage.options);
    const seen: number[] = [];
    let [all, ofWeek] = [stored, ofFirstWeek];
    // The embedded database does all of it one by one.
    const rounds = kind === 'embedded' ? 14 : 40;
    for (let round = 0; round < rounds; round += 1) {
      const late = some(2, firstMs + (round % 7) * dayMs);
      const work = [storage, other].flatMap(({ db }) => [settleUsage(db, nowMs), foldUnsummed(db, 1)]);
      const [, report] = await Promise.all([insertUsage(other.db, late), told(), ...work]);
      seen.push(report - all);
      all += late.length;
      if (round % 7 < 5) ofWeek += late.length;
    }
    expect(seen.filter((more) => more !== 0 && more !== 2)).toEqual([]);
    await settleAll();
    while ((await foldUnsummed(storage.db, 100)).hasMore);
    expect(await told()).toBe(all);
    const { rows } = await storage.db.execute(sql`
      SELECT DISTINCT sum(requests)::int AS requests FROM usage_weekly GROUP BY facet`);
    expect(rows).toEqual([{ requests: ofWeek }]);
    if (other !== storage) await other.close();
  });

  test('lets others have the database between its steps', async () => {
    await fill([0]);
    // One connection, for which both wait in turn.
    const own = kind === 'embedded' ? storage : await openStorage({ ...storage.options, poolSize: 1 });
    let steps = 0;
    const settling = (async () => {
      while ((await settleUsage(own.db, nowMs)).hasMore) steps += 1;
    })();
    const asked = own.db.execute(sql`SELECT 1`).then(() => steps);
    await settling;
    expect(steps).toBeGreaterThan(20);
    expect(await asked).toBeLessThan(steps);
    if (own !== storage) await own.close();
  });

  test('is done beside what a server serves: it folds between its steps, and says so where it fails', async () => {
    await fill([0]);
    await storage.db.execute(sql`CREATE TABLE steps_seen (waiting int, isolation text)`);
    await storage.db.execute(sql`
      CREATE FUNCTION see_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO steps_seen SELECT count(*), current_setting('transaction_isolation') FROM usage_unsummed;
        INSERT INTO usage_unsummed (key_id, user_id, payer_id, started_at, status, streamed, model, input_tokens, output_tokens,
          cost_nano_usd, charged_nano_usd, duration_ms)
          VALUES (1, 1, 1, '2021-04-28T12:00:00Z', 200, false, 'm', 1, 1, 1, 1, 1);
        RETURN NEW; END $$`);
    await storage.db.execute(sql`
      CREATE TRIGGER see_step AFTER INSERT OR UPDATE ON usage_settled_facets FOR EACH ROW
      WHEN (NEW.facet IN (5, 6)) EXECUTE FUNCTION see_step()`);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
    const clock = new ManualClock(nowMs);
    const round = async () => {
      while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    // An isolation that is set for all transactions would have these read what was there before they had their turn.
    const own = kind === 'embedded' ? storage : await openStorage({ ...storage.options, poolSize: 1 });
    await own.db.execute(sql`SET default_transaction_isolation = 'repeatable read'`);
    const keeper = settlingKeeper({ storage: own, clock, log });
    await round();
    const { rows } = await storage.db.execute(sql`SELECT DISTINCT * FROM steps_seen`);
    expect(rows).toEqual([{ waiting: 0, isolation: 'read committed' }]);
    expect(warnings).toEqual([]);
    await storage.db.execute(
      sql`ALTER TABLE usage_settled_facets ADD CONSTRAINT never CHECK (facet < 0) NOT VALID`,
    );
    await insertUsage(storage.db, some(3, nowMs));
    await clock.advance(dayMs);
    await round();
    expect(warnings).toEqual([expect.stringContaining('could not be settled')]);
    const { rows: waiting } = await storage.db.execute(sql`SELECT FROM usage_unsummed`);
    expect(waiting).toEqual([]);
    await keeper.close();
    await storage.db.execute(sql`ALTER TABLE usage_settled_facets DROP CONSTRAINT never`);
    await storage.db.execute(sql`DROP FUNCTION see_step CASCADE`);
    await storage.db.execute(sql`DROP TABLE steps_seen`);
    if (own !== storage) await own.close();
  });
});
