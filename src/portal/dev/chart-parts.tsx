/** Charts and the other pictures of data. */
import { Chart } from '../ui/chart.tsx';
import { Histogram, Runway, Shares } from '../ui/course.tsx';
import { Waterfall } from '../ui/waterfall.tsx';
import { Specimen, Specimens } from './specimen.tsx';

const dayMs = 86_400_000;
const firstMs = Date.UTC(2026, 9, 24);
const shape = [
  9, 9, 12, 13, 12, 14, 12, 8, 7, 13, 13, 13, 13, 14, 8, 8, 15, 14, 20, 16, 13, 9, 8, 15, 16, 17, 16,
];
const parts = [
  ['claude-sonnet-4.5', 0.39],
  ['gpt-5.1', 0.25],
  ['gemini-2.5-flash', 0.16],
  ['claude-haiku-4.5', 0.1],
  ['llama-3.3-70b-instruct-turbo', 0.06],
  ['9 others', 0.04],
] as const;

const columns = shape.map((_, index) => {
  const day = new Date(firstMs + index * dayMs).toUTCString();
  return {
    title: day.slice(0, 11).replace(',', ''),
    label: day.slice(5, 11),
    isPartial: index === shape.length - 1,
  };
});
const usd = (value: number) => `$${value.toFixed(2)}`;

export function ChartParts() {
  return (
    <>
      <Specimens title="Columns">
        <Chart
          kind="columns"
          label="Spend by model over 27 days: $340 in all, most of it with claude-sonnet-4.5"
          columnName="Day"
          columns={columns}
          series={parts.map(([name, share], number) => ({
            name,
            values: shape.map((all, index) => all * share * (1 + ((index * (number + 3)) % 7) / 20)),
          }))}
          write={usd}
          writeAxis={(steps) => steps.map((value) => `$${value}`)}
        />
      </Specimens>
      <Specimens title="Lines">
        <Chart
          kind="lines"
          label="Time to the first token: median 612 ms, 95 of 100 within 1.84 s"
          columnName="Day"
          columns={columns}
          series={[
            { name: 'Median', values: shape.map((all) => 500 + all * 9), total: '612 ms' },
            {
              name: 'p95',
              values: shape.map((all, index) => 1400 + all * 40 + (index % 5) * 60),
              total: '1.84 s',
            },
          ]}
          write={(value) => `${Math.round(value)} ms`}
          writeAxis={(steps) => steps.map((value) => `${value} ms`)}
        />
      </Specimens>
      <Specimens title="Pictures of one thing">
        <Specimen name="Waterfall">
          <ExampleWaterfall />
        </Specimen>
        <Specimen name="Runway">
          <div class="narrow">
            <ExampleRunway />
          </div>
        </Specimen>
        <Specimen name="Histogram">
          <Histogram
            label="412 requests in the last hour, 9 of them failed"
            bars={[...shape, ...shape].map((all, index) => ({ all, failed: index % 9 === 4 ? 1 : 0 }))}
            marks={['13:32', '14:02', 'now']}
          />
        </Specimen>
        <Specimen name="Shares">
          <div class="narrow">
            <Shares
              label="20,448 tokens, 90.1% of them read from cache"
              parts={[
                { name: 'New input', amount: 1204, written: '1,204' },
                { name: 'Read from cache', amount: 18_432, written: '18,432' },
                { name: 'Answer', amount: 506, written: '506' },
              ]}
            />
          </div>
        </Specimen>
      </Specimens>
    </>
  );
}

export function ExampleWaterfall() {
  return (
    <Waterfall
      label="Two attempts: the first failed with 429 after 181 ms, the second streamed for 4.02 s"
      totalMs={4210}
      kinds={{
        gate: 'Gateway',
        fail: 'Failed attempt',
        wait: 'Waiting for the first token',
        stream: 'Streaming',
      }}
      stages={[
        { name: 'Gateway', detail: 'key, budget, route', parts: [{ kind: 'gate', fromMs: 0, toMs: 9 }] },
        {
          name: '1 Anthropic',
          detail: 'us-east-1',
          parts: [{ kind: 'fail', fromMs: 9, toMs: 190 }],
          note: '429 overloaded',
          isFailed: true,
        },
        {
          name: '2 Bedrock',
          detail: 'us-west-2',
          parts: [
            { kind: 'wait', fromMs: 190, toMs: 792 },
            { kind: 'stream', fromMs: 792, toMs: 4207 },
          ],
          note: '812 tokens, 238 a second',
        },
        { name: 'Settle', detail: 'ledger', parts: [{ kind: 'gate', fromMs: 4207, toMs: 4210 }] },
      ]}
    />
  );
}

function ExampleRunway() {
  const usdNano = 1_000_000_000n;
  const points = Array.from({ length: 29 }, (_, index) => {
    const topUps = index >= 18 ? 2 : index >= 8 ? 1 : 0;
    return { atMs: firstMs + index * dayMs, nanoUsd: BigInt(90 - index * 12 + topUps * 230) * usdNano };
  }).flatMap((point, index, all) => {
    const before = all[index - 1];
    // A top-up is a moment: just before it the level was still low.
    return before !== undefined && point.nanoUsd > before.nanoUsd
      ? [{ atMs: point.atMs, nanoUsd: before.nanoUsd }, point]
      : [point];
  });
  return (
    <Runway
      points={points}
      nowMs={firstMs + 29 * dayMs}
      emptyMs={firstMs + 46 * dayMs}
      threshold={{ nanoUsd: 50n * usdNano, label: 'tops up below $50' }}
    />
  );
}
