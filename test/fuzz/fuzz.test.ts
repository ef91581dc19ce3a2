/** A short run of `npm run fuzz`, always the same one. */
import { expect, test } from 'bun:test';
import { runFuzz } from './fuzz.ts';

test('spoiled requests are answered or refused, booked, and leave nothing behind', async () => {
  const options = { seed: 17, seconds: 8, requests: 2500, connections: 16 };
  const { findings, complaints, sent } = await runFuzz({ ...options, healthP99Ms: 10_000 });
  expect({ findings, complaints }).toEqual({ findings: [], complaints: [] });
  // A machine that has other work sends fewer.
  expect(sent).toBeGreaterThan(50);
}, 60_000);
