/** The tables of the first act: one a scenario, and the ratios. */
import { type Contender, type ContenderName, isSluice } from '../contenders/contender.ts';
import { type Measurement, type Scenario, scenarios } from '../run/throughput.ts';
import { figure, mebibytes, table, withSpread } from './format.ts';
import { type Spread, spreadOf } from './statistics.ts';

const head = [
  '',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/request',
  'database CPU µs/request',
  'RSS MiB',
  'errors',
];

type Field =
  | 'requestsPerSecond'
  | 'p50Ms'
  | 'p99Ms'
  | 'cpuUsPerRequest'
  | 'databaseCpuUsPerRequest'
  | 'residentBytes';

export function writeScenarioTables(
  contenders: readonly Contender[],
  measurements: readonly Measurement[],
): string {
  return scenarios
    .map((scenario) => {
      const rows = contenders.map(({ name, title }) => [
        title,
        ...writeRow(measurements.filter((one) => one.name === name && one.scenario === scenario)),
      ]);
      return `### ${titleOf(scenario)}\n\n${table(head, rows)}`;
    })
    .join('\n\n');
}

function writeRow(rounds: readonly Measurement[]): string[] {
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
  return [
    withSpread(over(rounds, 'requestsPerSecond')),
    figure(over(rounds, 'p50Ms')?.median),
    figure(over(rounds, 'p99Ms')?.median),
    withSpread(over(rounds, 'cpuUsPerRequest')),
    figure(over(rounds, 'databaseCpuUsPerRequest')?.median),
    mebibytes(over(rounds, 'residentBytes')?.median),
    String(errors),
  ];
}

/** Each ratio is taken within a round, where both stood under the same load of the machine; then the median of them. */
export function writeRatios(contenders: readonly Contender[], measurements: readonly Measurement[]): string {
  const sluices = contenders.filter(({ name }) => isSluice(name));
  const rows = scenarios.flatMap((scenario) =>
    sluices.map(({ name, title }) => {
      const ratio = (to: ContenderName, field: Field) =>
        withSpread(ratioWithin(measurements, { scenario, name, to, field }));
      return [
        `${titleOf(scenario)}: ${title}`,
        ratio('bare', 'cpuUsPerRequest'),
        ratio('nginx', 'cpuUsPerRequest'),
        ratio('portkey', 'cpuUsPerRequest'),
        ratio('bare', 'requestsPerSecond'),
        ratio('nginx', 'requestsPerSecond'),
        ratio('portkey', 'requestsPerSecond'),
      ];
    }),
  );
  const columns = ['CPU', 'requests/s'].flatMap((what) =>
    ['bare proxy', 'nginx', 'Portkey'].map((whom) => `${what} : ${whom}`),
  );
  return table(['', ...columns], rows);
}

export function ratioWithin(
  measurements: readonly Measurement[],
  pair: { scenario: Scenario; name: ContenderName; to: ContenderName; field: Field },
): Spread | undefined {
  const { scenario, name, to, field } = pair;
  const ofScenario = measurements.filter((one) => one.scenario === scenario);
  return spreadOf(
    ofScenario
      .filter((one) => one.name === name)
      .flatMap((one) => {
        const other = ofScenario.find((candidate) => candidate.name === to && candidate.round === one.round);
        const mine = read(one, field);
        const theirs = other === undefined ? null : read(other, field);
        return mine === null || theirs === null || theirs === 0 ? [] : [mine / theirs];
      }),
  );
}

export function titleOf({ form, connections }: Scenario): string {
  const what = form === 'whole' ? 'Whole answers' : 'Streams of 100 chunks';
  return `${what}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
}

function over(rounds: readonly Measurement[], field: Field): Spread | undefined {
  return spreadOf(rounds.flatMap((round) => read(round, field) ?? []));
}

function read(measurement: Measurement, field: Field): number | null {
  return field === 'requestsPerSecond' ? measurement.requests / measurement.seconds : measurement[field];
}
