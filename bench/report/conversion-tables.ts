/** The tables of the third act: one a scenario, with each conversion held against both passthroughs. */
import type { ConversionMeasurement } from '../run/conversions.ts';
import { isConverted, type Pairing, pairings } from '../run/pairing.ts';
import { type Scenario, scenarios } from '../run/scenario.ts';
import { figure, mebibytes, table, withSpread } from './format.ts';
import { errorsOf, over, ratioWithin } from './rounds.ts';
import type { Spread } from './statistics.ts';
import { titleOf, titleOfPairing } from './titles.ts';

const head = [
  'client → upstream',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/request',
  'CPU : passthrough, same upstream',
  'CPU : passthrough, same client',
  'database CPU µs/request',
  'RSS MiB',
  'errors',
];

export function writeConversionTables(measurements: readonly ConversionMeasurement[]): string {
  return scenarios
    .map((scenario) => {
      const rows = pairings.map((pairing) => writeRow(measurements, scenario, pairing));
      return `### Conversions: ${titleOf(scenario).toLowerCase()}\n\n${table(head, rows)}`;
    })
    .join('\n\n');
}

function writeRow(
  measurements: readonly ConversionMeasurement[],
  scenario: Scenario,
  pairing: Pairing,
): string[] {
  const rounds = roundsOf(measurements, scenario, pairing);
  const ratio = (side: keyof Pairing) =>
    isConverted(pairing) ? cpuOfPassthrough(measurements, { scenario, pairing, side }) : undefined;
  return [
    titleOfPairing(pairing),
    withSpread(over(rounds, 'requestsPerSecond')),
    figure(over(rounds, 'p50Ms')?.median),
    figure(over(rounds, 'p99Ms')?.median),
    withSpread(over(rounds, 'cpuUsPerRequest')),
    withSpread(ratio('upstream')),
    withSpread(ratio('client')),
    figure(over(rounds, 'databaseCpuUsPerRequest')?.median),
    mebibytes(over(rounds, 'residentBytes')?.median),
    String(errorsOf(rounds)),
  ];
}

/** @param options.side which side of the conversion the passthrough speaks on both of its own. */
export function cpuOfPassthrough(
  measurements: readonly ConversionMeasurement[],
  { scenario, pairing, side }: { scenario: Scenario; pairing: Pairing; side: keyof Pairing },
): Spread | undefined {
  const passthrough = { client: pairing[side], upstream: pairing[side] };
  return ratioWithin(
    roundsOf(measurements, scenario, pairing),
    roundsOf(measurements, scenario, passthrough),
    'cpuUsPerRequest',
  );
}

function roundsOf(
  measurements: readonly ConversionMeasurement[],
  scenario: Scenario,
  { client, upstream }: Pairing,
): ConversionMeasurement[] {
  return measurements.filter(
    (one) => one.scenario === scenario && one.pairing.client === client && one.pairing.upstream === upstream,
  );
}
