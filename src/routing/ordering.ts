/**
 * In which order the deployments of a model are asked: as the catalogue lists them, by weight, by latency or by price,
 * as the model is set; or as a request wants it, which goes before.
 */
import type { Clock } from '../base/clock.ts';
import { type Deployment, type Model, priceAt } from '../catalogue/index.ts';
import type { Candidate } from './candidates.ts';
import type { Wish } from './terms.ts';

/** Of what was measured so long ago a bit more than a third is left. */
const decayMs = 60_000;
/** Deployments that are remembered, the oldest out first. */
const mostDeployments = 10_000;

interface Latency {
  meanMs: number;
  measuredAtMs: number;
  underWay: number;
}

/**
 * How long each deployment took to its first content of late: a mean over time that a slow answer raises at once and
 * that quick ones, and time, let sink (peak-EWMA). So who has become slow is spared at once and tried again soon.
 */
export class Latencies {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #known = new Map<string, Latency>();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  began(candidate: Candidate): void {
    this.#latencyOf(candidate).underWay += 1;
  }

  ended(candidate: Candidate): void {
    const known = this.#known.get(candidate.names.deployment);
    if (known !== undefined && known.underWay > 0) known.underWay -= 1;
  }

  /** Its first content is there, or its whole answer. */
  measured(candidate: Candidate, ms: number): void {
    const known = this.#latencyOf(candidate);
    const nowMs = this.#clock.nowMs();
    if (known.measuredAtMs === 0 || ms > known.meanMs) {
      known.meanMs = ms;
    } else {
      const kept = Math.exp(-Math.max(0, nowMs - known.measuredAtMs) / decayMs);
      // Of measures at one moment each still counts something.
      known.meanMs = ms + (known.meanMs - ms) * Math.min(kept, 0.9);
    }
    known.measuredAtMs = nowMs;
  }

  /** The same where something was measured; null where nothing was. */
  knownCostOf(candidate: Candidate): number | null {
    const measuredAtMs = this.#known.get(candidate.names.deployment)?.measuredAtMs ?? 0;
    return measuredAtMs === 0 ? null : this.costOf(candidate);
  }

  /** What one more request would wait, by the mean and those under way; who was never measured is tried first. */
  costOf({ names }: Candidate): number {
    const known = this.#known.get(names.deployment);
    if (known === undefined) return 0;
    const elapsedMs = Math.max(0, this.#clock.nowMs() - known.measuredAtMs);
    return known.meanMs * Math.exp(-elapsedMs / decayMs) * (known.underWay + 1);
  }

  #latencyOf({ names }: Candidate): Latency {
    const before = this.#known.get(names.deployment);
    if (before !== undefined) return before;
    if (this.#known.size >= mostDeployments) {
      const oldest = this.#known.keys().next();
      if (oldest.done !== true) this.#known.delete(oldest.value);
    }
    const latency = { meanMs: 0, measuredAtMs: 0, underWay: 0 };
    this.#known.set(names.deployment, latency);
    return latency;
  }
}

export interface OrderingParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly latencies: Latencies;
  /** Tokens a second; null where nobody knows. */
  readonly rateOf: (deployment: Deployment) => number | null;
}

/** The credentials of one deployment, in the order of their turns. */
type Pool = readonly [Candidate, ...Candidate[]];

export class DeploymentOrder {
  readonly #parts: OrderingParts;

  constructor(parts: OrderingParts) {
    this.#parts = parts;
  }

  /** @param candidates of one model, those of a deployment behind each other. */
  arrange(candidates: readonly Candidate[], model: Model, wish: Wish | undefined): readonly Candidate[] {
    const isUsual = wish === undefined || (wish.order === null && wish.sort === null && wish.allowFallbacks);
    if (isUsual && model.routing === 'order') return candidates;
    const pools = poolsOf(candidates);
    if (pools.length < 2) return candidates;
    const ordered = this.#order(pools, model, wish);
    return (wish?.allowFallbacks === false && wish.order === null ? ordered.slice(0, 1) : ordered).flat();
  }

  #order(pools: readonly Pool[], model: Model, wish: Wish | undefined): readonly Pool[] {
    const order = wish?.order ?? null;
    const others = wish?.sort == null ? this.#asSet(pools, model) : this.#sorted(pools, model, wish.sort);
    if (order === null) return others;
    const placeOf = ([{ deployment }]: Pool) => {
      const at = order.indexOf(deployment.provider.name.toLowerCase());
      return at === -1 ? order.length : at;
    };
    // Those that are not named follow in the order that they would have.
    return others.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  #asSet(pools: readonly Pool[], model: Model): readonly Pool[] {
    switch (model.routing) {
      case 'order':
        return pools;
      case 'weight':
        return this.#byWeight(pools);
      case 'latency':
        return this.#byTwoChoices(pools);
      case 'price':
        return this.#sorted(pools, model, 'price');
    }
  }

  /** Each is first as often as its weight says, and those behind it likewise; who has none is asked last. */
  #byWeight(pools: readonly Pool[]): readonly Pool[] {
    const drawn = new Map(
      pools.map((pool) => {
        const { weight } = pool[0].deployment;
        return [pool, weight <= 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - this.#parts.random()) / weight];
      }),
    );
    return sortedBy(pools, (pool) => drawn.get(pool) ?? null);
  }

  /** The better of two by chance goes first, so that not all rush to who was the quickest; the others by their latency. */
  #byTwoChoices(pools: readonly Pool[]): readonly Pool[] {
    const { latencies, random } = this.#parts;
    const at = Math.min(pools.length - 1, Math.floor(random() * pools.length));
    const step = 1 + Math.min(pools.length - 2, Math.floor(random() * (pools.length - 1)));
    const costOf = (pool: Pool) => latencies.costOf(pool[0]);
    const drawn = [at, (at + step) % pools.length].flatMap((each) => pools.slice(each, each + 1));
    const [first] = sortedBy(drawn, costOf);
    if (first === undefined) return pools;
    return [first, ...sortedBy(pools, costOf).filter((pool) => pool !== first)];
  }

  #sorted(pools: readonly Pool[], model: Model, by: NonNullable<Wish['sort']>): readonly Pool[] {
    const { latencies, rateOf, clock } = this.#parts;
    switch (by) {
      case 'price': {
        const nowMs = clock.nowMs();
        return sortedBy(pools, ([{ deployment }]) => priceOf(model, deployment, nowMs));
      }
      case 'latency':
        return sortedBy(pools, ([candidate]) => latencies.knownCostOf(candidate));
      case 'throughput':
        return sortedBy(pools, ([{ deployment }]) => {
          const rate = rateOf(deployment);
          return rate === null ? null : -rate;
        });
    }
  }
}

/** The lowest first, what nobody knows last; ties keep their order. */
function sortedBy(pools: readonly Pool[], rank: (pool: Pool) => number | null): readonly Pool[] {
  const values = new Map(pools.map((pool) => [pool, rank(pool) ?? Number.POSITIVE_INFINITY]));
  const of = (pool: Pool) => values.get(pool) ?? 0;
  return pools.toSorted((one, other) => (of(one) === of(other) ? 0 : of(one) - of(other)));
}

function poolsOf(candidates: readonly Candidate[]): readonly Pool[] {
  const pools: [Candidate, ...Candidate[]][] = [];
  for (const candidate of candidates) {
    const last = pools.at(-1);
    if (last?.[0].deployment === candidate.deployment) last.push(candidate);
    else pools.push([candidate]);
  }
  return pools;
}

/** For a million tokens in and a quarter of a million out, the usual proportion of chat; or a million other units. */
function priceOf(model: Model, deployment: Deployment, atMs: number): number | null {
  const prices = priceAt(model, deployment, atMs)?.prices;
  if (prices === undefined) return null;
  const {
    input = 0n,
    output = 0n,
    character = 0n,
    rerank_unit: unit = 0n,
    audio_second: second = 0n,
  } = prices;
  return Number(input * 4n + output + character + unit + second);
}

/**
 * Whether going back to where a conversation was answered is cheap enough: where price decides, only while reading what
 * is kept there costs no more than reading it anew at who is first.
 */
export function isWarmWorthIt(warm: Candidate, first: Candidate, pricing: Pricing): boolean {
  const { model, wish, atMs } = pricing;
  if (wish?.order != null) return false;
  if ((wish?.sort ?? model.routing) !== 'price') return true;
  const kept = priceAt(model, warm.deployment, atMs)?.prices;
  const anew = priceAt(model, first.deployment, atMs)?.prices;
  const keptPrice = kept?.cached_input ?? kept?.input;
  return keptPrice !== undefined && keptPrice <= (anew?.input ?? keptPrice);
}

interface Pricing {
  readonly model: Model;
  readonly wish: Wish | undefined;
  readonly atMs: number;
}
