/** What routing remembers from one request to the next, whether one process serves both or two that share a Redis. */
import { describe, expect, test } from 'bun:test';
import { refusalFailure, type UpstreamFailure } from './failure.ts';
import type { Route } from './route.ts';
import type { Routes } from './routes.ts';
import { nameOf, type ProviderSpec, servedBy } from './testing/candidates.ts';

export interface Processes {
  /** Serves a request. */
  readonly one: Routes;
  /** Serves the next one. */
  readonly other: Routes;
}

const two: readonly ProviderSpec[] = [{ name: 'a' }, { name: 'b' }];
const pool: readonly ProviderSpec[] = [{ name: 'a', keys: ['k1', 'k2'] }];
const alone: readonly ProviderSpec[] = [{ name: 'a' }];

export const refusal = (status: number, retryAfterSeconds?: number): UpstreamFailure =>
  refusalFailure({ status, complaint: null, secret: null, retryAfterSeconds });

export function open(routes: Routes, specs: readonly ProviderSpec[]): Route {
  const { model, candidates } = servedBy(specs);
  return routes.open(candidates, model);
}

/** One request, of whom each fails who has a failure. @returns who was asked. */
export function ask(
  routes: Routes,
  specs: readonly ProviderSpec[],
  fails: Record<string, UpstreamFailure> = {},
) {
  const route = open(routes, specs);
  const asked: string[] = [];
  while (route.candidate !== null) {
    const name = nameOf(route.candidate) ?? '';
    asked.push(name);
    const failure = fails[name];
    if (failure === undefined) {
      route.answered();
      route.ended();
      break;
    }
    if (!route.failed(failure)) break;
  }
  return asked;
}

/** One turn of a conversation. @returns who answered. */
export async function turn(
  routes: Routes,
  session: string,
  { specs = two, hasHistory = true }: { specs?: readonly ProviderSpec[]; hasHistory?: boolean } = {},
): Promise<string | null> {
  const sticky = { session, isNew: false };
  await routes.recall(sticky, () => hasHistory);
  const { model, candidates } = servedBy(specs);
  const route = routes.open(candidates, model, sticky);
  route.answered();
  route.ended();
  return nameOf(route.candidate);
}

/** What one process has told has come to the other in a moment. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 3000) throw new Error('it has not come to that');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Who would be asked for the next turn. */
async function placeOf(routes: Routes, session: string): Promise<string | null> {
  const sticky = { session, isNew: false };
  await routes.recall(sticky, () => true);
  const { model, candidates } = servedBy(two);
  const route = routes.open(candidates, model, sticky);
  const name = nameOf(route.candidate);
  route.ended();
  return name;
}

export function describeRemembering(name: string, start: () => Promise<Processes>): void {
  describe(`what is remembered ${name}`, () => {
    test('a provider that has failed is passed by the next request, until it answers', async () => {
      const { one, other } = await start();
      ask(one, two, { 'a/k1': refusal(503, 60) });
      await eventually(() => !other.health.isAllSound);
      expect(ask(other, two)).toEqual(['b/k1']);
      const [opened] = [...one.health.circuits()];
      if (opened === undefined) throw new Error('nothing is open');
      one.health.answered(servedBy(alone).candidates[0] ?? never(), Number.POSITIVE_INFINITY);
      await eventually(() => [...other.health.circuits()].length === 0);
      expect(open(other, two).candidate).not.toBeNull();
    });

    test('a credential that is refused, and one that is limited, are not asked', async () => {
      const { one, other } = await start();
      expect(ask(one, pool, { 'a/k1': refusal(401), 'a/k2': refusal(429, 600) })).toHaveLength(2);
      await eventually(() => [...other.health.circuits()].length === 2);
      const next = open(other, pool);
      expect(next.candidate === null || nameOf(next.candidate) === 'a/k1').toBe(true);
    });

    test('where nobody is left the caller hears how long it goes on, with the same code', async () => {
      const { one, other } = await start();
      ask(one, alone, { 'a/k1': refusal(429, 600) });
      await eventually(() => !other.health.isAllSound);
      const { candidate, refusal: heard } = open(other, alone);
      expect(candidate).toBeNull();
      expect(heard.code).toBe('upstream_rate_limited');
      expect(heard.retryAfterSeconds).toBeGreaterThan(590);
      expect(heard.retryAfterSeconds).toBeLessThanOrEqual(600);
    });

    test('a conversation goes on where it was answered, and another one is not led there', async () => {
      const { one, other } = await start();
      const turned = two.toReversed();
      expect(await turn(one, 'talk', { specs: turned })).toBe('b/k1');
      await eventually(async () => (await placeOf(other, 'talk')) === 'b/k1');
      expect(await turn(other, 'talk')).toBe('b/k1');
      expect(await turn(other, 'talk of another caller')).toBe('a/k1');
    });
  });
}

function never(): never {
  throw new Error('there is no candidate');
}
