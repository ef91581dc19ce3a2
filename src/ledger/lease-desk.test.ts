/** What a process sends of its leases, and when: on books in memory, whose answers can be lost. */
import { expect, test } from 'bun:test';
import { everyKey } from '../storage/change-feed.ts';
import type { Fund } from './fund.ts';
import { recallOf, recallTopic } from './lease-rows.ts';
import { memoryDesk } from './testing/memory-desk.ts';

function open(...balances: readonly bigint[]) {
  const on = memoryDesk(...balances);
  const [fund, other = fund] = on.funds;
  if (fund === undefined || other === undefined) throw new Error('a desk is for funds');
  const take = (needNanoUsd: bigint, of: Fund = fund) =>
    on.desk.take(of, { needNanoUsd, wantNanoUsd: needNanoUsd });
  /** But for its saying that it is alive, which comes when it comes. */
  const sent = () => on.sent().filter((statement) => statement !== 'noteAlive');
  const hear = (key: string) => on.changes.tell(recallTopic, key);
  /** All that is under way goes on as far as it can without time. */
  const settle = () => on.clock.advance(0);
  return { ...on, allSent: on.sent, sent, hear, fund, other, take, settle };
}

test.each([
  ['need', { needNanoUsd: 200n, wantNanoUsd: 0n }, { needNanoUsd: 150n, wantNanoUsd: 0n }, 350n],
  ['want', { needNanoUsd: 1n, wantNanoUsd: 40n }, { needNanoUsd: 1n, wantNanoUsd: 60n }, 100n],
])(
  'what several %s in the same turn is leased for all of them, in one statement',
  async (_what, one, two, all) => {
    const { desk, fund, sent } = open(1_000n);
    const asked = [one, two].map((ask) => desk.take(fund, ask));
    expect(desk.isAsking(fund)).toBe(true);
    await Promise.all(asked);
    expect([desk.isAsking(fund), fund.freeNanoUsd]).toEqual([false, all]);
    expect(sent()).toEqual(['register', 'take']);
  },
);

test('what is asked for while a statement is under way goes out with the next one', async () => {
  const { take, fund, other, sent, settle } = open(1_000n, 1_000n);
  const first = take(10n);
  await settle();
  const [second, third] = [take(20n), take(30n, other)];
  await Promise.all([first, second, third]);
  expect([fund.freeNanoUsd, other.freeNanoUsd]).toEqual([30n, 30n]);
  expect(sent()).toEqual(['register', 'take', 'take']);
});

test('a fund that is gone is granted nothing, and keeps nobody else from theirs', async () => {
  const { take, fund, other, books } = open(1_000n, 1_000n);
  books.funds.delete(0);
  await Promise.all([take(10n), take(10n, other)]);
  expect([fund.freeNanoUsd, other.freeNanoUsd]).toEqual([0n, 10n]);
});

test('a process with a lease that is used says every half minute that it is alive, and nothing else', async () => {
  const { take, fund, allSent, clock } = open(1_000n);
  await take(100n);
  fund.users += 1;
  allSent();
  const aliveAtSeconds: number[] = [];
  for (let second = 1; second <= 65; second += 1) {
    await clock.advance(1_000);
    const said = allSent();
    expect(said.every((statement) => statement === 'noteAlive')).toBe(true);
    if (said.length > 0) aliveAtSeconds.push(second);
  }
  expect(aliveAtSeconds).toEqual([1, 31, 61]);
});

test('what nobody uses goes back two seconds after it was held the last time, and stays while somebody may', async () => {
  const { take, fund, other, books, clock, sent } = open(1_000n, 1_000n);
  await Promise.all([take(100n), take(100n, other)]);
  for (const each of [fund, other]) each.hold(40n, 0);
  fund.users += 1;
  await clock.advance(1_000);
  for (const each of [fund, other]) each.letGo(40n, clock.monotonicMs());
  await clock.advance(1_999);
  expect(books.fund(1).leased).toBe(100n);
  sent();
  await clock.advance(1);
  expect([books.fund(0).leased, books.fund(1).leased]).toEqual([100n, 0n]);
  await clock.advance(5_000);
  expect([books.fund(0).leased, books.fund(1).leased]).toEqual([100n, 0n]);
  expect(sent()).toEqual(['giveBack']);
});

test('what is free goes back when another process asks for it, what is held does not, and not for its own asking', async () => {
  const { take, fund, books, hear, settle, desk, sent } = open(1_000n, 1_000n);
  hear(recallOf(0));
  await take(100n);
  fund.hold(30n, 0);
  sent();
  const own = desk.holderId ?? -1;
  for (const key of [recallOf(0, own), recallOf(1, own + 1), 'nonsense']) {
    hear(key);
    await settle();
    expect(books.fund(0).leased).toBe(100n);
  }
  expect(sent()).toEqual([]);
  hear(recallOf(0, own + 1));
  await settle();
  expect([books.fund(0).leased, fund.freeNanoUsd]).toEqual([30n, 0n]);
  hear(recallOf(0));
  await settle();
  expect(sent()).toEqual(['giveBack']);
});

test('a lost answer is asked for before anything else, and by itself within a second, once', async () => {
  const { take, fund, books, loseNext, sent, clock } = open(1_000n);
  await take(10n);
  fund.users += 1;
  for (const goOn of [() => take(5n), () => clock.advance(1_000)]) {
    const { freeNanoUsd } = fund;
    loseNext('take');
    await expect(take(20n)).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(fund.freeNanoUsd).toBe(freeNanoUsd);
    sent();
    await goOn();
    expect(sent().slice(0, 2)).toEqual(['raiseEpoch', 'read']);
    expect(fund.freeNanoUsd).toBe(books.fund(0).leased);
  }
  await clock.advance(5_000);
  expect(sent()).toEqual([]);
});

test('of leases that are read again those that nobody knows of go back, and the others stay', async () => {
  const { take, fund, other, books, desk, loseNext, sent } = open(1_000n, 1_000n);
  await take(100n);
  fund.users += 1;
  loseNext('take');
  await expect(take(70n, other)).rejects.toThrow();
  const id = desk.holderId ?? -1;
  books.settle(id, new Map([[1, { amount: 20n, leased: 20n }]]));
  expect(books.fund(1).leased).toBe(50n);
  await take(10n);
  expect([books.fund(0).leased, books.fund(1).leased]).toEqual([110n, 0n]);
  expect(fund.freeNanoUsd).toBe(110n);
  expect([books.leftOf(id, 0), books.leftOf(id, 1)]).toEqual([110n, 0n]);
  sent();
  // What is left there of the other one is nothing.
  loseNext('take');
  await expect(take(5n)).rejects.toThrow();
  await take(5n);
  expect(sent()).toEqual(['take', 'raiseEpoch', 'read', 'take']);
});

test('what could not be given back for certain is read again', async () => {
  const { take, fund, books, hear, loseNext, sent, settle, clock } = open(1_000n);
  await take(100n);
  fund.hold(30n, 0);
  sent();
  loseNext('giveBack');
  hear(recallOf(0));
  await settle();
  await take(30n);
  expect(sent()).toEqual(['giveBack', 'raiseEpoch', 'read', 'take']);
  expect([fund.freeNanoUsd, books.fund(0).leased]).toEqual([30n, 60n]);
  // And where the database gave back less than was told.
  for (const leases of books.leases.values()) leases.clear();
  hear(recallOf(0));
  await settle();
  await clock.advance(1_000);
  expect(sent()).toEqual(['giveBack', 'raiseEpoch', 'read']);
});

test('leases are read again once the database was away, which may have forgotten some', async () => {
  const { books, take, fund, hear, settle, sent } = open(1_000n);
  // Before anything was leased there is nothing to read.
  hear(everyKey);
  await settle();
  expect(sent()).toEqual([]);
  await take(100n);
  await settle();
  expect(fund.freeNanoUsd).toBe(100n);
  for (const leases of books.leases.values()) leases.clear();
  hear(everyKey);
  await settle();
  expect(fund.freeNanoUsd).toBe(0n);
});

test('a process that was fenced goes on as another holder, also when word comes meanwhile that the database was away', async () => {
  const { books, take, fund, other, hear, holders, desk, settle } = open(1_000n, 1_000n);
  await Promise.all([take(100n), take(100n, other)]);
  const before = desk.holderId ?? -1;
  books.fence(before);
  await take(50n);
  expect(desk.holderId).not.toBe(before);
  // What the first one had is nobody's here: whoever fenced it gives it back.
  expect([fund.freeNanoUsd, other.freeNanoUsd]).toEqual([50n, 0n]);
  books.fence(desk.holderId ?? -1);
  hear(everyKey);
  await Promise.resolve();
  hear(everyKey);
  await take(30n);
  await settle();
  expect(fund.freeNanoUsd).toBe(30n);
  expect(new Set(holders).size).toBe(3);
  expect(holders.at(-1)).toBe(desk.holderId);
});

test('a process that was fenced and asks for nothing says no more that it is alive', async () => {
  const { books, take, hear, desk, settle, clock, allSent } = open(1_000n);
  await take(100n);
  books.fence(desk.holderId ?? -1);
  hear(everyKey);
  await settle();
  expect(desk.holderId).toBeUndefined();
  allSent();
  await clock.advance(60_000);
  expect([allSent(), clock.pendingTimers]).toEqual([[], 0]);
});

test('what was spent of a fund as one holder is not taken off what another one is granted', async () => {
  const { books, take, fund, desk, clock } = open(1_000n);
  await take(100n);
  fund.settle(30n);
  const id = desk.holderId ?? -1;
  books.settle(id, new Map([[0, { amount: 30n, leased: 30n }]]));
  fund.unwrittenNanoUsd = 0n;
  // Its free part goes back first, then it is forgotten.
  await clock.advance(5_000);
  books.end(id);
  await take(50n);
  expect([desk.holderId === id, fund.freeNanoUsd, books.fund(0).leased]).toEqual([false, 50n, 50n]);
});

test('what the database has leased beyond what a process knows of goes back once nothing of the fund is pending', async () => {
  const { books, take, fund, hear, settle, clock } = open(1_000n);
  await take(100n);
  fund.settle(50n);
  // Another database takes over, which knows nothing of the lease.
  for (const leases of books.leases.values()) leases.clear();
  books.fund(0).leased = 0n;
  hear(everyKey);
  await settle();
  books.settle(null, new Map([[0, { amount: 50n, leased: 0n }]]));
  fund.unwrittenNanoUsd = 0n;
  await take(20n);
  expect([fund.freeNanoUsd, books.fund(0).leased]).toEqual([-30n, 20n]);
  await clock.advance(1_000);
  expect([fund.freeNanoUsd, books.fund(0).leased]).toEqual([0n, 0n]);
});

test('at its end a process waits for what is under way, gives all back, and hears and sends nothing more', async () => {
  const { books, take, desk, clock, changes, sent } = open(1_000n);
  const taken = take(100n);
  while (books.holders.size === 0) await Promise.resolve();
  await desk.close();
  await taken;
  expect([books.fund(0).leased, books.holders.size, clock.pendingTimers]).toEqual([0n, 0, 0]);
  expect(sent()).toEqual(['register', 'take', 'end']);
  expect(changes.listening).toBe(0);
  await expect(take(1n)).rejects.toMatchObject({ code: 'shutting_down', retryAfterSeconds: 1 });
  expect(sent()).toEqual([]);
});

test('at its end a process looks at its leases no more, and one that never had any sends nothing', async () => {
  const { take, desk, clock, sent } = open(1_000n);
  await take(100n);
  expect(clock.pendingTimers).toBe(1);
  await desk.close();
  expect(clock.pendingTimers).toBe(0);
  expect(sent()).toEqual(['register', 'take', 'end']);
  const idle = open(1_000n);
  await idle.desk.close();
  expect(idle.sent()).toEqual([]);
});

test('a process that ends while it is being made known leaves nobody behind, and is not made known anew', async () => {
  const { desk, books, sent, clock, holdAnswers, settle } = open(1_000n);
  const answer = holdAnswers();
  const registered = desk.register();
  const closed = desk.close();
  await settle();
  expect(books.holders.size).toBe(1);
  answer();
  await closed;
  expect(await registered).toBe(desk.holderId ?? -1);
  expect([books.holders.size, clock.pendingTimers]).toEqual([0, 0]);
  expect(sent()).toEqual(['register', 'end']);

  const unlucky = open(1_000n);
  unlucky.goAway();
  const failed = unlucky.desk.register().catch((error: unknown) => error);
  await unlucky.desk.close();
  expect(await failed).toMatchObject({ message: 'the database is away' });
  await expect(unlucky.desk.register()).rejects.toMatchObject({ code: 'shutting_down' });
  await expect(unlucky.desk.recall(unlucky.fund)).rejects.toMatchObject({ code: 'shutting_down' });
  expect(unlucky.sent()).toEqual(['register']);
});

test('that is abandoned sends nothing more and waits for nothing, so that its process can end', async () => {
  const { take, desk, books, clock, sent } = open(1_000n);
  await take(100n);
  sent();
  desk.abandon();
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(60_000);
  expect(sent()).toEqual([]);
  // It pays for what could not be written.
  expect(books.fund(0).leased).toBe(100n);
  await expect(take(100n)).rejects.toMatchObject({ code: 'shutting_down' });
});
