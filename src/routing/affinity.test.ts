import { beforeEach, describe, expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { Affinity } from './affinity.ts';
import { refusalFailure, timeoutFailure, type UpstreamFailure } from './failure.ts';
import { Routes } from './index.ts';
import { nameOf, servedBy } from './testing/candidates.ts';

const providers = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const dayMs = 86_400_000;

let clock: ManualClock;
let routes: Routes;

beforeEach(() => {
  clock = new ManualClock();
  routes = new Routes({ clock, random: () => 0.99, deadlineMs: 60_000, isHealthOn: true });
});

/** One turn of a conversation. @returns who answered. */
function turn(session: string, { order = providers, isNew = false, fail = neverFails } = {}): string | null {
  const { model, candidates } = servedBy(order);
  const route = routes.open(candidates, model, { session, isNew });
  while (route.candidate !== null) {
    const failure = fail(nameOf(route.candidate) ?? '');
    if (failure === null) {
      route.answered();
      route.ended();
      return nameOf(route.candidate);
    }
    if (!route.failed(failure)) break;
  }
  return null;
}

const neverFails = (_name: string): UpstreamFailure | null => null;
const overloaded = refusalFailure({ status: 503, complaint: null, secret: null });

describe('a conversation', () => {
  test('a thousand of them keep their provider through failures that pass, and through the death of another one', async () => {
    const homes = new Map<string, string | null>();
    for (let at = 0; at < 1000; at += 1) {
      const rotated = [...providers.slice(at % 4), ...providers.slice(0, at % 4)];
      homes.set(`s${at}`, turn(`s${at}`, { order: rotated }));
    }
    const dead = (name: string) => (name === 'b/k1' ? timeoutFailure('first_byte') : null);
    const moved: string[] = [];
    for (const [session, home] of homes) {
      const now = turn(session, { fail: dead });
      if (home === 'b/k1') expect(now).not.toBe('b/k1');
      else expect(now).toBe(home);
      if (now !== home) moved.push(session);
    }
    expect(moved).toHaveLength(250);
    // Once it is well again nobody comes back to it, since what they said is kept elsewhere by now.
    await clock.advance(10 * 60_000);
    for (const session of moved) expect(turn(session)).not.toBe('b/k1');
  });

  test('goes elsewhere for one turn that fails, and stays where it was answered', () => {
    expect(turn('s')).toBe('a/k1');
    const once = (name: string) => (name === 'a/k1' ? overloaded : null);
    expect(turn('s', { fail: once })).toBe('b/k1');
    expect(turn('s')).toBe('b/k1');
    expect(turn('other')).toBe('a/k1');
  });

  test('is not kept of an answer that broke off, or whose client left', () => {
    const { model, candidates } = servedBy(providers);
    for (const errorCode of ['upstream_failed', 'client_closed']) {
      const route = routes.open(candidates.toReversed(), model, { session: 's', isNew: false });
      route.answered();
      route.ended(errorCode);
    }
    expect(turn('s')).toBe('a/k1');
  });

  test('that only begins like another one has no place of its own yet', () => {
    expect(turn('s', { order: [{ name: 'd' }, { name: 'a' }] })).toBe('d/k1');
    expect(turn('s', { isNew: true })).toBe('a/k1');
    expect(turn('s', { isNew: false })).toBe('a/k1');
  });

  test('stays with its credential in a pool', () => {
    const pool = [{ name: 'p', keys: ['k1', 'k2', 'k3'] }];
    const home = turn('s', { order: pool });
    for (let at = 0; at < 4; at += 1) {
      turn(`other ${at}`, { order: pool });
      expect(turn('s', { order: pool })).toBe(home);
    }
  });
});

test('places are forgotten after a week, and the longest unused first where there are too many', async () => {
  const affinity = new Affinity(clock, { lifetimeMs: 7 * dayMs, most: 2 });
  affinity.keep('first', 'a');
  affinity.keep('second', 'b');
  affinity.keep('first', 'a');
  affinity.keep('third', 'c');
  expect(['first', 'second', 'third'].map((session) => affinity.find(session))).toEqual(['a', null, 'c']);
  await clock.advance(7 * dayMs);
  expect(affinity.find('first')).toBeNull();
});
