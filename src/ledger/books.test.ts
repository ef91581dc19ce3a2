import { expect, test } from 'bun:test';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { journals } from '../storage/schema/ledger.ts';
import { databaseErrorCode } from '../storage/storage-error.ts';
import { deposit, postJournal, setCreditLimit } from './books.ts';
import type { Journal } from './journals.ts';
import { reverseJournal } from './reversal.ts';
import { findDeposit } from './statement.ts';
import { lockAround } from './testing/lock-funds.ts';
import { openTestBooks } from './testing/test-books.ts';

describeOnEachDatabase('the books', (openDatabase, { kind }) => {
  const clock = new ManualClock();
  const books = openTestBooks(openDatabase, { clock: () => clock });
  const { balanceOf, write } = books;

  const post = (journal: Journal) => write((work) => postJournal(work, journal));
  const paid = (userId: number) => ({ userId, part: 'paid' }) as const;
  const entriesOfDeposit = ({ userId, amountNanoUsd }: { userId: number; amountNanoUsd: bigint }) => [
    { account: paid(userId), amountNanoUsd },
    { account: 'payments', amountNanoUsd: -amountNanoUsd } as const,
  ];

  test('a deposit happens once for each business key, however many ask for it at once', async () => {
    const userId = await books.newPerson();
    const asked = { userId, amountNanoUsd: 7n, businessKey: `payment ${userId}` };
    const done = await Promise.all([1, 2, 3].map(() => write((work) => deposit(work, asked))));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await balanceOf(userId)).toBe(7n);
  });

  test('a journal has its name, what was said of it, who booked it and when, and what it takes back', async () => {
    const userId = await books.newPerson();
    const asked = { userId, amountNanoUsd: 7n, businessKey: `invoice ${userId}` };
    await write((work) => deposit(work, { ...asked, note: 'Invoice 7', createdBy: userId }));
    const journalOf = async (businessKey: string) => {
      const [row] = await books.db.select().from(journals).where(eq(journals.businessKey, businessKey));
      return row;
    };
    const booked = await journalOf(asked.businessKey);
    const createdAt = new Date(clock.nowMs());
    expect(booked).toMatchObject({ kind: 'deposit', note: 'Invoice 7', createdBy: userId, createdAt });
    expect(booked?.reverses).toBeNull();
    const back = { journalId: booked?.id ?? -1, businessKey: `back ${asked.businessKey}` };
    expect(await write((work) => reverseJournal(work, back))).toMatchObject({ isNew: true });
    const reversal = await journalOf(back.businessKey);
    expect(reversal).toMatchObject({ kind: 'reversal', note: '', reverses: booked?.id, createdBy: null });
    expect(await findDeposit(books.db, asked.businessKey)).toEqual({ userId, amountNanoUsd: 7n });
    expect(await findDeposit(books.db, back.businessKey)).toBeUndefined();
  });

  test('the payer hears of money that came, and only then', async () => {
    const userId = await books.newPerson();
    // Of others that came before.
    await heardAll(books.storage);
    const heard: string[] = [];
    const stop = books.storage.changes.subscribe('wallet', (key) => heard.push(key));
    await write((work) => deposit(work, { userId, amountNanoUsd: 7n, businessKey: `told ${userId}` }));
    await heardAll(books.storage);
    stop();
    expect(heard).toEqual([String(userId)]);
  });

  test('money goes from one payer to another, both or neither', async () => {
    const [from, to] = [await books.newPerson(), await books.newPerson()];
    await write((work) => deposit(work, { userId: from, amountNanoUsd: 10n, businessKey: `first ${from}` }));
    const moved = await post({
      kind: 'transfer',
      businessKey: `transfer ${from}`,
      entries: [
        { account: paid(from), amountNanoUsd: -4n },
        { account: paid(to), amountNanoUsd: 4n },
      ],
    });
    expect(moved.isNew).toBe(true);
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([6n, 4n]);
  });

  test.skipIf(kind === 'embedded')('money goes to another beside who settles usage of both', async () => {
    const [to, from] = [await books.newPerson(), await books.newPerson()];
    for (const userId of [from, to]) {
      await write((work) => deposit(work, { userId, amountNanoUsd: 9n, businessKey: `before ${userId}` }));
    }
    await lockAround(books, [from, to], () =>
      post({
        kind: 'transfer',
        businessKey: `crossing ${from}`,
        entries: [
          { account: paid(from), amountNanoUsd: -4n },
          { account: paid(to), amountNanoUsd: 4n },
        ],
      }),
    );
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([5n, 13n]);
  });

  test('a journal is taken back by another one, once', async () => {
    const userId = await books.newPerson();
    const { id } = await post({
      kind: 'adjustment',
      businessKey: `gift ${userId}`,
      entries: [
        { account: paid(userId), amountNanoUsd: 5n },
        { account: 'adjustments', amountNanoUsd: -5n },
      ],
    });
    const reverse = (businessKey: string) =>
      write((work) => reverseJournal(work, { journalId: id, businessKey }));
    expect(await reverse(`back ${userId}`)).toMatchObject({ isNew: true });
    expect(await reverse(`back ${userId}`)).toMatchObject({ isNew: false });
    expect(await balanceOf(userId)).toBe(0n);
    await expect(reverse(`again ${userId}`)).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      write((work) => reverseJournal(work, { journalId: 999_999_999, businessKey: 'none' })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('taking a transfer back is noted of both wallets, once', async () => {
    const [from, to] = [await books.newPerson(), await books.newPerson()];
    const { id } = await post({
      kind: 'transfer',
      businessKey: `lent ${from}`,
      entries: [
        { account: paid(from), amountNanoUsd: -4n },
        { account: paid(to), amountNanoUsd: 4n },
      ],
    });
    const businessKey = `given back ${from}`;
    for (const isNew of [true, false]) {
      expect(await write((work) => reverseJournal(work, { journalId: id, businessKey }))).toMatchObject({
        isNew,
      });
    }
    const noted = await books.db
      .select({ userId: auditEntries.userId, details: auditEntries.details })
      .from(auditEntries)
      .where(and(eq(auditEntries.action, 'wallet.reversed'), inArray(auditEntries.userId, [from, to])))
      .orderBy(auditEntries.userId);
    const noteOf = (userId: number, usd: string) => ({
      userId,
      details: { journal: id, kind: 'transfer', usd },
    });
    const notes = [noteOf(from, '0.000000004'), noteOf(to, '-0.000000004')];
    expect(noted).toEqual(notes.toSorted((one, other) => one.userId - other.userId));
  });

  test('a journal is taken back once, however many ask for it at once by names of their own', async () => {
    const userId = await books.newPerson();
    const asked = { userId, amountNanoUsd: 7n, businessKey: `doubted ${userId}` };
    await write((work) => deposit(work, asked));
    const { id } = await post({ ...asked, kind: 'deposit', entries: entriesOfDeposit(asked) });
    const ends = await Promise.allSettled(
      [1, 2, 3].map((each) =>
        write((work) => reverseJournal(work, { journalId: id, businessKey: `undone ${userId} ${each}` })),
      ),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await balanceOf(userId)).toBe(0n);
  });

  test('the database itself refuses that a journal is taken back twice, also at the same moment', async () => {
    const userId = await books.newPerson();
    const asked = { userId, amountNanoUsd: 7n, businessKey: `raced ${userId}` };
    await write((work) => deposit(work, asked));
    const { id } = await post({ ...asked, kind: 'deposit', entries: entriesOfDeposit(asked) });
    const entries = entriesOfDeposit({ ...asked, amountNanoUsd: -7n });
    // Without the look that whoever takes one back has first.
    const ends = await Promise.allSettled(
      ['one', 'two'].map((each) =>
        post({ kind: 'reversal', reverses: id, businessKey: `${each} back ${userId}`, entries }),
      ),
    );
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const end of ends)
      if (end.status === 'rejected') expect(databaseErrorCode(end.reason)).toBe('23505');
    expect(await balanceOf(userId)).toBe(0n);
  });

  test('a name that took one journal back takes no other back, and does not say that it did', async () => {
    const userId = await books.newPerson();
    const ids: number[] = [];
    for (const part of ['one', 'two']) {
      const asked = { userId, amountNanoUsd: 7n, businessKey: `${part} ${userId}` };
      await write((work) => deposit(work, asked));
      ids.push((await post({ ...asked, kind: 'deposit', entries: entriesOfDeposit(asked) })).id);
    }
    const [first = -1, second = -1] = ids;
    const businessKey = `ticket ${userId}`;
    await write((work) => reverseJournal(work, { journalId: first, businessKey }));
    await expect(
      write((work) => reverseJournal(work, { journalId: second, businessKey })),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect(await balanceOf(userId)).toBe(7n);
  });

  test('a name that was booked with something else is refused, with what was booked', async () => {
    const [userId, other] = [await books.newPerson(), await books.newPerson()];
    const asked = { userId, amountNanoUsd: 5_000_000_000n, businessKey: `invoice 1 of ${userId}` };
    await write((work) => deposit(work, asked));
    const refused = {
      code: 'conflict',
      message: expect.stringMatching(/journal \d+, a deposit of \$5\.00, and/),
    };
    for (const change of [{ amountNanoUsd: 6_000_000_000n }, { userId: other }]) {
      await expect(write((work) => deposit(work, { ...asked, ...change }))).rejects.toMatchObject(refused);
    }
    const inAnotherWay = { ...asked, kind: 'adjustment', entries: entriesOfDeposit(asked) } as const;
    await expect(post(inAnotherWay)).rejects.toMatchObject(refused);
    expect(await write((work) => deposit(work, asked))).toBe(false);
    expect(await balanceOf(userId)).toBe(5_000_000_000n);
  });

  test('a name whose booking was taken back is refused, with what took it back', async () => {
    const userId = await books.newPerson();
    const asked = { userId, amountNanoUsd: 5_000_000_000n, businessKey: `invoice 2 of ${userId}` };
    const { id: journalId } = await post({ ...asked, kind: 'deposit', entries: entriesOfDeposit(asked) });
    const back = { journalId, businessKey: `back ${asked.businessKey}` };
    const { id } = await write((work) => reverseJournal(work, back));
    await expect(write((work) => deposit(work, asked))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`was taken back by journal ${id};`),
    });
    expect(await write((work) => reverseJournal(work, back))).toEqual({ id, isNew: false });
    expect(await balanceOf(userId)).toBe(0n);
  });

  test('what does not sum to zero, or is nothing, is not booked', async () => {
    const userId = await books.newPerson();
    const entries = [{ account: paid(userId), amountNanoUsd: 5n }];
    await expect(post({ kind: 'adjustment', businessKey: 'odd', entries })).rejects.toThrow(RangeError);
    await expect(post({ kind: 'adjustment', businessKey: 'none', entries: [] })).rejects.toThrow(RangeError);
    await expect(write((work) => setCreditLimit(work, userId, -1n))).rejects.toThrow(RangeError);
    for (const amountNanoUsd of [0n, -1n]) {
      await expect(
        write((work) => deposit(work, { userId, amountNanoUsd, businessKey: 'nothing' })),
      ).rejects.toThrow(RangeError);
    }
  });

  test.each([
    ['changes an entry', sql`UPDATE entries SET amount_nano_usd = 1`],
    ['removes an entry', sql`DELETE FROM entries`],
    ['changes a journal', sql`UPDATE journals SET note = 'x'`],
    ['empties the books', sql`TRUNCATE entries`],
    [
      'adds to a journal later, though in balance',
      sql`INSERT INTO entries SELECT (SELECT max(journal_id) FROM entries), id, 0 FROM accounts WHERE kind = 'revenue' AND user_id IS NULL`,
    ],
    [
      'books out of balance',
      sql`WITH made AS (INSERT INTO journals (kind, business_key) VALUES ('deposit', 'unbalanced') RETURNING id)
        INSERT INTO entries SELECT made.id, account.id, 1 FROM made, accounts AS account WHERE account.kind = 'payments'`,
    ],
  ])('the database refuses whoever %s', async (_what, statement) => {
    const userId = await books.newPerson();
    await write((work) =>
      deposit(work, { userId, amountNanoUsd: 7n, businessKey: `kept ${crypto.randomUUID()}` }),
    );
    const thrown = await books.db.execute(statement).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(databaseErrorCode(thrown)).toBe('23514');
  });
});
