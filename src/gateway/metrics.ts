/** What the gateway tells Prometheus. Labels are bounded: no key, user or request ever becomes one. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { UsageRecord } from '../usage/index.ts';

export class GatewayMetrics {
  readonly #requests: Counter<'endpoint' | 'model' | 'provider' | 'status' | 'outcome'>;
  readonly #tokens: Counter<'model' | 'provider' | 'kind'>;
  readonly #cost: Counter<'model' | 'provider'>;
  readonly #duration: Histogram<'endpoint' | 'streamed'>;
  readonly #firstByte: Histogram<'endpoint' | 'provider'>;
  readonly #overhead: Histogram<'endpoint' | 'streamed'>;
  readonly #underWay: Gauge;
  readonly #refused: Counter<'endpoint' | 'code'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'sluice_requests_total',
      help: 'Requests that reached routing, by how they ended',
      labelNames: ['endpoint', 'model', 'provider', 'status', 'outcome'],
      registers,
    });
    this.#refused = new Counter({
      name: 'sluice_refusals_total',
      help: 'Requests refused before routing, by error code',
      labelNames: ['endpoint', 'code'],
      registers,
    });
    this.#tokens = new Counter({
      name: 'sluice_tokens_total',
      help: 'Tokens by disjoint kind',
      labelNames: ['model', 'provider', 'kind'],
      registers,
    });
    this.#cost = new Counter({
      name: 'sluice_cost_usd_total',
      help: 'Cost of requests in USD, a monitoring figure; the database has the exact amounts',
      labelNames: ['model', 'provider'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'sluice_request_duration_seconds',
      help: 'From the request read to the answer ended',
      labelNames: ['endpoint', 'streamed'],
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
      registers,
    });
    this.#firstByte = new Histogram({
      name: 'sluice_upstream_first_byte_seconds',
      help: 'From the call of the upstream to the first content of its answer',
      labelNames: ['endpoint', 'provider'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120],
      registers,
    });
    this.#overhead = new Histogram({
      name: 'sluice_overhead_seconds',
      help: 'Time spent inside the gateway before the answer began, the wait for upstreams left out',
      labelNames: ['endpoint', 'streamed'],
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
      registers,
    });
    this.#underWay = new Gauge({
      name: 'sluice_requests_under_way',
      help: 'Requests that are being answered',
      registers,
    });
  }

  began(): void {
    this.#underWay.inc();
  }

  ended(): void {
    this.#underWay.dec();
  }

  refused(endpoint: string, code: string): void {
    this.#refused.inc({ endpoint, code });
  }

  record(usage: UsageRecord): void {
    const { endpoint, model } = usage;
    const provider = usage.provider ?? 'none';
    const streamed = String(usage.streamed);
    this.#requests.inc({ endpoint, model, provider, status: usage.status, outcome: usage.outcome });
    this.#duration.observe({ endpoint, streamed }, usage.durationMs / 1000);
    this.#overhead.observe({ endpoint, streamed }, usage.overheadMs / 1000);
    if (usage.firstByteMs !== null) this.#firstByte.observe({ endpoint, provider }, usage.firstByteMs / 1000);
    this.#countTokens({ model, provider }, usage);
    if (usage.costNanoUsd > 0n) this.#cost.inc({ model, provider }, Number(usage.costNanoUsd) / 1e9);
  }

  #countTokens(labels: { model: string; provider: string }, usage: UsageRecord): void {
    const kinds = [
      ['input', usage.inputTokens],
      ['cache_read', usage.cacheReadTokens],
      ['cache_write', usage.cacheWrite5mTokens + usage.cacheWrite1hTokens],
      ['output', usage.outputTokens],
    ] as const;
    for (const [kind, count] of kinds) if (count > 0) this.#tokens.inc({ ...labels, kind }, count);
  }
}
