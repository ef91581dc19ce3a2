/** The tables of the first act: one a scenario, and the ratios. */
import { type Contender, type ContenderName, isSluice } from '../contenders/contender.ts';
import { type Scenario, scenarios } from '../run/scenario.ts';
import type { Measurement } from '../run/throughput.ts';
import { figure, mebibytes, table, withSpread } from './format.ts';
import { errorsOf, type Field, over, ratioWithin } from './rounds.ts';
import type { Spread } from './statistics.ts';
import { titleOf } from './titles.ts';

const head = [
  '',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/request',
  'database CPU µs/request',
  'collector pauses µs/request',
  'longest ms',
  'RSS MiB',
  'errors',
];

export function writeScenarioTables(
  contenders: readonly Contender[],
  measurements: readonly Measurement[],
): string {
  return scenarios
    .map((scenario) => {
      const rows = contenders.map(({ name, title }) => [
        title,
        ...writeRow(roundsOf(measurements, scenario, name)),
      ]);
      return `### ${titleOf(scenario)}\n\n${table(head, rows)}`;
    })
    .join('\n\n');
}

function writeRow(rounds: readonly Measurement[]): string[] {
  return [
    withSpread(over(rounds, 'requestsPerSecond')),
    figure(over(rounds, 'p50Ms')?.median),
    figure(over(rounds, 'p99Ms')?.median),
    withSpread(over(rounds, 'cpuUsPerRequest')),
    figure(over(rounds, 'databaseCpuUsPerRequest')?.median),
    figure(over(rounds, 'pauseUsPerRequest')?.median),
    figure(over(rounds, 'longestPauseMs')?.most),
    mebibytes(over(rounds, 'residentBytes')?.median),
    String(errorsOf(rounds)),
  ];
}

export function writeRatios(contenders: readonly Contender[], measurements: readonly Measurement[]): string {
  const sluices = contenders.filter(({ name }) => isSluice(name));
  const rows = scenarios.flatMap((scenario) =>
    sluices.map(({ name, title }) => {
      const ratio = (to: ContenderName, field: Field) =>
        withSpread(ratioTo(measurements, { scenario, name, to, field }));
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

export function ratioTo(
  measurements: readonly Measurement[],
  pair: { scenario: Scenario; name: ContenderName; to: ContenderName; field: Field },
): Spread | undefined {
  const { scenario, name, to, field } = pair;
  return ratioWithin(roundsOf(measurements, scenario, name), roundsOf(measurements, scenario, to), field);
}

function roundsOf(
  measurements: readonly Measurement[],
  scenario: Scenario,
  name: ContenderName,
): Measurement[] {
  return measurements.filter((one) => one.name === name && one.scenario === scenario);
}
