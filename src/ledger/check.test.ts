import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type SQL, sql, TransactionRollbackError } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type Work } from '../storage/work.ts';
import { deposit } from './books.ts';
import { openWindows, readBudgets, setBudget } from './budgets.ts';
import { type Breach, checkBooks } from './check.ts';
import { grantPromotion } from './promotions.ts';
import { newPerson } from './testing/people.ts';
import { writeCharges } from './testing/write-charges.ts';

const day = '2031-02-26';
/** For whom nothing is wrong, and whose books every rule must leave alone. */
const sound = { paid: 70n, promo: 9n };

describeOnEachDatabase('a check of the books', (openDatabase) => {
  let storage: Storage;
  const clock = new ManualClock(Date.parse(`${day}T12:00:00Z`));
  let userId: number;
  let fundId: string;
  let accountId: string;
  let windowFundId: string;
  beforeAll(async () => {
    storage = await openDatabase();
    const write = <Result>(run: (work: Work) => Promise<Result>) =>
      transact({ storage, clock, ids: systemIds }, run);
    for (const _each of ['sound', 'broken']) {
      userId = await newPerson(storage.db);
      const asked = { userId, businessKey: `first of ${userId}` };
      await write((work) => deposit(work, { ...asked, amountNanoUsd: sound.paid }));
      const grant = { userId, name: 'Spring', amountNanoUsd: sound.promo, expiresAt: null };
      await write((work) => grantPromotion(work, { ...grant, businessKey: `grant to ${userId}` }));
      await writeCharges(storage.db, new Map([[userId, 12n]]), null);
      const subject = { kind: 'user', id: userId } as const;
      await write((work) =>
        setBudget(work, { subject, period: 'total', limitNanoUsd: 40n, managedBy: null }),
      );
      const [budget] = await readBudgets(storage.db, [subject]);
      await openWindows(storage.db, [{ budgetId: budget?.id ?? 0, startsAtMs: 0 }]);
    }
    const { rows } = await storage.db.execute<{ fund: string; account: string; other: string }>(sql`
      SELECT fund_id::text AS fund, paid_account_id::text AS account,
        (SELECT max(fund_id)::text FROM budget_windows) AS other FROM wallets WHERE user_id = ${userId}`);
    [fundId = '', accountId = '', windowFundId = ''] = [rows[0]?.fund, rows[0]?.account, rows[0]?.other];
  });
  afterAll(() => storage.close());

  /** What is found once somebody has passed by all that the database holds; nothing of it stays. */
  async function foundAfter(...mistakes: readonly SQL[]): Promise<readonly Breach[]> {
    let found: readonly Breach[] = [];
    try {
      await storage.db.transaction(async (transaction) => {
        for (const table of ['entries', 'journals']) {
          await transaction.execute(sql.raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`));
        }
        for (const mistake of mistakes) await transaction.execute(mistake);
        found = await checkBooks(transaction);
        transaction.rollback();
      });
    } catch (thrown) {
      if (!(thrown instanceof TransactionRollbackError)) throw thrown;
    }
    return found;
  }

  test('finds nothing where all is as it was booked', async () => {
    expect(await checkBooks(storage.db)).toEqual([]);
  });

  test('finds a journal that does not sum to zero, and one without entries', async () => {
    const odd = sql`UPDATE entries SET amount_nano_usd = amount_nano_usd + 1
      WHERE journal_id = (SELECT min(id) FROM journals) AND account_id <> ALL (SELECT id FROM accounts WHERE user_id IS NOT NULL)`;
    expect(await foundAfter(odd)).toEqual([
      { rule: 'the entries of a journal sum to zero', where: ['journal 1'] },
    ]);
    const empty = sql`INSERT INTO journals (kind, business_key) VALUES ('deposit', 'empty') RETURNING id`;
    const [breach, ...others] = await foundAfter(empty);
    expect([breach?.rule, breach?.where.length, others]).toEqual(['a journal has entries', 1, []]);
  });

  test('names at most twenty places', async () => {
    const many = sql`INSERT INTO journals (kind, business_key)
      SELECT 'deposit', 'empty ' || number FROM generate_series(1, 30) AS list (number)`;
    const [breach] = await foundAfter(many);
    expect(breach?.where).toHaveLength(20);
  });

  test('finds a balance that is not the sum of its entries, of a wallet and of its promotions', async () => {
    const [rule, entries] = [
      'the balance of a wallet is the sum of its entries',
      sound.paid + sound.promo - 12n,
    ];
    const wallet = `wallet of user ${userId}`;
    const balance = sql`UPDATE funds SET balance_nano_usd = balance_nano_usd + 1 WHERE id = ${fundId}`;
    expect(await foundAfter(balance)).toEqual([
      { rule, where: [`${wallet}: ${entries + 1n}, entries ${entries}`] },
    ]);
    // What is left and what was spent are right together, and the books say another sum of both.
    const promo = sql`UPDATE wallets SET promo_nano_usd = promo_nano_usd + 1, promo_spent_nano_usd = promo_spent_nano_usd - 1
      WHERE user_id = ${userId}`;
    expect(await foundAfter(promo)).toEqual([{ rule, where: [`${wallet}: ${entries}, entries ${entries}`] }]);
    const grants = sql`UPDATE promotion_grants SET remaining_nano_usd = remaining_nano_usd - 1 WHERE user_id = ${userId}`;
    expect(await foundAfter(grants)).toEqual([
      { rule: 'what is left of promotions is what their grants say', where: [wallet] },
    ]);
  });

  test('finds a day that is not what was booked on it, or that is there for nothing', async () => {
    const rule = 'a day of an account is the sum of what was booked on it';
    const changes = [
      ['amount_nano_usd = amount_nano_usd + 1', `${sound.paid + 1n}`],
      ['usage_nano_usd = usage_nano_usd + 1', `${sound.paid}`],
      ['usage_requests = 7', `${sound.paid}`],
      ['first_journal_id = first_journal_id - 1', `${sound.paid}`],
      ['last_journal_id = last_journal_id + 1', `${sound.paid}`],
      ['last_usage_journal_id = 1', `${sound.paid}`],
      [`last_at = last_at + interval '1 second'`, `${sound.paid}`],
    ] as const;
    for (const [change, told] of changes) {
      const mistake = sql`UPDATE account_days SET ${sql.raw(change)} WHERE account_id = ${accountId} AND day = ${day}`;
      const where = [`account ${accountId} on ${day}: ${told}, entries ${sound.paid}`];
      expect(await foundAfter(mistake)).toEqual([{ rule, where }]);
    }
    const gone = sql`DELETE FROM account_days WHERE account_id = ${accountId} AND day = ${day}`;
    const missing = `account ${accountId} on ${day}: none, entries ${sound.paid}`;
    expect(await foundAfter(gone)).toEqual([{ rule, where: [missing] }]);
    const moved = sql`UPDATE account_days SET day = '2031-03-01' WHERE account_id = ${accountId} AND day = ${day}`;
    const alone = `account ${accountId} on 2031-03-01: ${sound.paid}, entries none`;
    expect((await foundAfter(moved))[0]?.where.toSorted()).toEqual([missing, alone]);
  });

  test('finds leases that are not what is leased, and a window that is not its limit less what was spent', async () => {
    const leased = sql`UPDATE funds SET leased_nano_usd = 5 WHERE id = ${fundId}`;
    expect(await foundAfter(leased)).toEqual([
      { rule: 'what is leased of a fund is the sum of its leases', where: [`fund ${fundId}: 5`] },
    ]);
    const spent = sql`UPDATE budget_windows SET settled_nano_usd = 3 WHERE fund_id = ${windowFundId}`;
    const [breach, ...others] = await foundAfter(spent);
    expect(breach?.rule).toBe('what is left of a window of a budget is its limit less what was spent in it');
    expect([breach?.where.length, breach?.where[0]?.endsWith(': 40'), others]).toEqual([1, true, []]);
  });

  test('finds a fund of two owners, and money that belongs to no wallet', async () => {
    const shared = sql`UPDATE budget_windows SET fund_id = ${fundId}, limit_nano_usd = (SELECT balance_nano_usd FROM funds
      WHERE id = ${fundId}) WHERE fund_id = ${windowFundId}`;
    expect(await foundAfter(shared)).toEqual([
      { rule: 'what is spent from is a wallet or a budget, not both', where: [`fund ${fundId}`] },
    ]);
    const stranger = sql`INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (987654, 'third', ${userId})`;
    expect(await foundAfter(stranger)).toEqual([
      { rule: 'money of payers belongs to wallets', where: ['account 987654'] },
    ]);
  });
});
