/** What several rounds say together: a number's middle and spread, and the ratio of two. */
import type { LoadMeasurement } from '../run/measure-load.ts';
import { type Spread, spreadOf } from './statistics.ts';

export type Field =
  | 'requestsPerSecond'
  | 'p50Ms'
  | 'p99Ms'
  | 'cpuUsPerRequest'
  | 'databaseCpuUsPerRequest'
  | 'residentBytes'
  | 'pauseUsPerRequest'
  | 'longestPauseMs';

/** Undefined where there are no numbers. */
export function over(rounds: readonly LoadMeasurement[], field: Field): Spread | undefined {
  return spreadOf(rounds.flatMap((round) => read(round, field) ?? []));
}

/** Each ratio is taken within a round, where both stood under the same load of the machine; then the median of them. */
export function ratioWithin(
  rounds: readonly LoadMeasurement[],
  others: readonly LoadMeasurement[],
  field: Field,
): Spread | undefined {
  return spreadOf(
    rounds.flatMap((one) => {
      const other = others.find((candidate) => candidate.round === one.round);
      const mine = read(one, field);
      const theirs = other === undefined ? null : read(other, field);
      return mine === null || theirs === null || theirs === 0 ? [] : [mine / theirs];
    }),
  );
}

export function errorsOf(rounds: readonly LoadMeasurement[]): number {
  return rounds.reduce((sum, round) => sum + round.errors, 0);
}

function read(measurement: LoadMeasurement, field: Field): number | null {
  return field === 'requestsPerSecond' ? measurement.requests / measurement.seconds : measurement[field];
}
