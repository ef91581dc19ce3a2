/** The dearest end users of everybody, of whom only some are looked at: held against all requests, whatever the weeks were like. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { Random } from '../../test/fuzz/random.ts';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { everybody } from '../base/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { rankedFacets, weeklyFacets } from './facets.ts';
import { readUsageReport, type UsageRecord } from './index.ts';
import { settleNext } from './settling.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';
import { foldUnsummed, settleUsage } from './unsummed.ts';

const dayMs = 86_400_000;
/** A Monday. */
const firstMs = Date.UTC(2021, 4, 3);
const weeks = 6;
const nowMs = firstMs + weeks * 7 * dayMs + 2 * dayMs;

interface Asked {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly where?: { readonly model: string };
}

describeOnEachDatabase('the dearest of many end users', (openDatabase) => {
  let storage: Storage;
  let records: UsageRecord[] = [];
  beforeAll(async () => {
    storage = await openDatabase();
  });
  beforeEach(async () => {
    records = [];
    await storage.db.execute(sql`TRUNCATE usage_records, usage_unsummed, usage_hourly, usage_daily, usage_weekly,
      usage_settled_facets, usage_ratings`);
  });
  afterAll(() => storage.close());

  const add = async (more: readonly UsageRecord[]) => {
    records = [...records, ...more];
    await insertUsage(storage.db, more);
  };
  const cameAt = (atMs: number, endUser: string, cost: number, organisationId: number | null = null) =>
    sampleRecord('', {
      ...{ requestId: requestIdAt(new Date(atMs)), startedAt: new Date(atMs), organisationId },
      ...{ costNanoUsd: BigInt(cost), labels: { sessionId: null, endUser, tags: [] } },
    });
  const settle = async () => {
    while ((await foldUnsummed(storage.db, 1000)).hasMore);
    // In one transaction: how it goes by steps is another suite's subject.
    await storage.db.transaction(async (transaction) => {
      while ((await settleNext(transaction, nowMs)).hasMore);
    });
  };
  const truth = ({ fromMs, toMs, limit }: Asked) => {
    const sums = new Map<string, { cost: bigint; requests: number }>();
    for (const { startedAt, costNanoUsd, labels } of records) {
      const endUser = labels?.endUser ?? '';
      const { cost, requests } = sums.get(endUser) ?? { cost: 0n, requests: 0 };
      if (startedAt.getTime() < fromMs || startedAt.getTime() >= toMs) continue;
      sums.set(endUser, { cost: cost + costNanoUsd, requests: requests + 1 });
    }
    const order = [...sums].toSorted(
      ([one, a], [other, b]) => Number(b.cost - a.cost) || b.requests - a.requests || (one < other ? -1 : 1),
    );
    return order.slice(0, limit).map(([endUser, { cost, requests }]) => [endUser, Number(cost), requests]);
  };
  /** How often it had to look at all of them, beside what it says. */
  const told = async ({ fromMs, toMs, limit, where }: Asked) => {
    let asked = 0;
    const counting = new Proxy(storage.db, {
      get(db, name) {
        if (name === 'execute') asked += 1;
        const value: unknown = Reflect.get(db, name);
        return typeof value === 'function' ? value.bind(db) : value;
      },
    });
    const span = { from: new Date(fromMs), to: new Date(toMs) };
    const { rows } = await readUsageReport(everybody, counting, { ...span, by: 'endUser', limit, where });
    const sums = rows.map(({ group, costNanoUsd, requests }) => [group, Number(costNanoUsd), requests]);
    return { rows: sums, looks: asked };
  };
  const whole = { fromMs: firstMs, toMs: nowMs };

  test('has those that were seldom far ahead and never far behind', async () => {
    // Each week others are ahead of the one who is ahead altogether, more of them than are looked at.
    for (let week = 0; week < weeks; week += 1) {
      const atMs = firstMs + week * 7 * dayMs;
      const others = Array.from({ length: 12 }, (_, place) => cameAt(atMs, `w${week}-${place}`, 1000));
      await add([...others, cameAt(atMs, 'steady', 900)]);
    }
    await settle();
    const asked = { ...whole, limit: 1 };
    expect(await told(asked)).toEqual({ rows: [['steady', 5400, 6]], looks: 2 });
  });

  test('has those that were never far behind in the days beside the weeks either', async () => {
    const places = Array.from({ length: 12 }, (_, place) => place);
    await add(places.map((place) => cameAt(firstMs + 2 * dayMs, `beside-${place}`, 5000)));
    await add([cameAt(firstMs + 2 * dayMs, 'hidden', 4900)]);
    for (let week = 1; week < weeks; week += 1) {
      const atMs = firstMs + week * 7 * dayMs;
      await add([
        ...places.map((place) => cameAt(atMs, `w${week}-${place}`, 100)),
        cameAt(atMs, 'hidden', 90),
      ]);
    }
    await settle();
    const asked = { ...whole, fromMs: firstMs + dayMs, limit: 1 };
    expect(await told(asked)).toEqual({ rows: [['hidden', 5350, 6]], looks: 2 });
  });

  test('is right while weeks are made of days that were settled before there were such weeks', async () => {
    for (let week = 0; week < weeks; week += 1) {
      const atMs = firstMs + week * 7 * dayMs;
      await add([0, 1, 2].map((place) => cameAt(atMs, `e${(place + week) % 5}`, 10 ** (1 + place) + week)));
    }
    await settle();
    const ids = sql.raw(
      Object.values(weeklyFacets)
        .map(({ id }) => id)
        .join(', '),
    );
    await storage.db.execute(sql`DELETE FROM usage_weekly WHERE facet IN (${ids})`);
    await storage.db.execute(sql`DELETE FROM usage_settled_facets WHERE facet IN (${ids})`);
    const asked = { ...whole, limit: 2 };
    const ofModel = { ...asked, where: { model: sampleRecord('').model } };
    for (let hasMore = true; hasMore; ) {
      ({ hasMore } = await settleUsage(storage.db, nowMs));
      expect(await told(asked)).toEqual({ rows: truth(asked), looks: 1 });
      expect(await told(ofModel)).toEqual({ rows: truth(asked), looks: 1 });
    }
  });

  test('looks at few of them where the same ones are ahead in all weeks', async () => {
    for (let week = 0; week < weeks; week += 1) {
      const atMs = firstMs + week * 7 * dayMs + dayMs;
      // One of them in two organisations, which is one row of those that are ranked.
      await add([0, 1, 2, 3].map((place) => cameAt(atMs, `far-${place}`, 1e6 * (place + 1), place + 1)));
      await add([cameAt(atMs, 'far-0', 1.5e6, 7)]);
    }
    await settle();
    const asked = { ...whole, limit: 3 };
    expect(await told(asked)).toEqual({ rows: truth(asked), looks: 1 });
    expect(truth(asked).map(([endUser]) => endUser)).toEqual(['far-3', 'far-2', 'far-0']);
  });

  test('is what all requests say, with what comes late, waits, or is not settled, for any span', async () => {
    const random = new Random(20_210_503);
    const looks = new Map<number, number>();
    for (let round = 0; round < 6; round += 1) {
      const drawn = Array.from({ length: 150 }, () => {
        const day = 7 * random.below(weeks) + random.pick([0, 6]);
        const place = Math.floor(200 * (random.below(1000) / 1000) ** (round < 3 ? 1 : 2));
        const atMs = firstMs + day * dayMs + random.below(dayMs);
        // The later rounds have some who are far ahead, the first ones nobody.
        const cost = round < 3 ? 1e3 + random.below(20) : random.below(1e6) / (place + 1) ** 2;
        return cameAt(atMs, `e${place}`, Math.floor(cost), random.pick([1, 2]));
      });
      await add([...drawn, cameAt(nowMs - 1, `e${round}`, 3e3)]);
      if (round % 3 === 0) await settle();
      else await foldUnsummed(storage.db, 20);
      for (let count = 0; count < 8; count += 1) {
        const fromMs = firstMs + random.below(20) * dayMs;
        const toMs = fromMs + (8 + random.below(30)) * dayMs;
        const asked = { fromMs, toMs, limit: 1 + random.below(3) };
        const found = await told(asked);
        expect([asked, found.rows]).toEqual([asked, truth(asked)]);
        looks.set(found.looks, (looks.get(found.looks) ?? 0) + 1);
      }
    }
    // Of the one way alone nothing would be said of the other.
    expect(Math.min(looks.get(1) ?? 0, looks.get(2) ?? 0)).toBeGreaterThan(3);
  });

  test('follows what costs less by other prices, also below nothing in a week', async () => {
    const dear = (place: number, cost: number) =>
      [0, 7].map((day) => cameAt(firstMs + day * dayMs, `e${place}`, cost));
    await add([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((place) => dear(place, 1000 * (place + 1))));
    await settle();
    expect((await told({ ...whole, limit: 1 })).rows).toEqual([['e9', 20_000, 2]]);
    await storage.db.execute(sql`
      INSERT INTO usage_unsummed (key_id, user_id, payer_id, started_at, status, streamed, model, input_tokens, output_tokens,
        cost_nano_usd, charged_nano_usd, duration_ms, end_user, corrects)
      VALUES (1, 1, 1, ${new Date(firstMs).toISOString()}, 200, false, 'm', 0, 0, -15000, 0, 0, 'e9', true)`);
    expect((await told({ ...whole, limit: 1 })).rows).toEqual([['e8', 18_000, 2]]);
    await settle();
    expect((await told({ ...whole, limit: 1 })).rows).toEqual([['e8', 18_000, 2]]);
    const { rows: ranked } = await storage.db.execute(sql`
      SELECT cost_nano_usd::text AS cost FROM usage_weekly
      WHERE facet = ${rankedFacets.endUsersOfAll.id} AND label = 'e9' ORDER BY bucket_at`);
    expect(ranked).toEqual([{ cost: '-5000' }, { cost: '10000' }]);
  });
});
