import { describe, expect, test } from 'bun:test';
import { ByteBudget, HeldBytes } from './byte-budget.ts';

/** Requests hold 60 of them together, those of one key 20 beside one that is larger. */
const open = () => new ByteBudget(80);

const ofKey = (budget: ByteBudget, keyId: number): HeldBytes => {
  const held = HeldBytes.ofRequest(budget);
  held.belongTo(keyId);
  return held;
};

const busy = (reason: string) =>
  expect.objectContaining({ code: 'server_busy', message: expect.stringContaining(reason) });
const refusal = (take: () => void): unknown => {
  try {
    take();
  } catch (error) {
    return error;
  }
  return null;
};

describe('what one key holds', () => {
  test('is its share and one body beside it, whichever came first', () => {
    for (const largeFirst of [true, false]) {
      const budget = open();
      const [large, small, other] = [ofKey(budget, 1), ofKey(budget, 1), ofKey(budget, 1)];
      if (largeFirst) large.take(35);
      small.take(5);
      if (!largeFirst) for (let piece = 0; piece < 7; piece += 1) large.take(5);
      expect(refusal(() => other.take(16))).toEqual(busy('of one key'));
      expect(refusal(() => other.requireRoom(16))).toEqual(busy('of one key'));
      other.take(15);
      expect(refusal(() => small.take(1))).toEqual(busy('of one key'));
      large.take(5);
      expect(budget.heldBytes).toBe(60);
    }
  });

  test('takes a second large body once the first has gone', () => {
    const budget = open();
    const [first, small, second] = [ofKey(budget, 1), ofKey(budget, 1), ofKey(budget, 1)];
    first.take(25);
    small.take(10);
    expect(refusal(() => second.take(22))).toEqual(busy('of one key'));
    first.giveBack();
    second.take(22);
    expect(refusal(() => small.take(11))).toEqual(busy('of one key'));
    for (const held of [first, small, second]) held.giveBack();
    expect(budget.heldBytes).toBe(0);
    ofKey(budget, 1).take(60);
  });

  test('is nothing to other keys, and all of it together is bounded', () => {
    const budget = open();
    ofKey(budget, 1).take(40);
    const other = ofKey(budget, 2);
    expect(refusal(() => other.take(21))).toEqual(busy('This server'));
    other.take(20);
    expect(refusal(() => ofKey(budget, 3).take(1))).toEqual(busy('This server'));
    HeldBytes.ofAnswer(budget).take(20);
  });

  test('counts what is there already, however much it is', () => {
    const budget = open();
    const answer = HeldBytes.ofAnswer(budget);
    answer.belongTo(1);
    answer.takeAnyway(70);
    expect(budget.heldBytes).toBe(70);
    expect(ofKey(budget, 1).mayEverTake(60)).toBe(true);
    expect(ofKey(budget, 1).mayEverTake(61)).toBe(false);
    answer.giveBack();
    answer.giveBack();
    expect(budget.heldBytes).toBe(0);
  });
});
