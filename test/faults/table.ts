/** The results of one or two editions as a page. */
import { arch, cpus, loadavg } from 'node:os';
import type { Grade } from './grade.ts';
import { clients } from './hear.ts';
import { deadlineMs, type FaultResult, type Place, placeNames, places, timeoutsMs } from './run.ts';
import { sixteenFaults } from './sixteen.ts';

export interface Edition {
  /** Heads its columns: "before" and "now". */
  readonly name: string;
  /** With its commit. */
  readonly title: string;
  readonly results: readonly FaultResult[];
}

const grades: readonly Grade[] = ['pass', 'partial', 'safe', 'fail'];

/** @param editions the older one first. */
export function writePage(editions: readonly Edition[], date: Date): string {
  return `${[
    '# Faults of upstreams',
    `Written by \`npm run faults\` on ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC. README.md says what the grades mean.`,
    [
      ...editions.map(({ name, title }) => `- ${name}: ${title}`),
      `- ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores (${arch()}), load average ${(loadavg()[0] ?? 0).toFixed(2)}`,
      `- a provider has ${timeoutsMs.first_byte} ms to begin and ${timeoutsMs.idle} ms between two pieces, the client waits ${deadlineMs} ms`,
    ].join('\n'),
    '## In all',
    writeSums(editions),
    ...placeNames.flatMap((place) => {
      const rows = writeRows(editions, place);
      return rows.length === 0 ? [] : [`## ${places[place]}`, writeTable(headOf(editions), rows)];
    }),
  ].join('\n\n')}\n`;
}

function writeSums(editions: readonly Edition[]): string {
  const rows = placeNames.flatMap((place) =>
    editions.map(({ name, results }) => {
      const here = results.filter((result) => result.place === place);
      const counts = grades.map((grade) => String(here.filter((one) => one.grade === grade).length));
      return [places[place], name, ...counts];
    }),
  );
  return writeTable(['', 'edition', ...grades], rows);
}

const headOf = (editions: readonly Edition[]): readonly string[] => [
  'fault',
  'answer',
  ...clients.flatMap((client) => editions.map(({ name }) => `${client.name}, ${name}`)),
];

function writeRows(editions: readonly Edition[], place: Place): readonly (readonly string[])[] {
  return sixteenFaults.flatMap(({ name }) =>
    [false, true].flatMap((isStreamed) => {
      const cells = clients.flatMap((client) =>
        editions.map(({ results }) =>
          results.find(
            (one) =>
              one.place === place &&
              one.fault === name &&
              one.isStreamed === isStreamed &&
              one.client === client.name,
          ),
        ),
      );
      if (cells.every((cell) => cell === undefined)) return [];
      return [[name, isStreamed ? 'streamed' : 'whole', ...cells.map(writeCell)]];
    }),
  );
}

function writeCell(result: FaultResult | undefined): string {
  if (result === undefined) return '–';
  const { grade, status, why, tookMs } = result;
  const told = grade === 'fail' ? `**fail** (${why})` : [grade, why].filter((text) => text !== '').join(' ');
  return `${told}, ${status === 0 ? 'no status' : status}, ${tookMs.toFixed(0)} ms`;
}

function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
