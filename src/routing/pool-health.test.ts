import { beforeEach, expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { connectionFailure, refusalFailure, type UpstreamFailure } from './failure.ts';
import type { PoolEvent } from './pool-events.ts';
import { Routes } from './routes.ts';
import { nameOf, type ProviderSpec, servedBy } from './testing/candidates.ts';

const pool: readonly ProviderSpec[] = [{ name: 'a', keys: ['k1', 'k2'] }];
const refusal = (status: number, retryAfterSeconds?: number) =>
  refusalFailure({ status, complaint: null, secret: null, retryAfterSeconds });
const reset = Object.assign(new Error('the socket was closed'), { code: 'ECONNREFUSED' });
const unreachable = connectionFailure(reset, { hadAnswer: false });

let clock: ManualClock;
let events: PoolEvent[];
let routes: Routes;
let served: ReturnType<typeof servedBy>;

beforeEach(() => {
  clock = new ManualClock();
  events = [];
  const onEvent = (event: PoolEvent) => void events.push(event);
  routes = new Routes({ clock, random: () => 0.5, deadlineMs: 60_000, isHealthOn: true, onEvent });
  served = servedBy(pool);
});

function ask(fails: Record<string, UpstreamFailure> = {}): void {
  const route = routes.open(served.candidates, served.model);
  while (route.candidate !== null) {
    const failure = fails[nameOf(route.candidate) ?? ''];
    if (failure === undefined) {
      route.answered();
      route.ended();
      return;
    }
    if (!route.failed(failure)) return;
  }
}

const described = () => routes.describePools({ models: [served.model] })[0];
const told = () => events.splice(0).map(({ kind, keyName, model }) => [kind, keyName, model]);

test('a pool of which nothing is known is healthy, and nothing has happened to it', () => {
  ask();
  expect(described()).toMatchObject({
    ...{ provider: 'a', kind: 'openai', state: 'healthy', total: 2, healthy: 2, openUntilMs: null },
    credentials: [
      { name: 'k1', state: 'healthy', underWay: 0, openUntilMs: null, errorKind: null, limitedModels: [] },
      { name: 'k2', state: 'healthy' },
    ],
  });
  expect(events).toEqual([]);
});

test('one that is limited leaves a degraded pool, and is told with where the request went on', () => {
  ask({ 'a/k1': refusal(429, 60) });
  expect(described()).toMatchObject({
    ...{ state: 'degraded', healthy: 1, openUntilMs: null },
    credentials: [
      {
        ...{ name: 'k1', state: 'limited', openUntilMs: clock.nowMs() + 60_000 },
        ...{ errorKind: 'upstream_rate_limited', limitedModels: ['double-1'] },
      },
      { name: 'k2', state: 'healthy' },
    ],
  });
  expect(events.find(({ kind }) => kind === 'cooldown')?.durationMs).toBe(60_000);
  expect(told()).toEqual([
    ['rate_limited', 'k1', 'double-1'],
    ['cooldown', 'k1', 'double-1'],
    ['rotated', 'k2', 'double-1'],
  ]);
});

test('one without any that could be asked is exhausted until the first is free, and recovers', async () => {
  ask({ 'a/k1': refusal(429, 30), 'a/k2': refusal(401) });
  expect(described()).toMatchObject({ state: 'exhausted', healthy: 0, openUntilMs: clock.nowMs() + 30_000 });
  expect(described()?.credentials[1]).toMatchObject({
    state: 'refused',
    errorKind: 'upstream_rejected_credentials',
  });
  expect(events.find(({ kind }) => kind === 'exhausted')?.durationMs).toBe(30_000);
  expect(told()).toEqual([
    ['rate_limited', 'k1', 'double-1'],
    ['cooldown', 'k1', 'double-1'],
    ['rotated', 'k2', 'double-1'],
    ['error', 'k2', null],
    ['cooldown', 'k2', null],
    ['exhausted', null, 'double-1'],
  ]);
  await clock.advance(30_000);
  ask();
  expect(described()).toMatchObject({ state: 'degraded', openUntilMs: null });
  expect(described()?.credentials[0]).toMatchObject({ state: 'recovering', openUntilMs: null });
  expect(told()).toContainEqual(['recovered', 'k1', 'double-1']);
});

test('a provider that cannot be reached is down, whatever its credentials', () => {
  for (let at = 0; at < 3; at += 1) ask({ 'a/k1': unreachable, 'a/k2': unreachable });
  expect(described()).toMatchObject({ state: 'down', total: 2, healthy: 2 });
  expect(told()).toContainEqual(['cooldown', null, null]);
});

test('a deployment that fails is named', () => {
  for (let at = 0; at < 3; at += 1) ask({ 'a/k1': refusal(500), 'a/k2': refusal(500) });
  expect(described()?.failingModels).toEqual(['double-1']);
  expect(told()).toContainEqual(['cooldown', null, 'double-1']);
});
