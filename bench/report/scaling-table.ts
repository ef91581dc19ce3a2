/** What two processes do beside one. */
import type { ProcessCount, ScalingMeasurement } from '../run/scaling.ts';
import { figure, mebibytes, table, withSpread } from './format.ts';
import { type Spread, spreadOf } from './statistics.ts';

const titles: Readonly<Record<ProcessCount, string>> = { one: 'one process', two: 'two workers' };

export function writeScalingTable(measurements: readonly ScalingMeasurement[]): string {
  const rows = (['one', 'two'] as const).map((processes) => {
    const own = measurements.filter((each) => each.processes === processes);
    const spread = (read: (each: ScalingMeasurement) => number | null) =>
      withSpread(spreadOf(own.map(read).filter((value) => value !== null)));
    return [
      titles[processes],
      spread(({ requests, seconds }) => requests / seconds),
      spread(({ p50Ms }) => p50Ms),
      spread(({ p99Ms }) => p99Ms),
      spread(({ cpuUsPerRequest }) => cpuUsPerRequest),
      spread(({ databaseCpuUsPerRequest }) => databaseCpuUsPerRequest),
      mebibytes(own.at(-1)?.residentBytes),
      figure(own.reduce((sum, { errors }) => sum + errors, 0)),
    ];
  });
  const head = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'database CPU µs/request'];
  return table([...head, 'RSS MiB', 'errors'], rows);
}

/** How many times the requests of one process two workers serve; undefined where that was not measured. */
export function speedUp(measurements: readonly ScalingMeasurement[]): Spread | undefined {
  const byRound = Map.groupBy(measurements, ({ round }) => round);
  const ratios = [...byRound.values()].flatMap((ofRound) => {
    const rate = (wanted: ProcessCount) => {
      const found = ofRound.find(({ processes }) => processes === wanted);
      return found === undefined ? Number.NaN : found.requests / found.seconds;
    };
    const ratio = rate('two') / rate('one');
    return Number.isFinite(ratio) ? [ratio] : [];
  });
  return spreadOf(ratios);
}
