/** Kinds that are no more. */
import { expect, test } from 'bun:test';
import { providerAdapters } from './index.ts';
import { retiredKinds } from './retired.ts';

test.each([...retiredKinds])('%s is no kind any more, which has a public source and a date', (kind, row) => {
  expect(providerAdapters.has(kind)).toBe(false);
  expect(row.source).toStartWith('https://');
  expect(row.asOf).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/);
});
