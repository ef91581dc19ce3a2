/** What conversions may cost, held against this run. */
import type { ConversionMeasurement } from '../run/conversions.ts';
import { isConverted, pairings } from '../run/pairing.ts';
import { scenarios } from '../run/scenario.ts';
import { cpuOfPassthrough } from './conversion-tables.ts';
import { list, withSpread } from './format.ts';
import { titleOf, titleOfPairing } from './titles.ts';

const mostCpuOfPassthrough = 1.5;

export function writeConversionsVerdict(measurements: readonly ConversionMeasurement[]): string[] {
  const lines = scenarios.flatMap((scenario) =>
    pairings.filter(isConverted).flatMap((pairing) => {
      const cpu = cpuOfPassthrough(measurements, { scenario, pairing, side: 'upstream' });
      if (cpu === undefined) return [];
      const about = `${titleOfPairing(pairing)}, ${titleOf(scenario).toLowerCase()}`;
      return [
        `${met(cpu.median <= mostCpuOfPassthrough)}: CPU ${withSpread(cpu)} times passthrough (${about})`,
      ];
    }),
  );
  if (lines.length === 0) return [];
  return [
    `A conversion at most ${mostCpuOfPassthrough} times the CPU of passthrough, by the passthrough with the same upstream protocol, because that one gets the same bytes from the upstream:`,
    list(lines),
  ];
}

function met(isMet: boolean): string {
  return isMet ? 'met' : 'not met';
}
