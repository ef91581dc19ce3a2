/** Credentials with limits of their own: a full one is passed, and where all are full nobody is asked beyond them. */
import { beforeEach, expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { connectionFailure } from './failure.ts';
import type { Sharing } from './redis-sharing.ts';
import type { Route } from './route.ts';
import { Routes } from './routes.ts';
import { nameOf, type ProviderSpec, servedBy } from './testing/candidates.ts';

let clock: ManualClock;
let routes: Routes;

beforeEach(() => {
  clock = new ManualClock();
  routes = new Routes({ clock, random: () => 0.5, deadlineMs: 60_000, isHealthOn: true });
});

function open(specs: readonly ProviderSpec[]): Route {
  const { model, candidates } = servedBy(specs);
  return routes.open(candidates, model);
}

const answer = (route: Route) => {
  route.answered();
  route.ended();
};
/** Who is asked, to whom the request goes on as long as the test lets it. */
const name = ({ candidate }: Route) => nameOf(candidate);

const perMinute = (requestsPerMinute: number) => ({ requestsPerMinute });
const atOnce = (maxConcurrent: number) => ({ maxConcurrent });

test('one that has as many under way as it may is passed, by the pool and by the next provider', () => {
  const specs = [{ name: 'a', keys: ['k1', 'k2'], limits: atOnce(1) }, { name: 'b' }];
  const under = [open(specs), open(specs)];
  expect(under.map(name)).toEqual(['a/k1', 'a/k2']);
  const third = open(specs);
  expect(name(third)).toBe('b/k1');
  expect(third.passed.map(({ why }) => why)).toEqual(['full', 'full']);
  under.map(answer);
  expect(name(open(specs))).toStartWith('a/');
});

test('where all have as many under way as they may the caller is told to come back, and nobody is asked', () => {
  const specs = [{ name: 'a', limits: atOnce(2) }];
  const under = [open(specs), open(specs)];
  const { candidate, refusal } = open(specs);
  expect(candidate).toBeNull();
  expect(refusal).toMatchObject({ code: 'upstream_rate_limited', retryAfterSeconds: 1 });
  under.map(answer);
  expect(name(open(specs))).toBe('a/k1');
});

test('in no minute has one more requests than it may, and who comes just before its end waits for it', async () => {
  const specs = [{ name: 'a', limits: perMinute(3) }];
  for (let at = 0; at < 3; at += 1) answer(open(specs));
  const refused = open(specs);
  expect(refused.candidate).toBeNull();
  expect(refused.refusal.retryAfterSeconds).toBe(60);
  await clock.advance(58_500);
  const waiting = [open(specs), open(specs), open(specs)];
  expect(waiting.map(({ pauseMs }) => pauseMs)).toEqual([1500, 1500, 1500]);
  expect(open(specs).candidate).toBeNull();
  waiting.map(answer);
  await clock.advance(1500);
  expect(open(specs).candidate).toBeNull();
  await clock.advance(60_000);
  expect(open(specs).pauseMs).toBe(0);
});

test('a pool serves as many a minute as all of it may', async () => {
  const specs = [{ name: 'a', keys: ['k1', 'k2', 'k3'], limits: perMinute(5) }];
  const asked: (string | null)[] = [];
  for (let at = 0; at < 20; at += 1) {
    const route = open(specs);
    asked.push(name(route));
    if (route.candidate !== null) answer(route);
  }
  expect(Object.values(Object.groupBy(asked, String)).map((each) => each?.length)).toEqual([5, 5, 5, 5]);
  expect(asked.slice(15)).toEqual([null, null, null, null, null]);
});

test('one that is asked again after a failure is asked no more often than it may be', () => {
  const reset = Object.assign(new Error('the socket was closed'), { code: 'ECONNRESET' });
  const broken = connectionFailure(reset, { hadAnswer: false });
  const specs = (limit: number) => [{ name: 'a', limits: perMinute(limit) }];
  expect(open(specs(2)).failed(broken)).toBe(true);
  routes = new Routes({ clock, random: () => 0.5, deadlineMs: 60_000, isHealthOn: true });
  expect(open(specs(1)).failed(broken)).toBe(false);
});

test('processes that share what they know have a share of it each, and what went out counts on', async () => {
  const specs = [{ name: 'a', limits: perMinute(4) }];
  const sharing: { -readonly [Name in keyof Sharing]: Sharing[Name] } = {
    processes: 1,
    tellCircuit: () => undefined,
    tellSession: () => undefined,
    findSession: async () => null,
    tellState: () => undefined,
    findState: async () => null,
  };
  await routes.share(async () => sharing);
  answer(open(specs));
  answer(open(specs));
  sharing.processes = 2;
  expect(open(specs).candidate).toBeNull();
  sharing.processes = 1;
  answer(open(specs));
  answer(open(specs));
  expect(open(specs).candidate).toBeNull();
  sharing.processes = 100;
  await clock.advance(60_000);
  answer(open(specs));
  expect(open(specs).candidate).toBeNull();
});
