/** A short run of `npm run fuzz`, always the same one. */
import { expect, test } from 'bun:test';
import { runFuzz } from './fuzz.ts';
import { reportHealth } from './health-watch.ts';

test('spoiled requests are answered or refused, booked, and leave nothing behind', async () => {
  const options = { seed: 17, seconds: 8, requests: 2500, connections: 16, slowMs: 90_000 };
  // The slowest of a hundred are looked at by `npm run fuzz`: on a busy machine the database and the collector wait for a core.
  const told = await runFuzz({ ...options, healthP99Ms: Number.POSITIVE_INFINITY });
  const { findings, complaints, sent, health } = told;
  expect({ findings, complaints }).toEqual({ findings: [], complaints: [] });
  expect(health.own.p50Ms).toBeLessThan(1000);
  // A machine that has other work sends fewer.
  expect(sent).toBeGreaterThan(50);
}, 240_000);

test('what `/health` takes is told apart from what its machine takes', () => {
  const sample = (heardMs: number, idleMs: number, waitedMs: number) => ({
    isWell: true,
    heardMs,
    idleMs,
    waitedMs,
  });
  const late = Array.from({ length: 50 }, () => sample(1200, 900, 280));
  const slow = Array.from({ length: 50 }, () => sample(1200, 3, 2));
  expect(reportHealth(late).own).toEqual({ p50Ms: 20, p99Ms: 20, maxMs: 20 });
  expect(reportHealth(slow).own.p99Ms).toBe(1195);
  expect(reportHealth([...late, ...slow])).toMatchObject({
    asked: 100,
    heard: { p99Ms: 1200 },
    own: { maxMs: 1195 },
  });
  expect(reportHealth([sample(1, 2, 3)]).own.maxMs).toBe(0);
});
