import { describe, expect, test } from 'bun:test';
import { Fund, FundsError, forgetIdle, KnownFunds } from './fund.ts';
import type { LeaseAnswer } from './lease-rows.ts';

const wallet = { kind: 'wallet', title: 'wallet that pays for this key' } as const;

const answer = (given: Partial<LeaseAnswer> = {}): LeaseAnswer => ({
  ...{
    fundId: 7,
    grantedNanoUsd: 100n,
    settledNanoUsd: 0n,
    leftNanoUsd: 40n,
    balanceNanoUsd: 140n,
    othersHave: false,
  },
  ...given,
});

const fundWith = (given: Partial<LeaseAnswer> = {}): Fund => {
  const fund = new Fund(7, wallet);
  fund.learn(answer(given), 1_000);
  return fund;
};

describe('a fund', () => {
  test('has free what was granted, less what is settled and held', () => {
    const unknown = { freeNanoUsd: 0n, isDoubtful: false, isIdle: true, othersHave: false };
    expect(new Fund(7, wallet)).toMatchObject(unknown);
    const fund = fundWith();
    expect(fund).toMatchObject({
      freeNanoUsd: 100n,
      leftNanoUsd: 40n,
      balanceNanoUsd: 140n,
      othersHave: false,
    });
    fund.hold(60n, 5);
    expect(fund).toMatchObject({ freeNanoUsd: 40n, heldNanoUsd: 60n, usedAtMs: 5 });
    fund.letGo(60n, 9);
    fund.settle(25n);
    expect(fund).toMatchObject({ freeNanoUsd: 75n, heldNanoUsd: 0n, unwrittenNanoUsd: 25n, usedAtMs: 9 });
    fund.writeOff(25n);
    expect(fund).toMatchObject({ freeNanoUsd: 100n, unwrittenNanoUsd: 0n });
  });

  test('counts beside the database what it had settled before it was told of its lease, once', () => {
    const fund = new Fund(7, wallet);
    fund.settle(10n);
    fund.learn(answer({ settledNanoUsd: 30n }), 0);
    expect(fund.freeNanoUsd).toBe(60n);
    fund.learn(answer({ settledNanoUsd: 40n, grantedNanoUsd: 120n, othersHave: true }), 0);
    expect(fund).toMatchObject({ freeNanoUsd: 80n, othersHave: true });
  });

  test('gives up what is free and no more', () => {
    const fund = fundWith();
    fund.hold(70n, 0);
    expect(fund.giveUpFree()).toBe(30n);
    expect(fund.freeNanoUsd).toBe(0n);
    expect(fund.giveUpFree()).toBe(0n);
    fund.hold(1n, 0);
    expect(fund.giveUpFree()).toBe(0n);
    expect(fund.freeNanoUsd).toBe(-1n);
  });

  test('is idle once nobody uses it and nothing of it is held, unwritten or leased', () => {
    const fund = fundWith();
    expect(fund.isIdle).toBe(false);
    fund.giveUpFree();
    expect(fund.isIdle).toBe(true);
    fund.users += 1;
    expect(fund.isIdle).toBe(false);
    fund.users -= 1;
    fund.hold(1n, 0);
    expect(fund.isIdle).toBe(false);
    fund.letGo(1n, 0);
    fund.unwrittenNanoUsd = 1n;
    expect(fund.isIdle).toBe(false);
  });

  test('is doubtful where the database knows of less than was spent, and idle though something seems leased', () => {
    const fund = fundWith();
    expect(fund.isDoubtful).toBe(false);
    fund.correct({ grantedNanoUsd: 0n, settledNanoUsd: 0n });
    expect([fund.isDoubtful, fund.freeNanoUsd]).toEqual([false, 0n]);
    fund.settle(1n);
    fund.correct({ grantedNanoUsd: 0n, settledNanoUsd: 0n });
    expect(fund.isDoubtful).toBe(true);
    fund.unwrittenNanoUsd = 0n;
    expect(fund.isIdle).toBe(true);
  });

  test('that is lost keeps what is held and unwritten, and takes the latter off its next lease', () => {
    const fund = fundWith();
    fund.hold(20n, 0);
    fund.settle(30n);
    fund.lose();
    expect(fund).toMatchObject({
      freeNanoUsd: -50n,
      heldNanoUsd: 20n,
      unwrittenNanoUsd: 30n,
      isDoubtful: true,
    });
    fund.learn(answer({ settledNanoUsd: 5n }), 0);
    expect(fund.freeNanoUsd).toBe(45n);
    const partly = fundWith();
    partly.settle(30n);
    partly.unwrittenNanoUsd -= 20n;
    partly.lose();
    expect(partly.freeNanoUsd).toBe(-10n);
    const late = fundWith();
    late.hold(40n, 0);
    late.lose();
    late.letGo(40n, 0);
    late.settle(30n);
    late.written(30n);
    late.learn(answer(), 0);
    expect(late.freeNanoUsd).toBe(100n);
    const written = fundWith();
    written.lose();
    expect(written).toMatchObject({ freeNanoUsd: 0n, isDoubtful: false });
    written.learn(answer({ settledNanoUsd: 5n }), 0);
    expect(written.freeNanoUsd).toBe(95n);
  });

  test('is known to be empty for two seconds where nothing is free and nothing left, until word comes', () => {
    expect(fundWith().isEmptyAt(1_000)).toBe(false);
    expect(fundWith({ grantedNanoUsd: 0n }).isEmptyAt(1_000)).toBe(false);
    expect(fundWith({ leftNanoUsd: 0n }).isEmptyAt(1_000)).toBe(false);
    const empty = fundWith({ grantedNanoUsd: 0n, leftNanoUsd: 0n });
    expect([1_000, 2_999, 3_000].map((at) => empty.isEmptyAt(at))).toEqual([true, true, false]);
    empty.invalidate();
    expect([empty.isEmptyAt(1_000), empty.leftNanoUsd]).toEqual([false, 1n]);
    const more = fundWith();
    more.invalidate();
    expect(more.leftNanoUsd).toBe(40n);
    empty.learn(answer({ grantedNanoUsd: 0n, leftNanoUsd: -5n }), 4_000);
    expect(empty.isEmptyAt(4_000)).toBe(true);
    // What they have free can be had by asking.
    empty.learn(answer({ grantedNanoUsd: 0n, leftNanoUsd: 0n, othersHave: true }), 4_000);
    expect(empty.isEmptyAt(4_000)).toBe(false);
    empty.learn(answer(), 4_000);
    expect(empty.isEmptyAt(4_000)).toBe(false);
  });

  test('is one object for as long as anybody has it', () => {
    const known = new KnownFunds();
    const fund = known.of(7, wallet);
    expect(known.of(7, wallet)).toBe(fund);
    expect(known.of(8, wallet)).not.toBe(fund);
  });
});

describe('funds that are remembered', () => {
  /** As many, of which those in use are named. */
  function remembered(count: number, ...inUse: readonly number[]): Map<number, Fund> {
    const funds = new Map(Array.from({ length: count }, (_, id) => [id, new Fund(id, wallet)]));
    for (const id of inUse) funds.get(id)?.hold(1n, 0);
    return funds;
  }

  test.each([
    ['below their bound, none', remembered(24), []],
    ['at their bound, a tenth, the first to be known first', remembered(25), [0, 1, 2]],
    ['above it, those above it too', remembered(27), [0, 1, 2, 3, 4]],
    ['but for those in use', remembered(25, 0, 2), [1, 3, 4]],
    ['and none where all are in use', remembered(25, ...Array(25).keys()), []],
  ])('are forgotten: %s', (_case, funds, expected) => {
    const before = new Map(funds);
    const forgotten = forgetIdle(funds, 25);
    expect([...before.keys()].filter((id) => !funds.has(id))).toEqual(expected);
    expect([...forgotten]).toEqual(expected.flatMap((id) => before.get(id) ?? []));
  });
});

describe('a refusal', () => {
  const day = 86_400_000;
  const budget = (resetsAtMs: number | null) =>
    ({ kind: 'budget', title: 'daily budget of this key', resetsAtMs }) as const;

  test('tells what could be held, what is, and what the fund has', () => {
    const fund = fundWith();
    fund.hold(60n, 0);
    const told = {
      code: 'insufficient_funds',
      availableNanoUsd: 80n,
      heldNanoUsd: 60n,
      balanceNanoUsd: 140n,
    };
    expect(new FundsError(fund, 0)).toMatchObject({ ...told, fund: wallet });
    expect(new FundsError(fundWith({ leftNanoUsd: -30n }), 0).availableNanoUsd).toBe(100n);
    expect(new FundsError(fundWith({ grantedNanoUsd: -30n, leftNanoUsd: 0n }), 0).availableNanoUsd).toBe(0n);
  });

  test.each([
    [1n, 'has too little money for this request. Top it up'],
    [0n, 'has no money left. Top it up'],
    [-1n, 'has no money left. Top it up'],
  ])('of a wallet with %s says so in words', (balanceNanoUsd, words) => {
    const { message, retryAfterSeconds } = new FundsError(fundWith({ balanceNanoUsd }), 0);
    expect(message).toContain(words);
    expect(retryAfterSeconds).toBeUndefined();
  });

  test.each([
    [1n, null, 'has too little left for this request. Have it raised, then', undefined],
    [0n, null, 'is spent. Have it raised, then', undefined],
    [0n, 40_500, 'wait until it begins anew at 1970-01-01T00:00:40.500Z', 1],
    [0n, 41_001, 'begins anew', 2],
    [0n, 40_000 + day - 1, 'begins anew', 86_400],
    [0n, 40_000 + day, 'begins anew', undefined],
  ])(
    'of a budget with %s that resets at %s tells when to come again',
    (balanceNanoUsd, resetsAtMs, words, seconds) => {
      const fund = new Fund(8, budget(resetsAtMs));
      fund.learn(answer({ fundId: 8, balanceNanoUsd }), 0);
      const error = new FundsError(fund, 40_000);
      expect(error.code).toBe('budget_exceeded');
      expect(error.message).toContain(words);
      expect(error.retryAfterSeconds).toBe(seconds);
    },
  );
});
