import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { Random } from '../../test/fuzz/random.ts';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import type { Storage } from '../storage/storage.ts';
import { openWallet } from './books.ts';
import { checkBooks } from './check.ts';
import { readStatement, type StatementLine, type StatementSpan } from './statement.ts';
import { newPerson } from './testing/people.ts';

const dayMs = 86_400_000;
const firstMs = Date.UTC(2031, 1, 26);

/** What is booked in one journal on a payer. */
interface Booked {
  readonly kind: 'usage' | 'deposit' | 'expiry';
  readonly atMs: number;
  readonly paid: bigint;
  readonly promo: bigint;
  readonly requests: number | null;
  readonly id: number;
}

type Line = Omit<StatementLine, 'note'>;

/** What a statement has to say, added up of all that was ever booked. */
function linesOf(all: readonly Booked[], { from, until, isByBatch = false }: StatementSpan): readonly Line[] {
  const dayOf = (atMs: number) => atMs - (atMs % dayMs);
  const lines = new Map<string, Line & { readonly last: number }>();
  for (const { kind, atMs, paid, promo, requests, id } of all) {
    if (atMs >= until.getTime()) continue;
    const isDay = kind === 'usage' && !isByBatch;
    const name = isDay ? `day ${dayOf(atMs)}` : `journal ${id}`;
    const line = lines.get(name);
    lines.set(name, {
      ...{ journalId: isDay ? null : id, kind, at: new Date(isDay ? dayOf(atMs) : atMs) },
      paidNanoUsd: (line?.paidNanoUsd ?? 0n) + paid,
      promoNanoUsd: (line?.promoNanoUsd ?? 0n) + promo,
      requests: requests === null ? (line?.requests ?? null) : (line?.requests ?? 0) + requests,
      ...{ balanceNanoUsd: 0n, last: Math.max(line?.last ?? 0, id) },
    });
  }
  let balanceNanoUsd = 0n;
  const inOrder = [...lines.values()].toSorted(
    (one, other) => dayOf(one.at.getTime()) - dayOf(other.at.getTime()) || one.last - other.last,
  );
  return (
    inOrder
      .map(({ last: _last, ...line }) => {
        balanceNanoUsd += line.paidNanoUsd + line.promoNanoUsd;
        return { ...line, balanceNanoUsd };
      })
      // A day of usage is told whole, and with it whatever was booked on the first day.
      .filter(({ at }) => at.getTime() >= (isByBatch ? from.getTime() : dayOf(from.getTime())))
      .toReversed()
  );
}

describeOnEachDatabase('a statement', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  /** As any version of the program books it, at a time of its own. */
  async function book(userId: number, { id: _id, ...booked }: Booked): Promise<Booked> {
    const { kind, atMs, paid, promo, requests } = booked;
    const wallet = await openWallet(storage.db, userId);
    const { rows } = await storage.db.execute<{ id: string }>(sql`
      WITH made AS (
        INSERT INTO journals (kind, business_key, created_at)
        VALUES (${kind}, ${crypto.randomUUID()}, ${new Date(atMs).toISOString()}) RETURNING id
      ),
      booked AS (
        INSERT INTO entries (journal_id, account_id, amount_nano_usd, requests)
        SELECT made.id, line.account, line.amount, line.requests FROM made, (VALUES
          (${wallet.paidAccountId}::bigint, ${String(paid)}::bigint, ${requests}::integer),
          (${wallet.promoAccountId}, ${String(promo)}, ${requests === null ? null : 0}),
          ((SELECT id FROM accounts WHERE user_id IS NULL AND kind = 'revenue'), ${String(-paid - promo)}, NULL)
        ) AS line (account, amount, requests) WHERE line.amount <> 0
      )
      SELECT id::text AS id FROM made`);
    return { ...booked, id: Number(rows[0]?.id) };
  }

  const told = async (userId: number, span: StatementSpan): Promise<readonly Line[]> =>
    (await readStatement(storage.db, userId, span)).map(({ note: _note, ...line }) => line);

  test('of any span says what all entries add up to, whatever the order in which they were booked', async () => {
    const random = new Random(31);
    const userId = await newPerson(storage.db);
    const stranger = await newPerson(storage.db);
    const all: Booked[] = [];
    for (let count = 0; count < 60; count += 1) {
      const kind = random.pick(['usage', 'usage', 'usage', 'deposit', 'expiry'] as const);
      const atMs = firstMs + random.below(6) * dayMs + random.below(dayMs);
      const [paid, promo] = [BigInt(random.below(9) - 4), BigInt(random.below(3) - 1)];
      const isCounted = kind === 'usage' && random.below(4) > 0 && paid !== 0n;
      const booked = { kind, atMs, paid, promo, requests: isCounted ? 1 + random.below(5) : null, id: 0 };
      if (paid !== 0n || promo !== 0n) all.push(await book(userId, booked));
      await book(stranger, { ...booked, paid: 1_000n, id: 0 });
    }
    const at = (days: number) => new Date(firstMs + days * dayMs);
    const spans = [
      [-9, 99],
      [0, 6],
      [1, 2],
      [2.3, 4.6],
      [3, 3.5],
      [0.5, 0.6],
      [4, 4],
      [7, 9],
      [-3, 0],
    ] as const;
    for (const [from, until] of spans) {
      for (const isByBatch of [false, true]) {
        const span = { from: at(from), until: at(until), isByBatch };
        expect(await told(userId, span)).toEqual(linesOf(all, span));
      }
    }
    // Up to the very moment of a journal, and from it on.
    for (const { atMs } of all.slice(0, 12)) {
      for (const isByBatch of [false, true]) {
        for (const span of [
          { from: at(-9), until: new Date(atMs), isByBatch },
          { from: new Date(atMs), until: at(99), isByBatch },
        ]) {
          expect(await told(userId, span)).toEqual(linesOf(all, span));
        }
      }
    }
    const breaches = (await checkBooks(storage.db)).map(({ rule }) => rule);
    expect(breaches).not.toContain('a day of an account is the sum of what was booked on it');
  });

  test('has one line for a day of usage that promotions and payments paid together', async () => {
    const userId = await newPerson(storage.db);
    const usage = { kind: 'usage', requests: 2, id: 0 } as const;
    await book(userId, { ...usage, atMs: firstMs + 5, paid: -3n, promo: -4n });
    await book(userId, { ...usage, atMs: firstMs + dayMs - 1, paid: -1n, promo: 0n });
    const span = { from: new Date(firstMs), until: new Date(firstMs + dayMs) };
    const line = { kind: 'usage', journalId: null, at: new Date(firstMs), requests: 4 };
    const sums = { paidNanoUsd: -4n, promoNanoUsd: -4n, balanceNanoUsd: -8n };
    expect(await told(userId, span)).toEqual([{ ...line, ...sums }]);
    expect(await told(userId, { ...span, from: span.until })).toEqual([]);
  });

  test('reads no entries of usage for days that are whole, however many there are', async () => {
    const userId = await newPerson(storage.db);
    const [one] = [
      await book(userId, { kind: 'usage', atMs: firstMs, paid: -7n, promo: 0n, requests: 1, id: 0 }),
    ];
    // What the days say alone: the entries say otherwise, and are not asked.
    await storage.db.execute(sql`
      UPDATE account_days SET usage_nano_usd = usage_nano_usd - 1, usage_requests = 9 WHERE last_journal_id = ${one?.id}`);
    const span = { from: new Date(firstMs), until: new Date(firstMs + 1) };
    expect(await told(userId, span)).toMatchObject([{ paidNanoUsd: -8n, requests: 9 }]);
    expect(await told(userId, { ...span, isByBatch: true })).toMatchObject([
      { paidNanoUsd: -7n, requests: 1 },
    ]);
    await storage.db.execute(sql`
      UPDATE account_days SET usage_nano_usd = usage_nano_usd + 1, usage_requests = 1 WHERE last_journal_id = ${one?.id}`);
  });
});
