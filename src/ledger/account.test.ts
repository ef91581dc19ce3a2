import { describe, expect, test } from 'bun:test';
import { Account, type Posting, type TransactionStatus } from './account.ts';

const payerId = 7;
const posting = (amount: bigint, transactionId?: string): Posting => ({
  charges: new Map([[payerId, amount]]),
  transactionId,
});
const reading = (balanceNanoUsd: bigint, statuses: Record<string, TransactionStatus> = {}) => ({
  balanceNanoUsd,
  statuses: new Map(Object.entries(statuses)),
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
    const open = posting(30n, '1');
    account.openPosting(open);
    account.closePosting(open, 'committed');
    account.confirm(30n);
    expect(account.availableNanoUsd).toBe(70n);
    expect(account.isBusy).toBe(false);
  });

  test('falls by a posting once, however often it is closed', () => {
    const account = accountWith(100n);
    const open = posting(30n, '1');
    account.openPosting(open);
    account.closePosting(open, 'committed');
    account.closePosting(open, 'committed');
    expect(account.availableNanoUsd).toBe(70n);
  });

  test('is untouched by a posting that rolled back', () => {
    const account = accountWith(100n);
    const open = posting(30n, '1');
    account.openPosting(open);
    account.closePosting(open, 'aborted');
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
    const open = posting(30n, '1');
    if (event === 'closed') account.openPosting(open);
    const start = account.startReading();
    if (event === 'closed') account.closePosting(open, 'committed');
    else account.openPosting(open);
    expect(account.finishReading(start, reading(70n, { 1: 'committed' }), 0)).toBe(false);
  });

  test('is refused while a posting has no transaction number to ask about', () => {
    const account = accountWith(100n);
    account.openPosting(posting(30n));
    expect(account.finishReading(account.startReading(), reading(70n), 0)).toBe(false);
    expect(account.availableNanoUsd).toBe(100n);
  });

  test('before the commit of an open posting is taken, and the posting counts later', () => {
    const account = accountWith(100n);
    account.settle(30n);
    const open = posting(30n, '1');
    account.openPosting(open);
    const start = account.startReading();
    expect(account.finishReading(start, reading(150n, { 1: 'in progress' }), 0)).toBe(true);
    expect(account.availableNanoUsd).toBe(120n);
    account.closePosting(open, 'committed');
    account.confirm(30n);
    expect(account.availableNanoUsd).toBe(120n);
  });

  test('beside the commit of an open posting is refused, and the next one is sure', () => {
    const account = accountWith(100n);
    account.settle(30n);
    const open = posting(30n, '1');
    account.openPosting(open);
    const start = account.startReading();
    expect(account.finishReading(start, reading(100n, { 1: 'committed' }), 0)).toBe(false);
    expect(account.finishReading(account.startReading(), reading(70n), 0)).toBe(true);
    account.closePosting(open, 'committed');
    account.confirm(30n);
    expect(account.availableNanoUsd).toBe(70n);
  });

  test('finds out that a posting rolled back', () => {
    const account = accountWith(100n);
    account.openPosting(posting(30n, '1'));
    expect(account.finishReading(account.startReading(), reading(100n, { 1: 'aborted' }), 0)).toBe(true);
    expect(account.availableNanoUsd).toBe(100n);
    expect(account.hasOpenPostings).toBe(false);
  });
});

test('confirming more than is pending leaves nothing pending', () => {
  const account = accountWith(100n);
  account.settle(10n);
  account.confirm(30n);
  expect(account.availableNanoUsd).toBe(100n);
});
