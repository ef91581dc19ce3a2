/** The table of the second act. */
import type { Contender } from '../contenders/contender.ts';
import type { SlowMeasurement } from '../run/slow-streams.ts';
import { figure, mebibytes, table } from './format.ts';
import { quantile } from './statistics.ts';

const head = [
  '',
  'complete',
  'most at once',
  'seconds',
  'first event p50 ms',
  'p99 ms',
  'added at p50 ms',
  'at p99 ms',
  'CPU ms/stream',
  'CPU µs/chunk',
  'RSS MiB at most',
  '/health p50 ms',
  '/health at most ms',
  'longest turn ms',
];

const chunksPerStream = 100;

export function writeSlowTable(
  contenders: readonly Contender[],
  measurements: readonly SlowMeasurement[],
): string {
  const baseline = measurements.find(({ name }) => name === 'direct');
  const rows = measurements.map((measurement) => {
    const { name, complete, mostAtOnce, seconds, cpuUsPerRequest } = measurement;
    return [
      contenders.find((contender) => contender.name === name)?.title ?? name,
      String(complete),
      String(mostAtOnce),
      figure(seconds),
      figure(quantile(measurement.firstEventMs, 0.5)),
      figure(quantile(measurement.firstEventMs, 0.99)),
      addedAt(0.5, measurement, baseline),
      addedAt(0.99, measurement, baseline),
      figure(cpuUsPerRequest === null ? null : cpuUsPerRequest / 1000),
      figure(cpuUsPerRequest === null ? null : cpuUsPerRequest / chunksPerStream),
      mebibytes(measurement.mostResidentBytes),
      figure(quantile(measurement.health?.latenciesMs ?? [], 0.5)),
      figure(measurement.health?.latenciesMs.at(-1)),
      figure(measurement.longestTurnMs),
    ];
  });
  return table(head, rows);
}

function addedAt(share: number, measurement: SlowMeasurement, baseline: SlowMeasurement | undefined): string {
  const own = quantile(measurement.firstEventMs, share);
  const least = quantile(baseline?.firstEventMs ?? [], share);
  return own === undefined || least === undefined || measurement === baseline
    ? figure(null)
    : figure(own - least);
}
