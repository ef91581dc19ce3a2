/** While servers are replaced some are of the version before, which knows nothing of the newest facets: no sum may lack what came. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { everybody } from '../base/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { facets } from './facets.ts';
import { readUsageReport } from './index.ts';
import { edition } from './rollups.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';
import { foldUnsummed, settleUsage } from './unsummed.ts';

const dayMs = 86_400_000;
/** A Monday. */
const firstMs = Date.UTC(2021, 4, 3);
const nowMs = firstMs + 16 * dayMs;
const whole = { from: new Date(firstMs), to: new Date(nowMs), limit: 10 } as const;

describeOnEachDatabase('sums of usage and editions of who folds', (openDatabase) => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await openDatabase();
  });
  afterEach(() => storage.close());

  const store = (atMs: number) => {
    const startedAt = new Date(atMs);
    const labels = { sessionId: null, endUser: 'e', tags: ['t'] };
    const requestId = requestIdAt(startedAt);
    return insertUsage(storage.db, [
      sampleRecord('', { requestId, startedAt, labels, model: 'm', costNanoUsd: 5n }),
    ]);
  };
  const settle = async () => {
    while ((await foldUnsummed(storage.db, 100)).hasMore);
    while ((await settleUsage(storage.db, nowMs)).hasMore);
  };
  const sumsOfWeeks = async () => {
    const { rows } = await storage.db.execute(sql`
      SELECT facet::int AS facet, sum(cost_nano_usd)::int AS cost FROM usage_weekly GROUP BY facet ORDER BY facet`);
    return rows;
  };

  test('refuses who does not know all facets, which leaves requests waiting and reports right', async () => {
    await store(firstMs);
    await settle();
    await store(firstMs);
    // Of the first one the column was unknown. A fold of each is one statement that deletes what waits and adds it.
    for (const [column, value] of [
      ['', ''],
      [', edition', `, ${edition - 1}`],
    ]) {
      const folding = storage.db.execute(
        sql.raw(`WITH taken AS (DELETE FROM usage_unsummed RETURNING *)
          INSERT INTO usage_daily (bucket_at, facet, series_id, requests, errors, input_tokens, output_tokens, cost_nano_usd,
            charged_nano_usd${column})
          SELECT started_at, 0, gen_random_uuid(), 1, 0, 0, 0, cost_nano_usd, 0${value} FROM taken`),
      );
      await expect(Promise.resolve(folding)).rejects.toThrow();
      const { rows } = await readUsageReport(everybody, storage.db, { ...whole, by: 'endUser' });
      expect(rows.map(({ costNanoUsd }) => costNanoUsd)).toEqual([10n]);
    }
  });

  test('adds what comes late to days that an edition before has summed, and to all that was made of them', async () => {
    await store(firstMs);
    await settle();
    // As the version before has left it.
    await storage.db.execute(sql`ALTER TABLE usage_daily DROP CONSTRAINT usage_daily_edition`);
    await storage.db.execute(sql`UPDATE usage_daily SET edition = ${edition - 1}`);
    await storage.db.execute(
      sql.raw(
        `ALTER TABLE usage_daily ADD CONSTRAINT usage_daily_edition CHECK (edition >= ${edition}) NOT VALID`,
      ),
    );
    await store(firstMs + dayMs / 2);
    expect(await foldUnsummed(storage.db, 100)).toEqual({ requests: 1, hasMore: false });
    expect(await sumsOfWeeks()).toEqual(Object.values(facets).map(({ id }) => ({ facet: id, cost: 10 })));
    for (const asked of [{}, { where: { model: 'm' } }]) {
      const { rows } = await readUsageReport(everybody, storage.db, { ...whole, by: 'endUser', ...asked });
      expect(rows.map(({ costNanoUsd }) => costNanoUsd)).toEqual([10n]);
    }
  });

  test('makes sums anew that lack what the version before folded while servers were replaced', async () => {
    await store(firstMs);
    await store(firstMs + dayMs / 2);
    await settle();
    const right = await sumsOfWeeks();
    await storage.db.execute(sql`UPDATE usage_weekly SET cost_nano_usd = 5 WHERE facet IN (12, 13)`);
    await storage.db.execute(sql`ALTER TABLE usage_daily DROP CONSTRAINT usage_daily_edition`);
    const name = '0041_sums-of-all-facets.sql';
    const migration = readFileSync(join(import.meta.dirname, '../storage/migrations', name), 'utf8');
    await storage.db.transaction(async (transaction) => {
      for (const statement of migration.split('--> statement-breakpoint')) {
        await transaction.execute(sql.raw(statement));
      }
    });
    // Until these are made the ones that they are made of are read.
    for (const made of [() => Promise.resolve(), settle]) {
      await made();
      for (const asked of [{}, { where: { model: 'm' } }]) {
        const { rows } = await readUsageReport(everybody, storage.db, { ...whole, by: 'endUser', ...asked });
        expect(rows.map(({ costNanoUsd }) => costNanoUsd)).toEqual([10n]);
      }
    }
    expect(await sumsOfWeeks()).toEqual(right);
  });

  test('is raised with every facet, and the table asks for it', async () => {
    // Who adds a facet raises the edition, also in the table (`schema/usage.ts`), and then adds it here.
    const facetsOf: Readonly<Record<number, number>> = { 3: 14 };
    expect(Object.keys(facets)).toHaveLength(facetsOf[edition] ?? 0);
    const { rows } = await storage.db.execute(sql`
      SELECT pg_get_constraintdef(oid) AS said FROM pg_constraint WHERE conname = 'usage_daily_edition'`);
    expect(rows).toEqual([{ said: `CHECK ((edition >= ${edition})) NOT VALID` }]);
  });
});
