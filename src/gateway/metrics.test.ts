import { describe, expect, test } from 'bun:test';
import { ByteBudget } from '../base/byte-budget.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { noUsage } from '../base/token-usage.ts';
import type { UsageRecord } from '../usage/index.ts';
import { noUnits } from '../usage/testing/no-units.ts';
import { GatewayMetrics } from './metrics.ts';

const bodies = new ByteBudget(1000);

const record = (change: Partial<UsageRecord> = {}): UsageRecord => ({
  ...noUsage,
  ...noUnits,
  requestId: '01a2019c-96fc-744d-b253-00c2e854de7a',
  startedAt: new Date(0),
  keyId: 1,
  userId: 2,
  payerId: 3,
  organisationId: null,
  departmentId: null,
  projectId: null,
  endpoint: '/v1/chat/completions',
  model: 'm',
  provider: 'main',
  upstreamModel: 'u',
  streamed: false,
  status: 200,
  outcome: 'complete',
  errorCode: null,
  attempts: [],
  priceVersionId: null,
  exempt: false,
  costNanoUsd: 1_500_000_000n,
  chargedNanoUsd: 0n,
  durationMs: 30,
  firstByteMs: 20,
  overheadMs: 0.2,
  ...change,
});

describe('gateway metrics', () => {
  test('are rendered once a second, however many ask', async () => {
    const clock = new ManualClock();
    const metrics = new GatewayMetrics(clock, bodies);
    const first = await metrics.write();
    metrics.record(record());
    await clock.advance(999);
    expect(await Promise.all([metrics.write(), metrics.write()])).toEqual([first, first]);
    await clock.advance(1);
    expect(await metrics.write()).toMatch(/^sluice_requests_total\{[^}]*model="m"[^}]*\} 1$/m);
  });

  test('tell requests apart whatever the one before was, and go on counting after a rendering', async () => {
    const clock = new ManualClock();
    const metrics = new GatewayMetrics(clock, bodies);
    const different: Partial<UsageRecord>[] = [
      {},
      { model: 'n' },
      { provider: null },
      { status: 502, outcome: 'upstream_failed' },
      { endpoint: '/v1/messages' },
    ];
    for (const change of [...different, ...different, {}, {}]) metrics.record(record(change));
    await metrics.write();
    metrics.record(record());
    await clock.advance(1_000);
    const lines = (await metrics.write())
      .split('\n')
      .filter((line) => line.startsWith('sluice_requests_total{'));
    const count = (...labels: string[]) =>
      lines
        .filter((line) => labels.every((label) => line.includes(label)))
        .map((line) => line.split(' ').at(-1));
    expect(lines).toHaveLength(5);
    expect(count('completions"', 'model="m"', 'provider="main"', 'status="200"')).toEqual(['5']);
    expect(count('model="n"')).toEqual(['2']);
    expect(count('provider="none"')).toEqual(['2']);
    expect(count('status="502"', 'outcome="upstream_failed"')).toEqual(['2']);
    expect(count('endpoint="/v1/messages"')).toEqual(['2']);
    const text = await metrics.write();
    expect(text).toMatch(/^sluice_cost_usd_total\{model="n",provider="main"\} 3$/m);
    expect(text).toContain(
      'sluice_request_duration_seconds_count{endpoint="/v1/chat/completions",streamed="false"} 11',
    );
    expect(text).toContain(
      'sluice_request_duration_seconds_count{endpoint="/v1/messages",streamed="false"} 2',
    );
  });

  test('know how many requests are under way', async () => {
    const metrics = new GatewayMetrics(new ManualClock(), bodies);
    for (let count = 0; count < 3; count += 1) metrics.began();
    metrics.ended();
    expect(await metrics.write()).toMatch(/^sluice_requests_under_way 2$/m);
  });
});
