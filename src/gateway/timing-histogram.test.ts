import { expect, test } from 'bun:test';
import { Histogram, Registry } from 'prom-client';
import { TimingHistogram } from './tallies.ts';

test('writes what the Prometheus client library would have written', async () => {
  const name = 'seconds';
  const help = 'A duration';
  const bucketsSeconds = [0.1, 0.5, 2];
  const registry = new Registry();
  const reference = new Histogram({
    name,
    help,
    labelNames: ['endpoint', 'provider'],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  const histogram = new TimingHistogram({ name, help, labelNames: ['endpoint', 'provider'], bucketsSeconds });
  const observed = [
    ['/a', 'x', 100],
    ['/a', 'x', 500],
    ['/a', 'y', 10_000],
    ['/b', 'x "quoted"\\', 0],
    ['/a', 'x', 2001],
  ] as const;
  for (const [endpoint, provider, ms] of observed) {
    histogram.observe(endpoint, provider, ms);
    reference.observe({ endpoint, provider }, ms / 1000);
  }
  const parse = (text: string) => new Set(text.split('\n').map(sortLabels));
  expect(parse(histogram.write())).toEqual(parse(await registry.metrics()));
});

/** Labels are a set; the library writes them in another order. */
function sortLabels(line: string): string {
  const labels = /\{(.*)\}/.exec(line)?.[1];
  if (labels === undefined) return line;
  return line.replace(labels, (labels.match(/\w+="(?:\\.|[^"])*"/g) ?? []).toSorted().join(','));
}
