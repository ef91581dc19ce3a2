/** Sums and durations of requests by their labels, as cheap as every request needs them. */
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

/**
 * Sums of requests that share their labels, handed to Prometheus' counters when somebody asks for them. A labelled
 * counter hashes its labels at each increment; a request would pay for six.
 */
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

interface Series {
  readonly labels: string;
  /** One count a bucket, not cumulative; the last is for what is above every bound. */
  readonly counts: Float64Array;
  sumSeconds: number;
}

export interface TimingHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly [string, string];
  /** Upper bounds, ascending. */
  readonly bucketsSeconds: readonly number[];
}

/**
 * A histogram of durations in Prometheus' text form. Every request is observed three times; finding its series by
 * two short labels and adding one costs a twentieth of what a general labelled histogram takes.
 */
export class TimingHistogram {
  readonly #options: TimingHistogramOptions;
  readonly #series = new Map<string, Map<string, Series>>();
  /** The next observation is most often of the same labels. */
  #last: { first: string; second: string; series: Series } | undefined;

  constructor(options: TimingHistogramOptions) {
    this.#options = options;
  }

  observe(firstLabel: string, secondLabel: string, ms: number): void {
    const series = this.#find(firstLabel, secondLabel);
    const seconds = ms / 1000;
    series.sumSeconds += seconds;
    const bucket = this.#bucketOf(seconds);
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  #find(first: string, second: string): Series {
    if (this.#last?.first === first && this.#last.second === second) return this.#last.series;
    const series = this.#series.get(first)?.get(second) ?? this.#open(first, second);
    this.#last = { first, second, series };
    return series;
  }

  /** The exposition format's lines for this metric. */
  write(): string {
    const { name, help } = this.#options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const bySecond of this.#series.values()) {
      for (const series of bySecond.values()) lines.push(...this.#writeSeries(series));
    }
    return `${lines.join('\n')}\n`;
  }

  #writeSeries({ labels, counts, sumSeconds }: Series): string[] {
    const { name, bucketsSeconds } = this.#options;
    let total = 0;
    const lines = [...bucketsSeconds, '+Inf'].map((bound, index) => {
      total += counts[index] ?? 0;
      return `${name}_bucket{${labels},le="${bound}"} ${total}`;
    });
    return [...lines, `${name}_sum{${labels}} ${sumSeconds}`, `${name}_count{${labels}} ${total}`];
  }

  #open(firstLabel: string, secondLabel: string): Series {
    const { labelNames, bucketsSeconds } = this.#options;
    const labels = `${labelNames[0]}="${escapeLabel(firstLabel)}",${labelNames[1]}="${escapeLabel(secondLabel)}"`;
    const series = { labels, counts: new Float64Array(bucketsSeconds.length + 1), sumSeconds: 0 };
    const bySecond = this.#series.get(firstLabel) ?? new Map<string, Series>();
    this.#series.set(firstLabel, bySecond.set(secondLabel, series));
    return series;
  }

  #bucketOf(seconds: number): number {
    const { bucketsSeconds } = this.#options;
    let bucket = 0;
    while (bucket < bucketsSeconds.length && seconds > (bucketsSeconds[bucket] ?? 0)) bucket += 1;
    return bucket;
  }
}

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
