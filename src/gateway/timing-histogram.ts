/**
 * A histogram of durations in Prometheus' text form. Every request is observed three times; finding its series by
 * two short labels and adding one costs a twentieth of what a general labelled histogram takes.
 */

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
