/** A day of a pool of credentials with quotas of their own, one of which is withdrawn: nobody is refused whom one could serve. */
import { expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Candidate } from './candidates.ts';
import { refusalFailure, type UpstreamFailure } from './failure.ts';
import { Routes } from './index.ts';
import { servedBy } from './testing/candidates.ts';

const hourMs = 3_600_000;
const keys = ['k1', 'k2', 'k3', 'k4', 'k5'];

/** So many requests a minute for each, and in all so many between two resets of its window. */
const mostAMinute = 20;
const mostInWindow = 4000;
const windowMs = 5 * hourMs;

class Account {
  isRevoked = false;
  refusals = 0;
  readonly #clock: ManualClock;
  #minute = { at: -1, count: 0 };
  #window = { at: -1, count: 0 };

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  get canServe(): boolean {
    this.#roll();
    return !this.isRevoked && this.#minute.count < mostAMinute && this.#window.count < mostInWindow;
  }

  ask(): UpstreamFailure | null {
    this.#roll();
    if (this.canServe) {
      this.#minute.count += 1;
      this.#window.count += 1;
      return null;
    }
    this.refusals += 1;
    if (this.isRevoked) return refusalFailure({ status: 401, complaint: null, secret: null });
    const nowMs = this.#clock.monotonicMs();
    const isSpent = this.#window.count >= mostInWindow;
    const spentForMs = isSpent ? (this.#window.at + 1) * windowMs - nowMs : null;
    return refusalFailure({ status: 429, complaint: null, secret: null, spentForMs });
  }

  #roll(): void {
    const nowMs = this.#clock.monotonicMs();
    const minute = Math.floor(nowMs / 60_000);
    if (minute !== this.#minute.at) this.#minute = { at: minute, count: 0 };
    const window = Math.floor(nowMs / windowMs);
    if (window !== this.#window.at) this.#window = { at: window, count: 0 };
  }
}

test('no request of a day fails while any credential could serve it, and spent ones are hardly asked', async () => {
  const clock = new ManualClock();
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const routes = new Routes({ clock, random, deadlineMs: 120_000, isHealthOn: true });
  const { model, candidates } = servedBy([{ name: 'pool', keys }]);
  const accounts = new Map(candidates.map((candidate) => [candidate, new Account(clock)]));
  const accountOf = (candidate: Candidate) => accounts.get(candidate) ?? new Account(clock);
  const [revoked] = accounts.values();
  let served = 0;
  let inVain = 0;
  let lost = 0;
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    if (minute === 9 * 60 && revoked !== undefined) revoked.isRevoked = true;
    // Bursts: a third of the minutes bring what all of the pool can just bear, or more.
    const wanted = minute % 3 === 0 ? 60 + Math.floor(random() * 60) : Math.floor(random() * 30);
    for (let at = 0; at < wanted; at += 1) {
      const couldServe = [...accounts.values()].some(({ canServe }) => canServe);
      const route = routes.open(candidates, model);
      let isServed = false;
      while (route.candidate !== null) {
        const failure = accountOf(route.candidate).ask();
        if (failure === null) {
          route.answered();
          route.ended();
          isServed = true;
          break;
        }
        if (!route.failed(failure)) break;
      }
      if (isServed) served += 1;
      else if (couldServe) lost += 1;
      else inVain += 1;
      if (at % 4 === 0) await clock.advance(Math.floor(random() * 800));
    }
    await clock.advance(60_000 - (clock.monotonicMs() % 60_000));
  }
  expect(lost).toBe(0);
  expect(served).toBeGreaterThan(40_000);
  expect(inVain).toBeGreaterThan(0);
  // Half a day of a withdrawn key: a probe every quarter of an hour, and a few at first.
  expect(revoked?.refusals).toBeGreaterThan(0);
  expect(revoked?.refusals).toBeLessThan(1500);
}, 30_000);
