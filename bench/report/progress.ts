/** A line on the terminal for each measurement, as it is made. */
import type { SlowMeasurement } from '../run/slow-streams.ts';
import type { Measurement } from '../run/throughput.ts';
import { figure } from './format.ts';
import { quantile } from './statistics.ts';
import { titleOf } from './throughput-tables.ts';

export function tellMeasurement({ scenario, name, round, ...measured }: Measurement): void {
  const { requests, seconds, p99Ms, cpuUsPerRequest, errors } = measured;
  console.log(
    `round ${round + 1}, ${titleOf(scenario)}: ${name} ${figure(requests / seconds)}/s, p99 ${figure(p99Ms)} ms, ` +
      `${figure(cpuUsPerRequest)} µs CPU${errors === 0 ? '' : `, ${errors} errors`}`,
  );
}

export function tellSlowMeasurement({ name, complete, seconds, firstEventMs }: SlowMeasurement): void {
  const firstEvent = figure(quantile(firstEventMs, 0.5));
  console.log(
    `slow streams: ${name} ${complete} complete in ${figure(seconds)} s, first event ${firstEvent} ms`,
  );
}
