/** `npm run linearity` in short: each hostile shape at two sizes, of which the larger may not take the square of the ratio. */
import { expect, test } from 'bun:test';
import { conversionCases } from './cases.ts';
import { type GrowthCase, measureGrowth } from './measure.ts';

/** Pieces are put together before any protocol sees them, so that one client's streams show it. */
const isNeeded = ({ group, shape }: GrowthCase) =>
  !shape.endsWith('in small pieces') || group.startsWith('stream chat-completions');

const groups = Map.groupBy(conversionCases.filter(isNeeded), ({ group }) => group);

test.each([...groups])('%s takes time with the size of what comes in', (_group, cases) => {
  const growths = cases.map((one) =>
    measureGrowth({ ...one, size: one.size / 4 }, { doublings: 3, tries: 1, onlyEnds: true }),
  );
  expect(growths.filter(({ isBounded }) => !isBounded)).toEqual([]);
});
