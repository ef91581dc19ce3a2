import { beforeEach, expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Model } from '../catalogue/index.ts';
import { Routes, refusalFailure } from './index.ts';
import type { Wish } from './terms.ts';
import { nameOf, servedBy } from './testing/candidates.ts';

let clock: ManualClock;
let routes: Routes;
/** The same every time, and evenly spread. */
let state = 0;
const random = () => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state / 2_147_483_648;
};

beforeEach(() => {
  state = 13;
  clock = new ManualClock();
  routes = new Routes({ clock, random, deadlineMs: 60_000, isHealthOn: true });
});

const byLatency: Wish = {
  ...{ order: null, only: null, ignore: null, sort: 'latency', allowFallbacks: true },
  ...{ maxPrices: null, atMs: 0, takesAll: null },
};
const three = servedBy([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);

/** A model whose deployments have the given weights, in another setting. */
function withRouting(routing: Model['routing'], weights: readonly number[] = []): Model {
  const deployments = three.model.deployments.map((each, at) => ({ ...each, weight: weights[at] ?? 1 }));
  return { ...three.model, routing, deployments };
}

const candidatesOf = (model: Model) =>
  three.candidates.map((candidate, at) => ({
    ...candidate,
    deployment: model.deployments[at] ?? candidate.deployment,
  }));

const open = (model: Model) => routes.open(candidatesOf(model), model);

async function answer(model: Model, msOf: Readonly<Record<string, number>>): Promise<string> {
  const route = open(model);
  const name = nameOf(route.candidate) ?? '';
  await clock.advance(msOf[name] ?? 0);
  route.answered();
  route.ended();
  return name;
}

function countFirst(model: Model, times: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let at = 0; at < times; at += 1) {
    const route = open(model);
    const name = nameOf(route.candidate) ?? '';
    counts[name] = (counts[name] ?? 0) + 1;
    route.ended();
  }
  return counts;
}

test('by weight each is first as often as its weight says, and a weight of nothing is a backup', () => {
  const counts = countFirst(withRouting('weight', [3, 1, 0]), 4000);
  expect(counts['c/k1']).toBeUndefined();
  expect((counts['a/k1'] ?? 0) / 4000).toBeWithin(0.72, 0.78);
  const route = open(withRouting('weight', [3, 1, 0]));
  const failed = refusalFailure({ status: 500, complaint: null, secret: null, retryAfterSeconds: undefined });
  expect(route.failed(failed)).toBe(true);
  expect(route.failed(failed)).toBe(true);
  expect(nameOf(route.candidate)).toBe('c/k1');
});

test('by latency the slow one gets next to nothing, and more again once it is quick', async () => {
  const model = withRouting('latency');
  const slowly = { 'a/k1': 100, 'b/k1': 4000, 'c/k1': 100 };
  for (let at = 0; at < 40; at += 1) await answer(model, slowly);
  const counts = countFirst(model, 300);
  expect(counts['b/k1'] ?? 0).toBe(0);
  await clock.advance(10 * 60_000);
  const quick = { 'a/k1': 100, 'b/k1': 100, 'c/k1': 100 };
  const names: string[] = [];
  for (let at = 0; at < 200; at += 1) names.push(await answer(model, quick));
  expect(names.filter((name) => name === 'b/k1').length).toBeGreaterThan(20);
});

test('where a request sorts by latency, one slow answer is forgotten with time', async () => {
  const { model, candidates } = servedBy([{ name: 'a' }, { name: 'b' }]);
  const answersIn = async (at: number, ms: number) => {
    const route = routes.open(candidates.slice(at, at + 1), model);
    await clock.advance(ms);
    route.answered();
    route.ended();
  };
  const first = () => nameOf(routes.open(candidates, model, null, { wish: byLatency }).candidate);
  await answersIn(0, 50_000);
  await answersIn(1, 500);
  expect(first()).toBe('b/k1');
  await clock.advance(300_000);
  await answersIn(1, 5000);
  expect(first()).toBe('a/k1');
});

test('by latency whoever has requests under way waits with the next one', () => {
  const model = withRouting('latency');
  for (let at = 0; at < 60; at += 1) {
    const route = open(model);
    clock.advance(50);
    route.answered();
    route.ended();
  }
  const underWay = Array.from({ length: 30 }, () => nameOf(open(model).candidate));
  for (const name of ['a/k1', 'b/k1', 'c/k1']) {
    expect(underWay.filter((each) => each === name).length).toBeWithin(6, 15);
  }
});

test('without a setting the order stays, and nothing is copied', () => {
  expect(routes.open(three.candidates, three.model).order).toBe(three.candidates);
});
