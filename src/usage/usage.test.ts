import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { readUsage, readUsagePage, type UsageRecord } from './index.ts';
import type { UsagePageAsked } from './request-log.ts';
import { insertUsage, requestIdAt, requestIdOf } from './testing/insert-usage.ts';
import { sampleRecord as record } from './testing/sample-record.ts';
import { sumCharged } from './testing/sum-charged.ts';

describeOnEachDatabase('usage records', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test('come back as they were written', async () => {
    const written = record('round-trip', {
      keyId: 100,
      inputTokens: 11,
      cacheReadTokens: 12,
      cacheWrite5mTokens: 13,
      cacheWrite1hTokens: 14,
      outputTokens: 15,
      reasoningTokens: 16,
      estimated: true,
      priceVersionId: 9_007_199_254_740_991,
      exempt: true,
      costNanoUsd: 9_007_199_254_740_993n,
      chargedNanoUsd: 9_223_372_036_854_775_807n,
      durationMs: 1234.5,
      firstByteMs: 0.25,
      overheadMs: 0.125,
      model: 'quo"te \\u0000 back\\slash 🦊 line\nbreak',
      provider: null,
      upstreamModel: null,
      errorCode: 'upstream_failed',
      outcome: 'upstream_failed',
      status: 502,
      attempts: Array(3).fill({
        provider: 'main',
        credentialId: null,
        status: null,
        latencyMs: 1.5,
        errorCode: 'upstream_failed',
      }),
    });
    expect(await insertUsage(storage.db, [written])).toEqual([requestIdOf('round-trip')]);
    expect(await readUsage(everybody, storage.db, { keyId: 100 })).toEqual([
      { ...written, attempts: 3, attemptRecords: written.attempts },
    ]);
  });

  test('are stored once a request id, and only the new ids are told', async () => {
    expect(await insertUsage(storage.db, [record('once-a'), record('once-b')])).toHaveLength(2);
    const again = [record('once-a', { model: 'another' }), record('once-c'), record('once-c')];
    expect(await insertUsage(storage.db, again)).toEqual([requestIdOf('once-c')]);
    const stored = await readUsage(everybody, storage.db, { limit: 1_000 });
    expect(stored.find(({ requestId }) => requestId === requestIdOf('once-a'))?.model).toBe('gpt-4o-mini');
  });

  test('of a rolled-back transaction are new again', async () => {
    const undone = storage.db.transaction(async (transaction) => {
      await insertUsage(transaction, [record('undone')]);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await insertUsage(storage.db, [record('undone')])).toEqual([requestIdOf('undone')]);
  });

  test('go in by the thousand', async () => {
    const records = Array.from({ length: 1_000 }, (_, index) => record(`many-${index}`, { keyId: 200 }));
    expect(await insertUsage(storage.db, records)).toHaveLength(1_000);
    expect(await insertUsage(storage.db, records)).toHaveLength(0);
    expect(await readUsage(everybody, storage.db, { keyId: 200, limit: 5_000 })).toHaveLength(1_000);
    expect(await insertUsage(storage.db, [])).toEqual([]);
  });

  test('with text, counts or amounts that the database cannot hold do not keep the others out', async () => {
    const odd = record('odd', {
      keyId: 300,
      model: 'nul\0 and half \ud83e pair',
      inputTokens: 1e12,
      outputTokens: Number.NaN,
      reasoningTokens: -1.5,
      costNanoUsd: 10n ** 30n,
      chargedNanoUsd: -1n,
      durationMs: Number.POSITIVE_INFINITY,
      overheadMs: Number.NaN,
      status: 1e9,
      attempts: Array(200).fill({
        provider: 'nul\0',
        credentialId: 1,
        status: 500,
        latencyMs: Number.NaN,
        errorCode: 'half \ud83e pair',
      }),
    });
    expect(await insertUsage(storage.db, [odd, record('beside-odd')])).toEqual([
      requestIdOf('odd'),
      requestIdOf('beside-odd'),
    ]);
    const [stored] = await readUsage(everybody, storage.db, { keyId: 300 });
    expect(stored).toMatchObject({
      model: 'nul\ufffd and half \ufffd pair',
      inputTokens: 2_147_483_647,
      outputTokens: 0,
      reasoningTokens: 0,
      costNanoUsd: 9_223_372_036_854_775_807n,
      chargedNanoUsd: 0n,
      durationMs: 1e9,
      overheadMs: 0,
      status: 32_767,
      attempts: 100,
    });
    expect(stored?.attemptRecords[99]).toEqual({
      provider: 'nul\ufffd',
      credentialId: 1,
      status: 500,
      latencyMs: 0,
      errorCode: 'half \ufffd pair',
    });
  });

  test('are read newest first, by key, user or payer, as many as asked for', async () => {
    const at = (second: number) => new Date(Date.UTC(2032, 0, 1, 0, 0, second));
    const cameAt = (second: number, change: Partial<UsageRecord>) =>
      record('', { requestId: requestIdAt(at(second)), startedAt: at(second), ...change });
    await insertUsage(storage.db, [
      cameAt(1, { keyId: 400, userId: 401, payerId: 402 }),
      cameAt(3, { keyId: 400, userId: 401, payerId: 403 }),
      cameAt(2, { keyId: 410, userId: 401, payerId: 402 }),
    ]);
    const seconds = async (filter: Parameters<typeof readUsage>[2]) =>
      (await readUsage(everybody, storage.db, filter)).map(({ startedAt }) => startedAt.getUTCSeconds());
    expect(await seconds({ userId: 401 })).toEqual([3, 2, 1]);
    expect(await seconds({ keyId: 400 })).toEqual([3, 1]);
    expect(await seconds({ payerId: 402, keyId: 400 })).toEqual([1]);
    expect(await seconds({ userId: 401, limit: 2 })).toEqual([3, 2]);
  });

  test('are paged without a gap or a double, within a scope, a time and what they are looked for by', async () => {
    const at = (minute: number) => new Date(Date.UTC(2033, 0, 1, 0, minute));
    const records = Array.from({ length: 50 }, (_, minute) =>
      record('', {
        requestId: requestIdAt(at(minute)),
        startedAt: at(minute),
        userId: 700 + (minute % 2),
        model: minute % 5 === 0 ? 'fifth' : 'other',
        status: minute % 10 === 0 ? 429 : 200,
        labels: { sessionId: 's', endUser: null, tags: minute % 4 === 0 ? ['a', 'fourth'] : ['a'] },
      }),
    );
    await insertUsage(storage.db, records);
    const minutes = async (scope: Scope, asked: UsagePageAsked): Promise<number[]> => {
      const found: number[] = [];
      for (let before: string | undefined; ; ) {
        const page = await readUsagePage(scope, storage.db, { ...asked, before, limit: 3 });
        expect(page.records.length).toBeLessThanOrEqual(3);
        found.push(...page.records.map(({ startedAt }) => startedAt.getUTCMinutes()));
        if (page.next === null) return found;
        before = page.next;
      }
    };
    const year = { from: at(0), to: at(50) };
    expect(await minutes(everybody, year)).toEqual(Array.from({ length: 50 }, (_, place) => 49 - place));
    expect(await minutes(everybody, { from: at(10), to: at(13) })).toEqual([12, 11, 10]);
    expect(await minutes(onlyOf(701), { ...year, model: 'fifth' })).toEqual([45, 35, 25, 15, 5]);
    expect(await minutes(onlyOf(700), { ...year, userId: 701 })).toEqual([]);
    expect(await minutes(everybody, { ...year, status: 429 })).toEqual([40, 30, 20, 10, 0]);
    expect(await minutes(everybody, { ...year, tag: 'fourth', model: 'fifth' })).toEqual([40, 20, 0]);
    expect(await minutes(everybody, { ...year, sessionId: 'other' })).toEqual([]);
  });

  test('of a person are paged within a group, and no page ends at a request of another group', async () => {
    const at = (minute: number) => new Date(Date.UTC(2034, 0, 1, 0, minute));
    const groups = new Map<string, number>();
    // Those who moved have rows of two groups, and looked at from one the others are not there.
    const records = Array.from({ length: 40 }, (_, minute) => {
      const requestId = requestIdAt(at(minute));
      groups.set(requestId, minute < 12 || minute % 7 === 0 ? 71 : 72);
      const organisationId = groups.get(requestId) ?? null;
      return record('', {
        ...{ requestId, startedAt: at(minute), userId: 710, organisationId, keyId: minute % 2 },
      });
    });
    await insertUsage(storage.db, records);
    for (const organisationId of [71, 72]) {
      const scope: Scope = { whose: 'organisation', organisationId };
      for (const keyId of [0, 1]) {
        const found: string[] = [];
        for (let before: string | undefined; ; ) {
          const asked = { userId: 710, keyId, before, limit: 2, mostScanned: 4 };
          const { records: page, next } = await readUsagePage(scope, storage.db, asked);
          found.push(...page.map(({ requestId }) => requestId));
          if (next === null) break;
          expect(groups.get(next)).toBe(organisationId);
          before = next;
        }
        const own = records.filter((each) => each.keyId === keyId && each.organisationId === organisationId);
        expect(found).toEqual(own.map(({ requestId }) => requestId).toReversed());
      }
    }
  });

  test('keep what the client said of them, whatever it is', async () => {
    const labels = { sessionId: 'nul\0', endUser: 'half \ud83e pair', tags: ['a=b', 'x{"y,\\', ''] };
    const [requestId] = await insertUsage(storage.db, [record('labelled', { keyId: 800, labels })]);
    expect(requestId).toBe(requestIdOf('labelled'));
    const [stored] = await readUsage(everybody, storage.db, { keyId: 800 });
    expect(stored?.labels).toEqual({
      sessionId: 'nul\ufffd',
      endUser: 'half \ufffd pair',
      tags: ['a=b', 'x{"y,\\', ''],
    });
  });

  test('tell of attempts that a newer version of this program wrote as far as they can be read', async () => {
    const written = record('newer', { keyId: 600 });
    await insertUsage(storage.db, [written]);
    const list = JSON.stringify([
      ['main', 7, 200, 1.5, null, 'session', [['other', null, 'open']], 'more', 'still more'],
      ['main', 7, 200, 1.5, null, { otherwise: true }],
      ['main', 7, 200, 1.5, null, '', [], 'another'],
      ['main', 7, 200, 1.5, null, 'retried', [], '', 300, 'still more'],
      { provider: 'otherwise' },
    ]);
    await storage.db.execute(
      sql`UPDATE usage_records SET attempts = ${list}::jsonb WHERE request_id = ${written.requestId}`,
    );
    const [stored] = await readUsage(everybody, storage.db, { keyId: 600 });
    expect(stored?.attempts).toBe(5);
    const main = { provider: 'main', credentialId: 7, status: 200, latencyMs: 1.5, errorCode: null };
    const passed = [{ provider: 'other', credentialId: null, why: 'open' }];
    expect(stored?.attemptRecords).toEqual([
      { ...main, why: 'session', passed, model: 'more' },
      main,
      { ...main, model: 'another' },
      { ...main, why: 'retried', pausedMs: 300 },
      { provider: null, credentialId: null, status: null, latencyMs: null, errorCode: null },
    ]);
  });

  test('sum up to what a payer was charged, exactly', async () => {
    const charge = 9_007_199_254_740_993n;
    await insertUsage(storage.db, [
      record('sum-1', { payerId: 500, costNanoUsd: charge, chargedNanoUsd: charge }),
      record('sum-2', { payerId: 500, costNanoUsd: charge, chargedNanoUsd: charge }),
      record('sum-3', { payerId: 500, costNanoUsd: charge, chargedNanoUsd: 0n }),
    ]);
    expect(await sumCharged(storage.db, 500)).toBe(charge * 2n);
    expect(await sumCharged(storage.db, 501)).toBe(0n);
  });
});
