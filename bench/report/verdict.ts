/** The goals that were set, held against this run. */
import { type Contender, isSluice } from '../contenders/contender.ts';
import type { ConversionMeasurement } from '../run/conversions.ts';
import { isConverted, pairings } from '../run/pairing.ts';
import { scenarios } from '../run/scenario.ts';
import type { Measurement } from '../run/throughput.ts';
import { cpuOfPassthrough } from './conversion-tables.ts';
import { list, withSpread } from './format.ts';
import { ratioTo } from './throughput-tables.ts';
import { titleOf, titleOfPairing } from './titles.ts';

const mostCpuOfBare = 2;
const leastThroughputOfPortkey = 10;
const mostCpuOfPassthrough = 1.5;

/** Paragraphs: the goals, and whether they are met. */
export function writeThroughputVerdict(
  contenders: readonly Contender[],
  measurements: readonly Measurement[],
): string[] {
  const whole = scenarios.filter(({ form }) => form === 'whole');
  const lines = contenders
    .filter(({ name }) => isSluice(name))
    .flatMap(({ name, title }) =>
      whole.flatMap((scenario) => {
        const pair = { scenario, name };
        const cpu = ratioTo(measurements, { ...pair, to: 'bare', field: 'cpuUsPerRequest' });
        const speed = ratioTo(measurements, { ...pair, to: 'portkey', field: 'requestsPerSecond' });
        const about = `${title}, ${titleOf(scenario).toLowerCase()}`;
        return [
          ...(cpu === undefined
            ? []
            : [
                `${met(cpu.median <= mostCpuOfBare)}: CPU ${withSpread(cpu)} times the bare proxy (${about})`,
              ]),
          ...(speed === undefined
            ? []
            : [
                `${met(speed.median >= leastThroughputOfPortkey)}: requests/s ${withSpread(speed)} times Portkey (${about})`,
              ]),
        ];
      }),
    );
  return [
    'At most twice the CPU of a bare Bun + Hono proxy, and at least ten times the requests/s of Portkey, in the same run:',
    listOfVerdicts(lines),
  ];
}

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
  return [
    `A conversion at most ${mostCpuOfPassthrough} times the CPU of passthrough, by the passthrough with the same upstream protocol, because that one gets the same bytes from the upstream:`,
    listOfVerdicts(lines),
  ];
}

function listOfVerdicts(lines: readonly string[]): string {
  return lines.length === 0 ? 'Nothing to compare with took part.' : list(lines);
}

function met(isMet: boolean): string {
  return isMet ? 'met' : 'not met';
}
