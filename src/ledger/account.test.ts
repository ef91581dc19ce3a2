import { describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { Account, type Posting } from './account.ts';

const payerId = 7;
const posting = (isLost = false): Posting => ({ proof: sql`true`, isLost });
const reading = (balanceNanoUsd: bigint, ...included: Posting[]) => ({
  balanceNanoUsd,
  included: new Set(included),
});

function accountWith(balanceNanoUsd: bigint): Account {
  const account = new Account(payerId);
  expect(account.finishReading(account.startReading(), reading(balanceNanoUsd), 0)).toBe(true);
  return account;
}

describe('available', () => {
  test('is unknown before the first reading', () => {
    expect(new Account(payerId).availableNanoUsd).toBeUndefined();
  });

  test('falls when a charge is settled, and stays when it is posted', () => {
    const account = accountWith(100n);
    account.settle(30n);
    expect(account.availableNanoUsd).toBe(70n);
    const open = posting();
    account.openPosting(open);
    account.closePosting(open, 30n);
    account.confirm(30n);
    expect(account.availableNanoUsd).toBe(70n);
    expect(account.isBusy).toBe(false);
  });

  test('falls by a posting once, however often it is closed', () => {
    const account = accountWith(100n);
    const open = posting();
    account.openPosting(open);
    account.closePosting(open, 30n);
    account.closePosting(open, 30n);
    expect(account.availableNanoUsd).toBe(70n);
  });

  test('is untouched by a posting that rolled back', () => {
    const account = accountWith(100n);
    const open = posting();
    account.openPosting(open);
    account.closePosting(open, 0n);
    expect(account.availableNanoUsd).toBe(100n);
  });
});

describe('a reading', () => {
  test('is fresh for two seconds', () => {
    const account = accountWith(100n);
    expect([account.isFresh(1_999), account.isFresh(2_000)]).toEqual([true, false]);
    expect([account.isReadingDue(1_999), account.isReadingDue(2_000)]).toEqual([false, true]);
  });

  test('is refused when the wallet changed while it was under way', () => {
    const account = accountWith(100n);
    const start = account.startReading();
    account.invalidate();
    expect(account.finishReading(start, reading(5n), 0)).toBe(false);
    expect(account.availableNanoUsd).toBe(100n);
    expect(account.isFresh(0)).toBe(false);
  });

  test.each(['opened', 'closed'])('is refused when a posting was %s while it was under way', (event) => {
    const account = accountWith(100n);
    const open = posting();
    if (event === 'closed') account.openPosting(open);
    const start = account.startReading();
    if (event === 'closed') account.closePosting(open, 30n);
    else account.openPosting(open);
    expect(account.finishReading(start, reading(70n, open), 0)).toBe(false);
  });

  test('that does not include an open posting is taken, and the posting counts later', () => {
    const account = accountWith(100n);
    account.settle(30n);
    const open = posting();
    account.openPosting(open);
    const start = account.startReading();
    expect(start.postings).toEqual([open]);
    expect(account.finishReading(start, reading(150n), 0)).toBe(true);
    expect(account.availableNanoUsd).toBe(120n);
    account.closePosting(open, 30n);
    account.confirm(30n);
    expect(account.availableNanoUsd).toBe(120n);
  });

  test('that includes an open posting is taken, and the posting does not count again', () => {
    const account = accountWith(100n);
    account.settle(30n);
    const open = posting();
    account.openPosting(open);
    expect(account.finishReading(account.startReading(), reading(70n, open), 0)).toBe(true);
    expect(account.availableNanoUsd).toBe(40n);
    account.closePosting(open, 30n);
    account.confirm(30n);
    expect(account.availableNanoUsd).toBe(70n);
  });

  test('leaves a posting open whose answer was lost, until its charges have been written anew', () => {
    const account = accountWith(100n);
    account.openPosting(posting(true));
    expect(account.finishReading(account.startReading(), reading(100n), 0)).toBe(true);
    expect(account.availableNanoUsd).toBe(100n);
    expect(account.openPostings).toHaveLength(1);
    expect([account.forgetLostPostings(), account.forgetLostPostings()]).toEqual([true, false]);
    expect(account.openPostings).toEqual([]);
    expect(account.availableNanoUsd).toBe(100n);
  });

  test('keeps a posting that is still under way when those that were lost are forgotten', () => {
    const account = accountWith(100n);
    const open = posting();
    account.openPosting(open);
    expect(account.forgetLostPostings()).toBe(false);
    account.closePosting(open, 30n);
    expect(account.availableNanoUsd).toBe(70n);
  });
});

test('confirming more than is pending leaves nothing pending', () => {
  const account = accountWith(100n);
  account.settle(10n);
  account.confirm(30n);
  expect(account.availableNanoUsd).toBe(100n);
});
