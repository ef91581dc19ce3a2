import { beforeEach, describe, expect, test } from 'bun:test';
import type { Clock } from '../base/clock.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import {
  connectionFailure,
  invalidAnswerFailure,
  refusalFailure,
  timeoutFailure,
  type UpstreamFailure,
} from './failure.ts';
import { type Route, Routes } from './index.ts';
import { nameOf, type ProviderSpec, servedBy } from './testing/candidates.ts';

const reset = Object.assign(new Error('the socket was closed'), { code: 'ECONNRESET' });
const broken = connectionFailure(reset, { hadAnswer: false });
const refusal = (status: number, retryAfterSeconds?: number, code: string | null = null) =>
  refusalFailure({
    status,
    complaint: code === null ? null : { message: 'no', code, type: null, param: null, status },
    secret: null,
    retryAfterSeconds,
  });
const failed = refusal(500);
const limited = refusal(429);
const revoked = refusal(401);
const silent = timeoutFailure('first_byte');
const unreadable = invalidAnswerFailure('no JSON');
const tooLong = refusal(400, undefined, 'context_length_exceeded');

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

/** Who is asked, and after which pause, until one answers or nobody is asked any more. */
function asked(route: Route, failures: readonly UpstreamFailure[]): string[] {
  const names: string[] = [];
  for (let at = 0; route.candidate !== null; at += 1) {
    names.push(`${nameOf(route.candidate)}${route.pauseMs > 0 ? ` after ${route.pauseMs}` : ''}`);
    const failure = failures[at];
    if (failure === undefined) {
      route.answered();
      route.ended();
      return [...names, 'answer'];
    }
    if (!route.failed(failure)) return [...names, 'none'];
  }
  return [...names, 'none'];
}

const two = [{ name: 'a' }, { name: 'b' }];
const pool = [{ name: 'a', keys: ['k1', 'k2', 'k3'] }];

test('where it is only told who would be asked, the next request finds all as it was', () => {
  const limits = { maxConcurrent: 1, requestsPerMinute: 1 };
  const { model, candidates } = servedBy([{ name: 'd', keys: ['k1'], limits }]);
  asked(open(two), [broken, broken]);
  const before = routes.retriesLeft;
  const told = routes.open(candidates, model, null, { isDry: true });
  expect(nameOf(told.order[0] ?? null)).toBe('d/k1');
  expect(told.candidate).toBe(candidates[0] ?? null);
  told.ended();
  expect(routes.retriesLeft).toBe(before);
  expect(routes.describePools({ models: [model] })).toMatchObject([{ credentials: [{ underWay: 0 }] }]);
  expect(asked(routes.open(candidates, model), [])).toEqual(['d/k1', 'answer']);
});

test('telling who would be asked moves no turn of a pool', () => {
  const { model, candidates } = servedBy(pool);
  const told = () => {
    const dry = routes.open(candidates, model, null, { isDry: true });
    dry.ended();
    return nameOf(dry.candidate);
  };
  for (const turn of ['a/k1', 'a/k2', 'a/k3', 'a/k1']) {
    expect([told(), told()]).toEqual([turn, turn]);
    expect(asked(routes.open(candidates, model), [])).toEqual([turn, 'answer']);
  }
});

describe('within one request', () => {
  test('a connection that broke is made anew once, whoever else could be asked', () => {
    expect(asked(open(two), [broken, broken, broken, broken])).toEqual([
      'a/k1',
      'a/k1',
      'b/k1',
      'b/k1',
      'none',
    ]);
  });

  test('a provider that failed is asked again only where nobody else is left, after a pause', () => {
    expect(asked(open(two), [failed, failed, failed])).toEqual(['a/k1', 'b/k1', 'b/k1 after 300', 'none']);
    expect(asked(open([{ name: 'c' }]), [refusal(503, 2), failed])).toEqual([
      'c/k1',
      'c/k1 after 2000',
      'none',
    ]);
  });

  test('what the same provider would say again moves on, or ends', () => {
    expect(asked(open(two), [unreadable, unreadable])).toEqual(['a/k1', 'b/k1', 'none']);
    expect(asked(open([{ name: 'c' }]), [refusal(503, 3)])).toEqual(['c/k1', 'none']);
    expect(asked(open(two), [refusal(422)])).toEqual(['a/k1', 'none']);
  });

  test('a prompt that is too long goes to the next one with a larger window', () => {
    const windows = (...sizes: (number | undefined)[]) =>
      open(
        sizes.map((size, at) => ({ name: `w${at}`, ...(size === undefined ? {} : { contextWindow: size }) })),
      );
    expect(asked(windows(50, 50, undefined), [tooLong])).toEqual(['w0/k1', 'w2/k1', 'answer']);
    expect(asked(windows(undefined, undefined, 200), [tooLong, failed])).toEqual([
      ...['w0/k1', 'w2/k1', 'w2/k1 after 300', 'answer'],
    ]);
    expect(asked(windows(200, undefined), [tooLong])).toEqual(['w0/k1', 'none']);
  });

  test('a prompt that is too long waits for no larger window that is known to fail, nor ends where the first is full', () => {
    const large = { contextWindow: 200 };
    expect(asked(open([{ name: 'dead', ...large }]), [refusal(503, 3600)])).toEqual(['dead/k1', 'none']);
    const specs = [
      { name: 'small', contextWindow: 50 },
      { name: 'dead', ...large },
      { name: 'sound', ...large },
    ];
    expect(asked(open(specs), [tooLong])).toEqual(['small/k1', 'sound/k1', 'answer']);
    const limited = { name: 'busy', ...large, limits: { maxConcurrent: 1 } };
    const busy = [{ name: 'small', contextWindow: 50 }, limited, { name: 'free', ...large }];
    expect(nameOf(open([limited]).candidate)).toBe('busy/k1');
    expect(asked(open(busy), [tooLong])).toEqual(['small/k1', 'free/k1', 'answer']);
  });

  test('a credential that is refused or limited has the next one of its provider as a successor', () => {
    expect(asked(open(pool), [revoked, limited])).toEqual(['a/k1', 'a/k2', 'a/k3', 'answer']);
  });

  test('other credentials of a provider that is silent or away are not tried, of one that failed are tried last', () => {
    const pools = [...pool, { name: 'b' }];
    expect(asked(open(pools), [silent, silent])).toEqual(['a/k1', 'b/k1', 'none']);
    expect(asked(open([{ name: 'd', keys: ['k1', 'k2'] }, { name: 'e' }]), [failed, failed])).toEqual([
      ...['d/k1', 'e/k1', 'd/k2', 'answer'],
    ]);
  });

  test('a pause that the deadline does not leave time for is not made, and nobody is asked after it', async () => {
    const route = open(two);
    await clock.advance(59_900);
    expect(route.failed(failed)).toBe(true);
    expect(route.contentWithinMs).toBe(1000);
    expect(route.failed(failed)).toBe(false);
    const late = open(two);
    await clock.advance(60_000);
    expect(late.failed(failed)).toBe(false);
  });

  test('only so many providers are tried, but any number of refused credentials', () => {
    const many = Array.from({ length: 9 }, (_, at) => ({ name: `m${at}` }));
    expect(asked(open(many), Array(9).fill(failed))).toHaveLength(7);
    const keys = Array.from({ length: 40 }, (_, at) => `k${at}`);
    expect(asked(open([{ name: 'z', keys }]), Array(39).fill(revoked))).toHaveLength(41);
  });

  test('the last one has the time of somebody who has no successor', () => {
    const route = open([...pool, { name: 'b' }]);
    expect(route.isLast).toBe(false);
    route.failed(silent);
    expect(route.isLast).toBe(true);
    expect(open(pool).isLast).toBe(true);
  });
});

describe('from one request to the next', () => {
  test('credentials take turns', () => {
    const turns = Array.from({ length: 6 }, () => asked(open(pool), [])[0]);
    expect(turns).toEqual(['a/k1', 'a/k2', 'a/k3', 'a/k1', 'a/k2', 'a/k3']);
  });

  test('the credential with the fewest requests under way is next', () => {
    const busy = [open(pool), open(pool)];
    expect(busy.map(({ candidate }) => nameOf(candidate))).toEqual(['a/k1', 'a/k2']);
    const third = open(pool);
    expect(nameOf(third.candidate)).toBe('a/k3');
    busy[1]?.ended();
    expect(nameOf(open(pool).candidate)).toBe('a/k2');
  });

  test('a limited credential is spared until its time is over, and asked by one request then', async () => {
    expect(asked(open(pool), [refusal(429, 30)])).toEqual(['a/k1', 'a/k2', 'answer']);
    const spared = Array.from({ length: 4 }, () => asked(open(pool), [])[0]);
    expect(spared.toSorted()).toEqual(['a/k2', 'a/k2', 'a/k3', 'a/k3']);
    await clock.advance(30_001);
    const probes = [open(pool), open(pool), open(pool)].map(({ candidate }) => nameOf(candidate));
    expect(probes.filter((name) => name === 'a/k1')).toHaveLength(1);
  });

  test('a provider that was silent twice is not waited for again, until one request has asked it', async () => {
    for (let at = 0; at < 2; at += 1) expect(asked(open(two), [silent])).toEqual(['a/k1', 'b/k1', 'answer']);
    expect(asked(open(two), [])).toEqual(['b/k1', 'answer']);
    await clock.advance(2001);
    const probe = open(two);
    expect(nameOf(probe.candidate)).toBe('a/k1');
    expect(asked(open(two), [])).toEqual(['b/k1', 'answer']);
    expect(asked(probe, [silent])).toEqual(['a/k1', 'b/k1', 'answer']);
    await clock.advance(2001);
    expect(asked(open(two), [])).toEqual(['b/k1', 'answer']);
    await clock.advance(2000);
    expect(asked(open(two), [])).toEqual(['a/k1', 'answer']);
  });

  test('long work that probes a provider which was silent refuses nobody for longer than a minute', async () => {
    const one = [{ name: 'a' }];
    for (let at = 0; at < 2; at += 1) asked(open(one), [silent]);
    await clock.advance(2001);
    const long = open(one);
    expect(nameOf(long.candidate)).toBe('a/k1');
    await clock.advance(59_000);
    expect(open(one).refusal).toMatchObject({ code: 'upstream_timeout' });
    await clock.advance(1001);
    expect(asked(open(one), [])).toEqual(['a/k1', 'answer']);
    expect(asked(open(one), [])).toEqual(['a/k1', 'answer']);
  });

  test('a probe that ends in silence after another has begun says so for both', async () => {
    const one = [{ name: 'a' }];
    for (let at = 0; at < 2; at += 1) asked(open(one), [silent]);
    await clock.advance(2001);
    const first = open(one);
    await clock.advance(60_001);
    const second = open(one);
    expect([nameOf(first.candidate), nameOf(second.candidate)]).toEqual(['a/k1', 'a/k1']);
    await clock.advance(100);
    first.failed(silent);
    expect(open(one).refusal).toMatchObject({ retryAfterSeconds: 4 });
    second.failed(silent);
    expect(open(one).refusal).toMatchObject({ retryAfterSeconds: 4 });
  });

  test('a probe whose client leaves leaves another that has begun since as it is', async () => {
    const one = [{ name: 'a' }];
    for (let at = 0; at < 2; at += 1) asked(open(one), [silent]);
    await clock.advance(2001);
    const first = open(one);
    await clock.advance(60_001);
    open(one);
    first.ended();
    expect(open(one).candidate).toBeNull();
  });

  test('a probe that fails opens it again also by a clock that goes on between two looks at it', async () => {
    let ticks = 0;
    const { nowMs, after, sleep } = clock;
    const monotonicMs = () => {
      ticks += 0.001;
      return clock.monotonicMs() + ticks;
    };
    const ticking: Clock = { nowMs, monotonicMs, after, sleep };
    routes = new Routes({ clock: ticking, random: () => 0.5, deadlineMs: 60_000, isHealthOn: true });
    const one = [{ name: 'a' }];
    for (let at = 0; at < 2; at += 1) asked(open(one), [silent]);
    await clock.advance(2010);
    expect(asked(open(one), [silent])).toEqual(['a/k1', 'none']);
    expect(open(one).refusal).toMatchObject({ code: 'upstream_timeout', retryAfterSeconds: 4 });
  });

  test('a probe whose client leaves lets another one probe', async () => {
    for (let at = 0; at < 2; at += 1) asked(open(two), [silent]);
    await clock.advance(2001);
    const probe = open(two);
    expect(nameOf(open(two).candidate)).toBe('b/k1');
    probe.ended();
    expect(nameOf(open(two).candidate)).toBe('a/k1');
  });

  test('who has recovered gets a part of the requests at first, and all of them later', async () => {
    let share = 0;
    routes = new Routes({ clock, random: () => share, deadlineMs: 60_000, isHealthOn: true });
    for (let at = 0; at < 2; at += 1) asked(open(two), [silent]);
    await clock.advance(2001);
    expect(asked(open(two), [])).toEqual(['a/k1', 'answer']);
    share = 0.11;
    expect(asked(open(two), [])).toEqual(['b/k1', 'answer']);
    await clock.advance(2000);
    expect(asked(open(two), [])).toEqual(['a/k1', 'answer']);
    share = 0.99;
    expect(asked(open(two), [])).toEqual(['b/k1', 'answer']);
    await clock.advance(8001);
    expect(asked(open(two), [])).toEqual(['a/k1', 'answer']);
    expect(routes.health.isAllSound).toBe(true);
  });

  test('an answer that breaks off counts against its provider, a client that leaves does not', () => {
    for (let at = 0; at < 3; at += 1) {
      const route = open(two);
      route.answered();
      route.ended('client_closed');
      expect(nameOf(open(two).candidate)).toBe('a/k1');
    }
    for (let at = 0; at < 2; at += 1) {
      const route = open(two);
      route.answered();
      route.ended('upstream_timeout');
    }
    expect(nameOf(open(two).candidate)).toBe('b/k1');
  });

  test('where all have failed, those that are quick to tell are asked all the same', () => {
    for (let at = 0; at < 3; at += 1) asked(open([{ name: 'a' }]), [failed, failed]);
    expect(asked(open([{ name: 'a' }]), [])).toEqual(['a/k1', 'answer']);
  });

  test('where waiting would be in vain nobody is asked, and the caller hears why and when', async () => {
    for (let at = 0; at < 2; at += 1) asked(open([{ name: 'a' }]), [silent]);
    const route = open([{ name: 'a' }]);
    expect(route.candidate).toBeNull();
    expect(route.refusal).toMatchObject({ code: 'upstream_timeout', retryAfterSeconds: 2 });
    asked(open([{ name: 'b' }]), [refusal(429, 20)]);
    await clock.advance(5000);
    expect(open([{ name: 'b' }]).refusal).toMatchObject({
      code: 'upstream_rate_limited',
      retryAfterSeconds: 15,
    });
  });

  test('a time that was named and is over holds nobody up, while a first request finds out', async () => {
    const one = [{ name: 'a' }];
    asked(open(one), [refusal(429, 600)]);
    expect(asked(open(one), [])).toEqual(['none']);
    await clock.advance(600_000);
    const probing = open(one);
    expect(asked(open(one), [])).toEqual(['a/k1', 'answer']);
    expect(asked(probing, [])).toEqual(['a/k1', 'answer']);
  });

  test('a limit that is over in two seconds is waited for', async () => {
    asked(open([{ name: 'b' }]), [refusal(429, 4)]);
    await clock.advance(2500);
    expect(asked(open([{ name: 'b' }]), [])).toEqual(['b/k1 after 1500', 'answer']);
  });

  test('retries at providers that fail are bounded for all requests together', () => {
    const lone = Array.from({ length: 200 }, (_, at) =>
      asked(open([{ name: `lone${at}` }]), [failed, failed]),
    );
    const retried = lone.filter(({ length }) => length === 3).length;
    expect(retried).toBeGreaterThan(90);
    expect(retried).toBeLessThan(150);
  });

  test('nothing is remembered where health is off', () => {
    routes = new Routes({ clock, random: () => 0.5, deadlineMs: 60_000, isHealthOn: false });
    for (let at = 0; at < 5; at += 1) expect(asked(open(two), [silent])).toEqual(['a/k1', 'b/k1', 'answer']);
  });
});
