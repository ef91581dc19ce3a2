/** What the gateway tells Prometheus. Labels are bounded: no key, user or request ever becomes one. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ByteBudget } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import type { UsageRecord } from '../usage/index.ts';
import { noProvider, Tallies, type Tally, TimingHistogram } from './tallies.ts';

const renderingLastsMs = 1000;

export class GatewayMetrics {
  readonly #tallies = new Tallies();
  readonly #requests: Counter<'endpoint' | 'model' | 'provider' | 'status' | 'outcome'>;
  readonly #tokens: Counter<'model' | 'provider' | 'kind'>;
  readonly #units: Counter<'model' | 'provider' | 'kind'>;
  readonly #cost: Counter<'model' | 'provider'>;
  readonly #duration = new TimingHistogram({
    name: 'sluice_request_duration_seconds',
    help: 'From the request read to the answer ended',
    labelNames: ['endpoint', 'streamed'],
    bucketsSeconds: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  });
  readonly #firstByte = new TimingHistogram({
    name: 'sluice_upstream_first_byte_seconds',
    help: 'From the call of the upstream to the first content of its answer',
    labelNames: ['endpoint', 'provider'],
    bucketsSeconds: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120],
  });
  readonly #overhead = new TimingHistogram({
    name: 'sluice_overhead_seconds',
    help: 'Time spent inside the gateway before the answer began, the wait for upstreams left out',
    labelNames: ['endpoint', 'streamed'],
    bucketsSeconds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
  });
  readonly #registry = new Registry();
  readonly #clock: Clock;
  #requestsUnderWay = 0;
  #rendering: { readonly text: Promise<string>; readonly atMs: number } | undefined;
  readonly #refused: Counter<'endpoint' | 'code'>;
  readonly #droppedFrames: Counter<'provider'>;
  readonly #rescues: Counter<'outcome'>;

  constructor(clock: Clock, bodies: Pick<ByteBudget, 'heldBytes' | 'maxBytes'>) {
    this.#clock = clock;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'sluice_requests_total',
      help: 'Requests that reached routing, by how they ended',
      labelNames: ['endpoint', 'model', 'provider', 'status', 'outcome'],
      registers,
      // The registry collects in the order of registration: this is the first of the four that tallies feed.
      collect: () => this.#countTallies(),
    });
    this.#refused = new Counter({
      name: 'sluice_refusals_total',
      help: 'Requests refused before routing, by error code',
      labelNames: ['endpoint', 'code'],
      registers,
    });
    this.#droppedFrames = new Counter({
      name: 'sluice_dropped_frames_total',
      help: 'Pieces of upstream streams that were dropped because they are no JSON',
      labelNames: ['provider'],
      registers,
    });
    this.#rescues = new Counter({
      name: 'sluice_rescues_total',
      help: 'Streams that broke off and whose rest was asked for, by whether somebody went on with them',
      ...{ labelNames: ['outcome'], registers },
    });
    this.#tokens = new Counter({
      name: 'sluice_tokens_total',
      help: 'Tokens by disjoint kind',
      labelNames: ['model', 'provider', 'kind'],
      registers,
    });
    this.#units = new Counter({
      name: 'sluice_units_total',
      help: 'What is not counted in tokens: seconds of audio, characters spoken, searches',
      labelNames: ['model', 'provider', 'kind'],
      registers,
    });
    this.#cost = new Counter({
      name: 'sluice_cost_usd_total',
      help: 'Cost of requests in USD, a monitoring figure; the database has the exact amounts',
      labelNames: ['model', 'provider'],
      registers,
    });
    const underWay: Gauge = new Gauge({
      name: 'sluice_requests_under_way',
      help: 'Requests that are being answered',
      registers,
      collect: () => underWay.set(this.#requestsUnderWay),
    });
    const held: Gauge = new Gauge({
      name: 'sluice_body_bytes_held',
      help: 'Bytes held of request bodies and whole answers under way',
      registers,
      collect: () => held.set(bodies.heldBytes),
    });
    const budget = new Gauge({
      name: 'sluice_body_bytes_budget',
      help: 'The most that is held before requests are refused with 503',
      registers,
    });
    budget.set(bodies.maxBytes);
  }

  /** A figure of another part, read whenever somebody asks. */
  watch(name: string, { help, read }: { readonly help: string; readonly read: () => number }): void {
    const registers = [this.#registry];
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
  }

  get requestsUnderWay(): number {
    return this.#requestsUnderWay;
  }

  began(): void {
    this.#requestsUnderWay += 1;
  }

  ended(): void {
    this.#requestsUnderWay -= 1;
  }

  refused(endpoint: string, code: string): void {
    this.#refused.inc({ endpoint, code });
  }

  droppedFrame(provider: string): void {
    this.#droppedFrames.inc({ provider });
  }

  rescued(outcome: 'answer' | 'none' | 'abandoned'): void {
    this.#rescues.inc({ outcome });
  }

  record(usage: UsageRecord): void {
    this.#tallies.add(usage);
    const { endpoint, durationMs, overheadMs, firstByteMs } = usage;
    const streamed = usage.streamed ? 'true' : 'false';
    this.#duration.observe(endpoint, streamed, durationMs);
    this.#overhead.observe(endpoint, streamed, overheadMs);
    if (firstByteMs !== null) this.#firstByte.observe(endpoint, usage.provider ?? noProvider, firstByteMs);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The exposition text: these metrics and the process's own. Who asks within a second gets the same. */
  write(): Promise<string> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#rendering !== undefined && nowMs - this.#rendering.atMs < renderingLastsMs) {
      return this.#rendering.text;
    }
    const text = this.#render();
    this.#rendering = { text, atMs: nowMs };
    return text;
  }

  async #render(): Promise<string> {
    const timings = [this.#duration, this.#firstByte, this.#overhead].map((timing) => timing.write());
    return `${await this.#registry.metrics()}\n${timings.join('\n')}`;
  }

  #countTallies(): void {
    for (const tally of this.#tallies.take()) {
      const { endpoint, model, provider, status, outcome } = tally;
      this.#requests.inc({ endpoint, model, provider, status, outcome }, tally.requests);
      this.#countTokens({ model, provider }, tally);
      this.#countUnits({ model, provider }, tally);
      this.#cost.inc({ model, provider }, tally.costNanoUsd / 1e9);
    }
  }

  #countTokens(labels: { model: string; provider: string }, tally: Tally): void {
    this.#tokens.inc({ ...labels, kind: 'input' }, tally.inputTokens);
    this.#tokens.inc({ ...labels, kind: 'cache_read' }, tally.cacheReadTokens);
    this.#tokens.inc({ ...labels, kind: 'cache_write' }, tally.cacheWriteTokens);
    this.#tokens.inc({ ...labels, kind: 'output' }, tally.outputTokens);
  }

  /** Most models use none, and need no series that stay at zero. */
  #countUnits(
    labels: { model: string; provider: string },
    { audioMs, characters, rerankUnits, hosted }: Tally,
  ): void {
    if (audioMs > 0) this.#units.inc({ ...labels, kind: 'audio_seconds' }, audioMs / 1000);
    if (characters > 0) this.#units.inc({ ...labels, kind: 'characters' }, characters);
    if (rerankUnits > 0) this.#units.inc({ ...labels, kind: 'searches' }, rerankUnits);
    for (const [kind, count] of hosted) this.#units.inc({ ...labels, kind }, count);
  }
}
