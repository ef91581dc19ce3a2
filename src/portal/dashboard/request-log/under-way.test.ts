/** Places for answers that go on for long: bounded for each person and for all, and shared where they are few. */
import { expect, test } from 'bun:test';
import { UnderWay } from './under-way.ts';

const codeOf = (run: () => unknown): unknown => {
  try {
    run();
    return 'begun';
  } catch (error) {
    return Reflect.get(Object(error), 'code');
  }
};

test('a person has so many, and a place that ends is free once', () => {
  const underWay = new UnderWay(2, 10);
  const end = underWay.begin(1);
  underWay.begin(1);
  expect(codeOf(() => underWay.begin(1))).toBe('rate_limited');
  end();
  end();
  expect(codeOf(() => underWay.begin(1))).toBe('begun');
  expect(codeOf(() => underWay.begin(1))).toBe('rate_limited');
});

test('people who have taken all places give theirs up to others, the oldest of who has most first', () => {
  const underWay = new UnderWay(4, 8);
  const over: string[] = [];
  const ends = [1, 2].flatMap((person) =>
    [1, 2, 3, 4].map((at) => underWay.begin(person, () => over.push(`${person}.${at}`))),
  );
  for (const person of [3, 4, 5]) underWay.begin(person, () => over.push(String(person)));
  expect(over).toEqual(['1.1', '2.1', '1.2']);
  // Whoever was ended takes nothing from who has as few.
  expect(codeOf(() => underWay.begin(6, () => over.push('6')))).toBe('begun');
  expect(codeOf(() => underWay.begin(3, () => over.push('3')))).toBe('server_busy');
  expect(over).toEqual(['1.1', '2.1', '1.2', '2.2']);
  // What was given up is no second place when its stream hears of it.
  ends[0]?.();
  expect(codeOf(() => underWay.begin(3))).toBe('server_busy');
  for (const person of [7, 8]) expect(codeOf(() => underWay.begin(person))).toBe('begun');
  expect(codeOf(() => underWay.begin(9))).toBe('server_busy');
});

test('what cannot be begun again is let end', () => {
  const underWay = new UnderWay(2, 2);
  underWay.begin(1);
  underWay.begin(1);
  expect(codeOf(() => underWay.begin(2))).toBe('server_busy');
});
