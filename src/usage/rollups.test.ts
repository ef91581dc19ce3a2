/** What the sums say of requests, held against the requests themselves. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { describeOnEachDatabase, type OpenDatabase } from '../../test/support/databases.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import type { Database } from '../storage/database.ts';
import type { Storage } from '../storage/storage.ts';
import { readHistogram } from './histogram.ts';
import { readUsageReport, type UsageRecord } from './index.ts';
import type { UsageReportAsked } from './report.ts';
import { requestIdAt, insertUsage as storeSome } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';
import { foldUnsummed } from './unsummed.ts';

const at = (day: number, hour: number, minute = 0) => new Date(Date.UTC(2031, 4, day, hour, minute));

function cameAt(startedAt: Date, change: Partial<UsageRecord>): UsageRecord {
  return sampleRecord('', { requestId: requestIdAt(startedAt), startedAt, ...change });
}

/** How many of the requests that wait are folded after each batch: what a report says does not depend on it. */
const folding = { waiting: 0, 'folded by halves': 2, folded: 10_000 };

describeOnEachDatabase('sums of usage', (openDatabase) => {
  describe.each(Object.entries(folding))('%s', (_, atMost) => suite(openDatabase, atMost));
});

function suite(openDatabase: OpenDatabase, atMost: number): void {
  let storage: Storage;
  const insertUsage = async (db: Database, records: readonly UsageRecord[]) => {
    await storeSome(db, records);
    if (atMost > 0) await foldUnsummed(db, atMost);
  };
  beforeAll(async () => {
    storage = await openDatabase();
    await insertUsage(storage.db, [
      cameAt(at(1, 22, 59), { ...ofAna, model: 'big', costNanoUsd: 5n, chargedNanoUsd: 5n, inputTokens: 10 }),
      cameAt(at(1, 23), { ...ofAna, model: 'big', costNanoUsd: 7n, inputTokens: 1, reasoningTokens: 4 }),
      cameAt(at(2, 0), { ...ofAna, model: 'small', costNanoUsd: 1n, outputTokens: 3 }),
    ]);
    await insertUsage(storage.db, [
      cameAt(at(2, 1), { ...ofBen, model: 'big', costNanoUsd: 100n, cacheReadTokens: 9 }),
      cameAt(at(2, 1), { ...ofBen, ...failed, model: 'big' }),
      cameAt(at(3, 12), { ...ofBen, model: 'small', costNanoUsd: 2n, audioMs: 8 }),
    ]);
  });
  afterAll(() => storage.close());

  const ofAna = { userId: 11, keyId: 101, organisationId: 5, departmentId: 51 };
  const ofBen = { userId: 12, keyId: 102, organisationId: 5 };
  const failed = {
    status: 502,
    errorCode: 'upstream_failed',
    outcome: 'upstream_failed',
    provider: null,
  } as const;
  const all = { from: at(1, 0), to: at(4, 0) };

  /** What each group cost, in order. */
  async function costs(asked: Partial<UsageReportAsked>, scope: Scope = everybody) {
    const { rows } = await readUsageReport(scope, storage.db, { ...all, ...asked });
    return rows.map(({ group, costNanoUsd }) => [group, Number(costNanoUsd)] as const);
  }

  test('have every count of the requests', async () => {
    const { rows } = await readUsageReport(everybody, storage.db, all);
    expect(rows).toEqual([
      {
        ...{ at: null, group: null, requests: 6, errors: 1, inputTokens: 11, outputTokens: 3 },
        ...{ cacheReadTokens: 9, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, reasoningTokens: 4 },
        ...{ audioMs: 8, characters: 0, rerankUnits: 0, costNanoUsd: 115n, chargedNanoUsd: 5n },
        ...{ durationMs: { count: 5, p50: expect.any(Number), p95: expect.any(Number) } },
        ...{ firstByteMs: null, tokensPerSecond: null },
      },
    ]);
  });

  test('add up to the same by steps and by groups as for the whole span', async () => {
    const whole = (await readUsageReport(everybody, storage.db, all)).rows[0];
    for (const asked of [
      { every: 'day' },
      { every: 'hour' },
      { by: 'model' },
      { every: 'day', by: 'key' },
    ] as const) {
      const { total } = await readUsageReport(everybody, storage.db, { ...all, ...asked, totalled: true });
      expect([asked, total]).toEqual([asked, whole ?? null]);
    }
    const later = { from: at(5, 0), to: at(6, 0), totalled: true };
    expect((await readUsageReport(everybody, storage.db, later)).total).toBeNull();
  });

  test('are told by each dimension, the dearest first', async () => {
    expect(await costs({ by: 'model' })).toEqual([
      ['big', 112],
      ['small', 3],
    ]);
    expect(await costs({ by: 'key' })).toEqual([
      ['102', 102],
      ['101', 13],
    ]);
    expect(await costs({ by: 'user' })).toEqual([
      ['12', 102],
      ['11', 13],
    ]);
    expect(await costs({ by: 'organisation' })).toEqual([['5', 115]]);
    expect(await costs({ by: 'department' })).toEqual([
      [null, 102],
      ['51', 13],
    ]);
    expect(await costs({ by: 'project' })).toEqual([[null, 115]]);
    expect(await costs({ by: 'payer' })).toEqual([['3', 115]]);
    expect(await costs({ by: 'provider' })).toEqual([
      ['main', 115],
      [null, 0],
    ]);
    expect(await costs({ by: 'status' })).toEqual([
      ['200', 115],
      ['502', 0],
    ]);
  });

  test('are told of what fits, of people and of what they asked for together', async () => {
    expect(await costs({ by: 'model', where: { user: 11 } })).toEqual([
      ['big', 12],
      ['small', 1],
    ]);
    expect(await costs({ by: 'key', where: { model: 'small' } })).toEqual([
      ['102', 2],
      ['101', 1],
    ]);
    expect(await costs({ where: { department: 51, status: 200 } })).toEqual([[null, 13]]);
    expect(await costs({ where: { model: 'neither' } })).toEqual([]);
  });

  test('stay within a scope', async () => {
    expect(await costs({ by: 'user' }, onlyOf(11))).toEqual([['11', 13]]);
    expect(await costs({ by: 'model', where: { user: 12 } }, onlyOf(11))).toEqual([]);
    expect(await costs({}, { whose: 'organisation', organisationId: 6 })).toEqual([]);
    expect(await costs({}, { whose: 'department', organisationId: 5, departmentId: 51 })).toEqual([
      [null, 13],
    ]);
  });

  test('are told by the hour and by the day, and spans that begin inside a day take hours at their ends', async () => {
    const series = async (asked: Partial<UsageReportAsked>) => {
      const { rows } = await readUsageReport(everybody, storage.db, { ...all, ...asked });
      return rows.map((row) => [row.at?.toISOString().slice(8, 13), Number(row.costNanoUsd)]);
    };
    expect(await series({ every: 'day' })).toEqual([
      ['01T00', 12],
      ['02T00', 101],
      ['03T00', 2],
    ]);
    expect(await series({ every: 'hour', to: at(2, 2) })).toEqual([
      ['01T22', 5],
      ['01T23', 7],
      ['02T00', 1],
      ['02T01', 100],
    ]);
    expect(await series({ every: 'day', from: at(1, 23), to: at(3, 13) })).toEqual([
      ['01T00', 7],
      ['02T00', 101],
      ['03T00', 2],
    ]);
    expect(await series({ from: at(1, 23, 30), to: at(3, 12) })).toEqual([[undefined, 108]]);
    expect(await series({ from: at(2, 0), to: at(2, 1) })).toEqual([[undefined, 1]]);
  });

  test('keep to the dearest groups, or to those that are named, and say that there are more', async () => {
    const { rows, hasMore } = await readUsageReport(everybody, storage.db, { ...all, by: 'key', limit: 1 });
    expect(rows.map(({ group }) => group)).toEqual(['102']);
    expect(hasMore).toBe(true);
    expect(await costs({ by: 'key', groups: ['101', '7'] })).toEqual([['101', 13]]);
    expect(await costs({ by: 'department', groups: [null] })).toEqual([[null, 102]]);
    expect(await costs({ by: 'key', groups: [] })).toEqual([]);
    expect((await readUsageReport(everybody, storage.db, { ...all, by: 'key', limit: 2 })).hasMore).toBe(
      false,
    );
  });

  test('tell by cost and not by number which groups are the dearest, also of those that wait', async () => {
    // More than one beyond the limit, which is asked for as well to see whether there are more.
    for (const id of [31, 33]) {
      const cheap = { keyId: 170 + id, userId: id, payerId: id, costNanoUsd: 1n };
      await insertUsage(
        storage.db,
        [1, 2, 3, 4, 5].map(() => cameAt(at(8, 3), cheap)),
      );
    }
    await insertUsage(storage.db, [
      cameAt(at(8, 4), { keyId: 202, userId: 32, payerId: 32, costNanoUsd: 900n }),
    ]);
    const day = { from: at(8, 0), to: at(9, 0), limit: 1 };
    expect(await costs({ ...day, by: 'key' })).toEqual([['202', 900]]);
    expect(await costs({ ...day, by: 'user' })).toEqual([['32', 900]]);
    expect(await costs({ ...day, by: 'payer' })).toEqual([['32', 900]]);
  });

  test.each([
    [{ from: at(2, 0), to: at(2, 0) }, 'must end after it begins'],
    [{ every: 'hour', to: at(40, 0) }, 'at most 32 days'],
    [{ every: 'hour', by: 'tag' }, 'by the day'],
    [{ by: 'tag', where: { endUser: 'x' } }, 'one of them'],
    [{ from: new Date(0) }, 'at most 1100 days'],
  ] as const)('are refused for %j', async (asked, message) => {
    await expect(readUsageReport(everybody, storage.db, { ...all, ...asked })).rejects.toThrow(message);
  });

  test('count a request once, also when it is written again beside a new one', async () => {
    const first = cameAt(at(10, 3), { userId: 21, costNanoUsd: 1n });
    await insertUsage(storage.db, [first]);
    await insertUsage(storage.db, [first, cameAt(at(10, 3), { userId: 21, costNanoUsd: 10n }), first]);
    expect(await costs({ from: at(10, 0), to: at(11, 0), where: { user: 21 } })).toEqual([[null, 11]]);
  });

  test('hold amounts that are larger together than one may be', async () => {
    const most = 9_223_372_036_854_775_807n;
    const dear = () => cameAt(at(12, 3), { userId: 22, costNanoUsd: most, chargedNanoUsd: most });
    await insertUsage(storage.db, [dear(), dear()]);
    await insertUsage(storage.db, [dear()]);
    const { rows } = await readUsageReport(onlyOf(22), storage.db, { from: at(12, 0), to: at(13, 0) });
    expect(rows[0]?.costNanoUsd).toBe(most * 3n);
  });

  test('are told by tag and by end user, but not by a tag that names one thing alone', async () => {
    const labels = (tags: string[], endUser: string | null = null) => ({
      labels: { sessionId: null, endUser, tags },
    });
    const trace = 'trace=0b0e5f3a-8d52-4f0e-9a3c-0d9d1a6d2f10';
    await insertUsage(storage.db, [
      cameAt(at(20, 3), {
        userId: 23,
        model: 'big',
        costNanoUsd: 1n,
        ...labels(['a', 'b', 'a', trace], 'eve'),
      }),
      cameAt(at(20, 4), { userId: 23, model: 'small', costNanoUsd: 10n, ...labels(['b'], 'eve') }),
      cameAt(at(20, 5), { userId: 23, costNanoUsd: 100n }),
    ]);
    const day = { from: at(20, 3), to: at(20, 4) };
    expect(await costs({ ...day, by: 'tag' }, onlyOf(23))).toEqual([
      ['b', 11],
      ['a', 1],
    ]);
    expect(await costs({ ...day, by: 'model', where: { tag: 'b' } })).toEqual([
      ['small', 10],
      ['big', 1],
    ]);
    expect(await costs({ ...day, by: 'endUser' })).toEqual([['eve', 11]]);
    expect(await costs({ ...day, where: { endUser: 'eve', model: 'big' } })).toEqual([[null, 1]]);
  });

  test('tell the middle and the slow end of times and of throughput, right to an eighth', async () => {
    // 1 to 1000: half of them are up to 500, and all but 50 up to 950.
    const streams = Array.from({ length: 1000 }, (_, place) =>
      cameAt(at(25, 6), {
        userId: 24,
        durationMs: 10 * (place + 1) + (place + 1),
        firstByteMs: place + 1,
        // Over ten milliseconds for each place, so that it is 50 in a second for every request.
        outputTokens: Math.round((place + 1) / 2),
      }),
    );
    const whole = cameAt(at(25, 6), { userId: 24, streamed: false, durationMs: 1, firstByteMs: 1 });
    const slow = cameAt(at(25, 6), { userId: 24, ...failed, durationMs: 1e6, firstByteMs: 1e6 });
    await insertUsage(storage.db, [...streams, whole, slow]);
    const report = await readUsageReport(onlyOf(24), storage.db, { from: at(25, 0), to: at(26, 0) });
    const { durationMs, firstByteMs, tokensPerSecond } = report.rows[0] ?? {};
    const within = (value: number | undefined, truth: number) => {
      expect(value).toBeGreaterThan(truth * (7 / 8));
      expect(value).toBeLessThan(truth * (9 / 8));
    };
    expect([durationMs?.count, firstByteMs?.count]).toEqual([1001, 1000]);
    within(durationMs?.p50, 5500);
    within(durationMs?.p95, 10_450);
    within(firstByteMs?.p50, 500);
    within(firstByteMs?.p95, 950);
    within(tokensPerSecond?.p50, 50);
  });
}

describe('a histogram', () => {
  test('of nothing has no middle', () => {
    expect(readHistogram(null)).toBeNull();
    expect(readHistogram('0')).toBeNull();
  });

  test('holds more of a thing than there are requests in a year', () => {
    expect(readHistogram('365000000000')?.count).toBe(365_000_000_000);
    expect(readHistogram(`${'9'.repeat(12)}${'0'.repeat(12)}`)).toMatchObject({ count: 999_999_999_999 });
  });
});
