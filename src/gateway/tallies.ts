/**
 * Sums of requests that share their labels, handed to Prometheus' counters when somebody asks for them. A labelled
 * counter hashes its labels at each increment; a request would pay for six.
 */
import type { Extras } from '../base/token-usage.ts';
import type { UsageRecord } from '../usage/index.ts';

/** Where no provider was reached. */
export const noProvider = 'none';

export interface Tally {
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string;
  readonly status: number;
  readonly outcome: string;
  requests: number;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  audioMs: number;
  characters: number;
  rerankUnits: number;
  /** What providers' own tools did, by its meter. */
  readonly hosted: Map<(typeof hostedMeters)[number], number>;
  /** A monitoring figure, exact up to some nine million USD between two readings. */
  costNanoUsd: number;
}

export class Tallies {
  #open = new Map<string, Tally>();
  /** The next request is most often like the one before, and then needs no key to be written. */
  #last: Tally | undefined;

  add(usage: UsageRecord): void {
    const tally = this.#last !== undefined && isOf(this.#last, usage) ? this.#last : this.#find(usage);
    this.#last = tally;
    tally.requests += 1;
    tally.inputTokens += usage.inputTokens;
    tally.cacheReadTokens += usage.cacheReadTokens;
    tally.cacheWriteTokens += usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
    tally.outputTokens += usage.outputTokens;
    tally.audioMs += usage.audioMs;
    tally.characters += usage.characters;
    tally.rerankUnits += usage.rerankUnits;
    tally.costNanoUsd += Number(usage.costNanoUsd);
    if (usage.extras !== undefined) addHosted(tally, usage.extras);
  }

  /** What came since the last call. */
  take(): Iterable<Tally> {
    const taken = this.#open.values();
    this.#open = new Map();
    this.#last = undefined;
    return taken;
  }

  #find(usage: UsageRecord): Tally {
    const provider = usage.provider ?? noProvider;
    const key = `${usage.endpoint}\n${usage.model}\n${provider}\n${usage.status}\n${usage.outcome}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const tally = openTally(usage, provider);
    this.#open.set(key, tally);
    return tally;
  }
}

const hostedMeters = ['web_search', 'file_search', 'container', 'image'] as const;

function addHosted({ hosted }: Tally, extras: Extras): void {
  for (const meter of hostedMeters) {
    const count = extras[meter] ?? 0;
    if (count > 0) hosted.set(meter, (hosted.get(meter) ?? 0) + count);
  }
}

function isOf(tally: Tally, usage: UsageRecord): boolean {
  return (
    tally.model === usage.model &&
    tally.provider === (usage.provider ?? noProvider) &&
    tally.endpoint === usage.endpoint &&
    tally.status === usage.status &&
    tally.outcome === usage.outcome
  );
}

function openTally({ endpoint, model, status, outcome }: UsageRecord, provider: string): Tally {
  return {
    endpoint,
    model,
    provider,
    status,
    outcome,
    requests: 0,
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    audioMs: 0,
    characters: 0,
    rerankUnits: 0,
    hosted: new Map(),
    costNanoUsd: 0,
  };
}
