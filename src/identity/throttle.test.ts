import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { throttles } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import { allowances, giveBack, giveOneBack, take, takeIfLeft } from './throttle.ts';

const what = 'sign-in of account';
const { burst, oneEveryMs } = allowances[what];

describeOnEachDatabase('an allowance', (openDatabase) => {
  let storage: Storage;
  let parts: AgreeingParts;
  let nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    parts = {
      ...{ storage, ids: systemIds },
      ...{ clock: clockShowing(() => nowMs), databaseMs: async () => nowMs },
    };
  });
  afterAll(() => storage.close());

  async function retryAfterSeconds(subject: string): Promise<number | undefined> {
    try {
      await take(parts, what, subject);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.code === 'rate_limited') return thrown.retryAfterSeconds;
      throw thrown;
    }
  }

  test('is used up at once, says when the next one is there, and grows back one by one', async () => {
    for (let used = 0; used < burst; used += 1) expect(await retryAfterSeconds('a')).toBeUndefined();
    expect(await retryAfterSeconds('a')).toBe(oneEveryMs / 1000);
    // To be refused costs nothing.
    nowMs += oneEveryMs;
    expect(await retryAfterSeconds('a')).toBeUndefined();
    expect(await retryAfterSeconds('a')).toBe(oneEveryMs / 1000);
    nowMs += burst * oneEveryMs;
    for (let used = 0; used < burst; used += 1) expect(await retryAfterSeconds('a')).toBeUndefined();
    expect(await retryAfterSeconds('a')).toBeDefined();
  });

  test('is each subject’s own, and whole again when it is given back', async () => {
    for (let used = 0; used < burst; used += 1) await take(parts, what, 'b');
    expect(await retryAfterSeconds('c')).toBeUndefined();
    expect(await retryAfterSeconds('b')).toBeDefined();
    await giveBack(parts, what, 'b');
    expect(await retryAfterSeconds('b')).toBeUndefined();
  });

  test('has as many more as are given back one by one, and never more than the whole', async () => {
    for (let used = 0; used < burst; used += 1) await take(parts, what, 'f');
    expect(await retryAfterSeconds('f')).toBe(oneEveryMs / 1000);
    await giveOneBack(parts, what, 'f');
    expect(await retryAfterSeconds('f')).toBeUndefined();
    expect(await retryAfterSeconds('f')).toBe(oneEveryMs / 1000);
    for (let given = 0; given < 3 * burst; given += 1) await giveOneBack(parts, what, 'f');
    const taken = await Promise.all(Array.from({ length: 3 * burst }, () => retryAfterSeconds('f')));
    expect(taken.filter((seconds) => seconds === undefined)).toHaveLength(burst);
    await giveOneBack(parts, what, 'nobody');
    for (let used = 0; used < burst; used += 1) await take(parts, what, 'nobody');
    expect(await retryAfterSeconds('nobody')).toBeDefined();
  });

  test('is used up by nothing that is given back, however many ask at once', async () => {
    await take(parts, what, 'g');
    const askAndGiveBack = async () => {
      await take(parts, what, 'g');
      await giveOneBack(parts, what, 'g');
    };
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: burst - 1 }, askAndGiveBack));
    }
    for (let used = 1; used < burst; used += 1) expect(await retryAfterSeconds('g')).toBeUndefined();
    expect(await retryAfterSeconds('g')).toBe(oneEveryMs / 1000);
  });

  test('lets no more through when many ask at once', async () => {
    const asked = await Promise.all(Array.from({ length: 3 * burst }, () => retryAfterSeconds('d')));
    expect(asked.filter((seconds) => seconds === undefined)).toHaveLength(burst);
  });

  test('keeps no row of whom it is about, and rows that are whole again go', async () => {
    await take(parts, what, 'someone@example.test');
    expect(JSON.stringify(await storage.db.select().from(throttles))).not.toContain('someone');
    nowMs += 24 * 3_600_000;
    const always = { ...parts, ids: { ...systemIds, randomBytes: () => new Uint8Array(1) } };
    await take(always, what, 'e');
    expect(await storage.db.select().from(throttles)).toHaveLength(1);
  });
  test('is one of processes whose clocks are apart, each of which would give it back or use it up for others', async () => {
    const { databaseMs: _, ...usual } = parts;
    const sweeping = { ...systemIds, randomBytes: () => new Uint8Array(1) };
    const showing = (aheadMs: number) => ({ ...usual, clock: clockShowing(() => Date.now() + aheadMs) });
    const [usualTime, behind] = [showing(0), showing(-24 * 3_600_000)];
    const ahead = { ...showing(24 * 3_600_000), ids: sweeping };
    const isRefused = async (process: typeof usual, subject: string) =>
      !(await takeIfLeft(process, what, subject));
    for (let used = 0; used < burst; used += 1) await take(usualTime, what, 'h');
    expect(await isRefused(ahead, 'somebody else')).toBe(false);
    expect(await isRefused(ahead, 'h')).toBe(true);
    await take(ahead, what, 'i');
    for (let used = 1; used < burst; used += 1) expect(await isRefused(behind, 'i')).toBe(false);
    for (const process of [behind, usualTime, ahead]) {
      await expect(take(process, what, 'i')).rejects.toMatchObject({ code: 'rate_limited' });
    }
  });
});
