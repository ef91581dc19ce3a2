import { expect, test } from 'bun:test';
import { type Holder, Holders, nameOf } from './holders.ts';

const limits = { requestsPerMinute: 5, tokensPerMinute: null, concurrentRequests: null };
const more = { ...limits, requestsPerMinute: 9 };

const callerOf = (keyId: number, keyLimits: typeof limits | null = limits) => ({
  ...{ keyId, userId: 7, keyLimits, userLimits: null },
});
const only = (holders: Holders, keyId: number): Holder => {
  const [seat] = holders.seatsOf(callerOf(keyId));
  if (seat === undefined) throw new Error('it has limits');
  return seat.holder;
};

test('a seat is the key’s first and then the user’s, and none where there are no limits', () => {
  const holders = new Holders();
  const both = holders.seatsOf({ ...callerOf(1), userLimits: more });
  expect(both.map((seat) => [nameOf(seat.holder), seat.limits])).toEqual([
    ['key:1', limits],
    ['user:7', more],
  ]);
  expect(holders.seatsOf(callerOf(1, null))).toEqual([]);
});

test('a holder is the same one again, with the limits that were told last', () => {
  const holders = new Holders();
  const first = only(holders, 1);
  expect(holders.peek('key', 1)).toBe(first);
  expect(holders.peek('user', 1)).toBeUndefined();
  const [again] = holders.seatsOf(callerOf(1, more));
  expect(again?.holder).toBe(first);
  expect(first.limits).toEqual(more);
});

test('those with requests under way are open, until the last of these has ended', () => {
  const holders = new Holders();
  const [one, other] = [only(holders, 1), only(holders, 2)];
  holders.enter(one);
  holders.enter(one);
  holders.enter(other);
  expect([...holders.open()]).toEqual([one, other]);
  holders.leave(one);
  expect([...holders.open()]).toEqual([one, other]);
  holders.leave(one);
  holders.leave(other);
  expect([...holders.open()]).toEqual([]);
  expect([one.underWay, other.underWay]).toEqual([0, 0]);
  expect(holders.peek('key', 1)).toBe(one);
});

test('who was pushed out of memory while their request was under way is remembered from its end on', () => {
  const holders = new Holders();
  const one = only(holders, 0);
  holders.enter(one);
  for (let keyId = 1; keyId <= 50_000; keyId += 1) only(holders, keyId);
  expect(holders.peek('key', 0)).toBe(one);
  holders.leave(one);
  expect(holders.peek('key', 0)).toBe(one);
  // The one that was asked for longest ago made room.
  expect(holders.peek('key', 1)).toBeUndefined();
  expect(only(holders, 1)).not.toBe(one);
});

test('a holder that is remembered is not made newer by the end of a request', () => {
  const holders = new Holders();
  const one = only(holders, 0);
  const stranger: Holder = { ...one };
  holders.enter(stranger);
  holders.leave(stranger);
  expect(holders.peek('key', 0)).toBe(one);
});
