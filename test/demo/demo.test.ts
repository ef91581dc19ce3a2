/** The demonstration: the same for the same seed and moment, with sums and books that agree, and somebody of every role. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { listActivity, verifyTrail } from '../../src/audit/index.ts';
import { openEnvelope } from '../../src/base/envelope.ts';
import { systemIds } from '../../src/base/ids.ts';
import { everybody } from '../../src/base/scope.ts';
import { clockShowing } from '../../src/base/testing/manual-clock.ts';
import { Catalogue } from '../../src/catalogue/index.ts';
import { listKeys, listUsers, userRoles } from '../../src/identity/index.ts';
import { checkBooks, listBudgets, Wallets } from '../../src/ledger/index.ts';
import { facets } from '../../src/usage/facets.ts';
import { readUsagePage, readUsageReport } from '../../src/usage/index.ts';
import {
  describeOnEachDatabase,
  type OpenDatabase,
  type TestDatabase,
  usualDatabase,
} from '../support/databases.ts';
import { demoDeclaration, fillDemonstration } from './fill.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2031, 4, 15, 13, 30);
const [rows, days] = [600, 40];

async function filled(open: OpenDatabase, seed: number): Promise<TestDatabase> {
  const storage = await open();
  const clock = clockShowing(() => nowMs);
  const envelope = await openEnvelope('a secret of more than thirty-two characters');
  const fail = (problem: unknown) => {
    throw new Error(String(problem));
  };
  const { db, changes } = storage;
  await settleEmptyDays(storage);
  const catalogue = await Catalogue.open({
    db,
    changes,
    envelope,
    clock,
    onReloadFailed: fail,
    onWarning: fail,
  });
  await fillDemonstration({
    ...{ storage, clock, envelope, catalogue, seed, rows, days, ids: systemIds, declared: demoDeclaration },
    ...{ wallets: new Wallets({ db, changes, clock, databaseMs: async () => clock.nowMs() }) },
    ...{ tokenPrefix: 'sluice_', legalVersion: '2031-01-01' },
  });
  await catalogue.close();
  return storage;
}

/** As a server leaves them that ran here before: of days that are settled, what comes later is added to every sum. */
async function settleEmptyDays({ db }: TestDatabase): Promise<void> {
  const until = new Date(nowMs - (nowMs % dayMs)).toISOString();
  const all = Object.values(facets).map(
    ({ id }) => sql`(${id}::smallint, ${until}::timestamptz, ${until}::timestamptz)`,
  );
  await db.execute(sql`
    INSERT INTO usage_settled_facets (facet, days_until, weeks_until) VALUES ${sql.join(all, sql`, `)}
    ON CONFLICT (facet) DO UPDATE SET days_until = excluded.days_until, weeks_until = excluded.weeks_until`);
}

/** Everything that its requests say. */
async function contentOf({ db }: TestDatabase): Promise<string | undefined> {
  const said = await db.execute<{ hash: string }>(
    sql`SELECT md5(string_agg(record::text, ' ' ORDER BY request_id)) AS hash FROM usage_records AS record`,
  );
  return said.rows[0]?.hash;
}

describeOnEachDatabase('a demonstration', (open, { kind }) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await filled(open, 1);
  }, 600_000);
  afterAll(() => storage.close());

  test('has so many requests of the days before now, and sums of all of them', async () => {
    const { records } = await readUsagePage(everybody, storage.db, { limit: 1000 });
    const [newest] = records;
    expect(newest?.startedAt.getTime()).toBeLessThan(nowMs);
    expect(newest?.startedAt.getTime()).toBeGreaterThan(nowMs - 2 * dayMs);
    const span = { from: new Date(nowMs - (days + 1) * dayMs), to: new Date(nowMs + dayMs) };
    const { rows: sums } = await readUsageReport(everybody, storage.db, span);
    const stored = await storage.db.execute<{ rows: string; cost: string }>(
      sql`SELECT count(*)::text AS rows, sum(cost_nano_usd)::text AS cost FROM usage_records`,
    );
    expect(stored.rows).toEqual([{ rows: String(rows), cost: String(sums[0]?.costNanoUsd) }]);
    expect(sums[0]?.requests).toBe(rows);
  });

  test('has no request that the log could not have: each of them reached a provider', async () => {
    const { records } = await readUsagePage(everybody, storage.db, { limit: 1000 });
    expect(records.filter(({ attempts, provider }) => attempts === 0 || provider === null)).toEqual([]);
    expect(records.some(({ status }) => status === 400)).toBeTrue();
  });

  test.each(['organisation', 'department', 'model', 'key', 'status'] as const)(
    'has sums by %s of all its requests',
    async (by) => {
      const span = { from: new Date(nowMs - (days + 1) * dayMs), to: new Date(nowMs + dayMs) };
      const { rows: sums } = await readUsageReport(everybody, storage.db, { ...span, by });
      expect(sums.reduce((sum, { requests }) => sum + requests, 0)).toBe(rows);
    },
  );

  test('has money that adds up, and nobody who owes some', async () => {
    expect(await checkBooks(storage.db)).toEqual([]);
    const unequal = await storage.db.execute(sql`
      SELECT payer_id FROM usage_records GROUP BY payer_id HAVING sum(charged_nano_usd) <> coalesce((
        SELECT sum(-entry.amount_nano_usd) FROM entries AS entry
        JOIN journals AS journal ON journal.id = entry.journal_id AND journal.kind = 'usage'
        JOIN accounts AS account ON account.id = entry.account_id WHERE account.user_id = payer_id
      ), 0)`);
    expect(unequal.rows).toEqual([]);
    const owing = await storage.db.execute(sql`SELECT id FROM funds WHERE balance_nano_usd < 0`);
    expect(owing.rows).toEqual([]);
  });

  test('has people of every role, forty keys, and a budget that is spent to four fifths', async () => {
    const people = await listUsers(everybody, storage.db);
    expect(new Set(people.map(({ role }) => role))).toEqual(new Set(userRoles));
    expect(await listKeys(everybody, storage.db)).toHaveLength(40);
    const [budget] = await listBudgets(storage.db, nowMs);
    expect(Number(budget?.spentNanoUsd) / Number(budget?.limitNanoUsd)).toBeCloseTo(0.8, 1);
  });

  test('has accounts and keys that were there before its first request, and an activity that says so', async () => {
    const { entries } = await listActivity(everybody, storage.db, { limit: 500 });
    const made = entries.filter(({ action }) => action === 'account.created' || action === 'key.created');
    expect(new Set(made.map(({ action }) => action)).size).toBe(2);
    const beganAt = new Date(nowMs - days * dayMs);
    const keys = await listKeys(everybody, storage.db);
    for (const { at } of made) expect(at).toEqual(beganAt);
    for (const { createdAt } of keys) expect(createdAt).toEqual(beganAt);
    expect((await verifyTrail(storage.db)).breaches).toEqual([]);
  });

  // What is made up does not depend on where it is kept.
  test.skipIf(kind !== usualDatabase.kind)(
    'is the same for the same seed and moment, and another for another seed',
    async () => {
      const again = await filled(open, 1);
      const other = await filled(open, 2);
      const content = await contentOf(storage);
      expect(await contentOf(again)).toBe(content);
      expect(await contentOf(other)).not.toBe(content);
      await again.close();
      await other.close();
    },
    240_000,
  );
});
