/** A line on the terminal for each measurement, as it is made. */
import type { ConversionMeasurement } from '../run/conversions.ts';
import type { LoadMeasurement } from '../run/measure-load.ts';
import { type ScalingMeasurement, scalingConnections } from '../run/scaling.ts';
import type { Scenario } from '../run/scenario.ts';
import type { SlowMeasurement } from '../run/slow-streams.ts';
import type { Measurement } from '../run/throughput.ts';
import { figure } from './format.ts';
import { quantile } from './statistics.ts';
import { titleOf, titleOfPairing } from './titles.ts';

export function tellMeasurement({ name, ...measured }: Measurement): void {
  tellLoad(name, measured);
}

export function tellConversion({ pairing, ...measured }: ConversionMeasurement): void {
  tellLoad(titleOfPairing(pairing), measured);
}

export function tellScaling({ processes, ...measured }: ScalingMeasurement): void {
  const scenario: Scenario = { form: 'whole', connections: scalingConnections };
  tellLoad(`${processes} of Sluice's processes`, { ...measured, scenario });
}

export function tellSlowMeasurement({ name, complete, seconds, firstEventMs }: SlowMeasurement): void {
  const firstEvent = figure(quantile(firstEventMs, 0.5));
  console.log(
    `slow streams: ${name} ${complete} complete in ${figure(seconds)} s, first event ${firstEvent} ms`,
  );
}

function tellLoad(who: string, measured: LoadMeasurement & { readonly scenario: Scenario }): void {
  const { scenario, round, requests, seconds, p99Ms, cpuUsPerRequest, errors } = measured;
  console.log(
    `round ${round + 1}, ${titleOf(scenario)}: ${who} ${figure(requests / seconds)}/s, p99 ${figure(p99Ms)} ms, ` +
      `${figure(cpuUsPerRequest)} µs CPU${errors === 0 ? '' : `, ${errors} errors`}`,
  );
}
