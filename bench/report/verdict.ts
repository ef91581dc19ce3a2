/** The goals that were set, held against this run. */
import { type Contender, isSluice } from '../contenders/contender.ts';
import { type Measurement, scenarios } from '../run/throughput.ts';
import { withSpread } from './format.ts';
import { ratioWithin, titleOf } from './throughput-tables.ts';

const mostCpuOfBare = 2;
const leastThroughputOfPortkey = 10;

export function writeVerdict(contenders: readonly Contender[], measurements: readonly Measurement[]): string {
  const whole = scenarios.filter(({ form }) => form === 'whole');
  const lines = contenders
    .filter(({ name }) => isSluice(name))
    .flatMap(({ name, title }) =>
      whole.flatMap((scenario) => {
        const pair = { scenario, name };
        const cpu = ratioWithin(measurements, { ...pair, to: 'bare', field: 'cpuUsPerRequest' });
        const speed = ratioWithin(measurements, { ...pair, to: 'portkey', field: 'requestsPerSecond' });
        const about = `${title}, ${titleOf(scenario).toLowerCase()}`;
        return [
          ...(cpu === undefined
            ? []
            : [
                `- ${met(cpu.median <= mostCpuOfBare)}: CPU ${withSpread(cpu)} times the bare proxy (${about})`,
              ]),
          ...(speed === undefined
            ? []
            : [
                `- ${met(speed.median >= leastThroughputOfPortkey)}: requests/s ${withSpread(speed)} times Portkey (${about})`,
              ]),
        ];
      }),
    );
  return lines.length === 0 ? 'Nothing to compare with took part.' : lines.join('\n');
}

function met(isMet: boolean): string {
  return isMet ? 'met' : 'not met';
}
