/** No way of asking gets around a lock: over catalogues, locks, wishes, lists of models and failures by chance. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { DataClaim, LevelLock } from '../base/data-policy.ts';
import { quantizations } from '../base/data-policy.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Deployment, Model, Provider } from '../catalogue/index.ts';
import { connectionFailure, findCandidates, Routes, refusalFailure, timeoutFailure } from './index.ts';
import type { Terms, Wish } from './terms.ts';

const regions = ['eu', 'us', 'asia'];
const names = ['p0', 'p1', 'p2', 'p3', 'p4'];
const source = { source: 'contract', as_of: '2026-11-01' };

const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const some = <T>(of: readonly T[]) => fc.subarray([...of]);

const claim: fc.Arbitrary<DataClaim | null> = fc.option(
  fc
    .record({
      retention_days: optional(fc.constantFrom(0, 1, 30, 31, 400)),
      training: optional(fc.boolean()),
      regions: optional(fc.subarray(regions, { minLength: 1 })),
      quantization: optional(fc.constantFrom(...quantizations)),
    })
    .map((claimed) => ({ ...claimed, ...source })),
);

const provider = (name: string, at: number): fc.Arbitrary<Provider> =>
  fc.record({ region: fc.option(fc.constantFrom(...regions)), dataClaim: claim }).map((known) => ({
    ...{
      id: at + 1,
      name,
      kind: 'openai',
      baseUrl: 'https://provider.test/v1',
      settings: {},
      isDeclared: true,
    },
    credentials: [{ id: at * 10 + 1, name: 'k', secret: `secret ${name}` }],
    ...known,
  }));

const lock: fc.Arbitrary<LevelLock> = fc.record({
  level: fc.constantFrom('organisation', 'department', 'key', 'request'),
  lock: fc.record({
    data_collection: optional(fc.constantFrom('allow', 'deny')),
    zdr: optional(fc.boolean()),
    quantizations: optional(some(quantizations)),
    regions: optional(some(regions)),
  }),
});

const wish: fc.Arbitrary<Wish> = fc.record({
  order: fc.option(some(names)),
  only: fc.option(some(names).map((list) => new Set(list))),
  ignore: fc.option(some(names).map((list) => new Set(list))),
  sort: fc.option(fc.constantFrom('price', 'throughput', 'latency')),
  allowFallbacks: fc.boolean(),
  maxPrices: fc.constant(null),
  atMs: fc.constant(0),
  takesAll: fc.constant(null),
});

const terms: fc.Arbitrary<Terms> = fc
  .record({
    allowedProviders: fc.option(some(names).map((list) => new Set(list))),
    allowedRegions: fc.option(some(regions).map((list) => new Set(list))),
    dataLocks: fc.array(lock, { maxLength: 3 }),
    wish: optional(wish),
  })
  .map(({ wish: wanted, ...locks }) => (wanted === undefined ? locks : { ...locks, wish: wanted }));

const deployment = (providers: readonly Provider[]) =>
  fc.record({
    at: fc.nat(providers.length - 1),
    quantization: fc.option(fc.constantFrom(...quantizations)),
    weight: fc.constantFrom(0, 1, 3),
  });

const routings = ['order', 'weight', 'latency', 'price'] as const;

const catalogue = fc.tuple(...names.map(provider)).chain((providers) =>
  fc
    .array(
      fc.record({
        routing: fc.constantFrom(...routings),
        contextWindow: fc.option(fc.constantFrom(100, 1000)),
        served: fc.uniqueArray(deployment(providers), { selector: ({ at }) => at, minLength: 1 }),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((specs) =>
      specs.map(
        ({ served, ...spec }, index): Model => ({
          ...{ publicId: `m${index}`, type: 'chat', ownedBy: 'x', aliases: [], capabilities: [] },
          ...{ maxOutputTokens: null, prices: null, priceVersions: [], createdAtMs: 0 },
          rescue: false,
          ...spec,
          deployments: served.flatMap(({ at, quantization, weight }): Deployment[] => {
            const by = providers[at];
            if (by === undefined) return [];
            const known = { contextWindow: null, priceVersions: [], quantization, weight };
            return [{ provider: by, upstreamId: `m${index}`, ...known }];
          }),
        }),
      ),
    ),
);

const complaint = { message: 'no', code: 'context_length_exceeded', type: null, param: null };
const failures = [
  connectionFailure(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), { hadAnswer: false }),
  refusalFailure({ status: 500, complaint: null, secret: null, retryAfterSeconds: undefined }),
  refusalFailure({ status: 429, complaint: null, secret: null, retryAfterSeconds: undefined }),
  refusalFailure({
    status: 400,
    complaint: { ...complaint, status: 400 },
    secret: null,
    retryAfterSeconds: undefined,
  }),
  timeoutFailure('first_byte'),
] as const;

/** As the documentation says it, and not as the program does. */
function mayBeSent({ provider: by, quantization }: Deployment, { wish: wanted, ...locks }: Terms): boolean {
  const { dataClaim: known } = by;
  if (locks.allowedProviders !== null && !locks.allowedProviders.has(by.name)) return false;
  if (locks.allowedRegions !== null && (by.region === null || !locks.allowedRegions.has(by.region)))
    return false;
  if (wanted?.only != null && !wanted.only.has(by.name)) return false;
  if (wanted?.ignore?.has(by.name) === true) return false;
  return locks.dataLocks.every(({ lock: demand }) => {
    const days = known?.retention_days ?? Number.POSITIVE_INFINITY;
    const trains = known?.training ?? true;
    const places = known?.regions ?? (by.region === null ? ['nobody knows'] : [by.region]);
    const bits: string = quantization ?? known?.quantization ?? 'nobody knows';
    return (
      (demand.data_collection !== 'deny' || (!trains && days <= 30)) &&
      (demand.zdr !== true || days === 0) &&
      (demand.quantizations === undefined || demand.quantizations.includes(bits)) &&
      (demand.regions === undefined || places.every((place) => demand.regions?.includes(place)))
    );
  });
}

function candidatesOf(model: Model, asked: Terms) {
  try {
    return findCandidates(model, asked, () => true);
  } catch {
    return [];
  }
}

test('whoever is asked keeps every lock, whatever list, order, conversation or failure leads there', () => {
  let asked = 0;
  fc.assert(
    fc.property(
      catalogue,
      fc.array(fc.record({ terms, fails: fc.array(fc.nat(failures.length), { maxLength: 8 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (models, requests, chance) => {
        const clock = new ManualClock();
        const random = () => chance.next().value ?? 0;
        const routes = new Routes({ clock, random, deadlineMs: 60_000, isHealthOn: true });
        for (const { terms: own, fails } of requests) {
          const [first, ...others] = models
            .map((model) => ({ model, candidates: candidatesOf(model, own) }))
            .filter(({ candidates }) => candidates.length > 0);
          if (first === undefined) continue;
          // All requests are of one conversation, which earlier ones with other locks have made warm.
          const sticky = { session: `of ${first.model.publicId}`, isNew: false };
          const { wish: wanted } = own;
          const route = routes.open(first.candidates, first.model, sticky, { wish: wanted, others });
          for (let at = 0; route.candidate !== null; at += 1) {
            asked += 1;
            expect(mayBeSent(route.candidate.deployment, own)).toBe(true);
            const failure = failures[fails[at] ?? failures.length];
            if (failure === undefined) {
              route.answered();
              route.ended();
              break;
            }
            if (!route.failed(failure)) break;
          }
        }
      },
    ),
    { numRuns: 800, seed: 13 },
  );
  expect(asked).toBeGreaterThan(300);
});
