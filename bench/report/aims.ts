/** The aims of this project held against the run: one line each, before and now. */
import type { ContenderName } from '../contenders/contender.ts';
import type { InsideMeasurement } from '../run/inside.ts';
import type { ScalingMeasurement } from '../run/scaling.ts';
import { type Scenario, scenarios } from '../run/scenario.ts';
import type { SlowMeasurement } from '../run/slow-streams.ts';
import type { Measurement } from '../run/throughput.ts';
import { figure, table, withSpread } from './format.ts';
import type { Field } from './rounds.ts';
import { speedUp } from './scaling-table.ts';
import { ratioTo } from './throughput-tables.ts';
import { titleOf } from './titles.ts';

export interface AimsEvidence {
  readonly throughput: readonly Measurement[];
  readonly inside: readonly InsideMeasurement[];
  readonly slow: readonly SlowMeasurement[];
  readonly scaling: readonly ScalingMeasurement[];
}

interface Aim {
  readonly title: string;
  /** Absent where a figure is told without being an aim. */
  readonly most?: number;
  readonly least?: number;
  readonly stretch?: number;
  /** Who is held against it. */
  readonly of: 'sluice' | 'sluice-postgres';
  read(name: ContenderName): { readonly value: number; readonly text: string } | undefined;
}

/** Empty when there is nothing to hold against an aim. */
export function writeAims(evidence: AimsEvidence): string[] {
  const rows = aimsOf(evidence).flatMap((aim) => {
    const before = aim.read(`${aim.of}-before`);
    const now = aim.read(aim.of);
    return now === undefined
      ? []
      : [[aim.title, goalOf(aim), before?.text ?? '–', now.text, verdictOn(aim, now)]];
  });
  if (rows.length === 0) return [];
  return [
    'Ratios are taken within a round; told is the median of the rounds, in brackets the least and the most.',
    table(['', 'aim', 'before', 'now', 'met'], rows),
  ];
}

const databases = [
  ['sluice-postgres', 'PostgreSQL'],
  ['sluice', 'embedded database'],
] as const;

function aimsOf({ throughput, inside, slow, scaling }: AimsEvidence): readonly Aim[] {
  const ratio = (scenario: Scenario, to: ContenderName, field: Field) => (name: ContenderName) => {
    const spread = ratioTo(throughput, { scenario, name, to, field });
    return spread === undefined ? undefined : { value: spread.median, text: withSpread(spread) };
  };
  const ofInside = (form: InsideMeasurement['form'], field: 'longestTurnMs' | 'objectsPerRequest') =>
    plain((name) => inside.find((one) => one.name === name && one.form === form)?.[field]);
  const cpu = databases.flatMap(([of, database]) =>
    scenarios.map((scenario): Aim => {
      const most = scenario.form === 'streamed' ? 1.1 : of === 'sluice' ? 2.2 : 1.6;
      const isStretched = most === 1.6;
      return {
        title: `CPU : bare proxy, ${titleOf(scenario).toLowerCase()}, ${database}`,
        // The embedded database's share of a stream is no aim.
        ...(of === 'sluice' && scenario.form === 'streamed' ? {} : { most }),
        ...(isStretched && { stretch: 1.3 }),
        of,
        read: ratio(scenario, 'bare', 'cpuUsPerRequest'),
      };
    }),
  );
  const busy = scenarios.filter(({ connections }) => connections > 1);
  const whole = busy.filter(({ form }) => form === 'whole');
  return [
    ...cpu,
    ...whole.map(
      (scenario): Aim => ({
        title: `requests/s : Portkey, ${titleOf(scenario).toLowerCase()}, PostgreSQL`,
        least: 12,
        of: 'sluice-postgres',
        read: ratio(scenario, 'portkey', 'requestsPerSecond'),
      }),
    ),
    ...busy.map(
      (scenario): Aim => ({
        title: `p99 : bare proxy, ${titleOf(scenario).toLowerCase()}, PostgreSQL`,
        most: 1.2,
        of: 'sluice-postgres',
        read: ratio(scenario, 'bare', 'p99Ms'),
      }),
    ),
    ...databases.flatMap(([of, database]): Aim[] => [
      {
        title: `longest turn of the event loop in ms under 20,000 chunks/s, ${database}`,
        most: 20,
        of,
        read: plain((name) => slow.find((one) => one.name === name)?.longestTurnMs),
      },
      {
        title: `/health at most in ms under 20,000 chunks/s, ${database}`,
        of,
        read: plain((name) => slow.find((one) => one.name === name)?.health?.latenciesMs.at(-1)),
      },
    ]),
    {
      title: 'objects a whole answer, PostgreSQL',
      of: 'sluice-postgres',
      read: ofInside('whole', 'objectsPerRequest'),
    },
    {
      title: 'longest turn of the event loop in ms, whole answers at 32 connections, PostgreSQL',
      of: 'sluice-postgres',
      read: ofInside('whole', 'longestTurnMs'),
    },
    {
      title: 'requests/s : one process, two workers, upstream-bound work, PostgreSQL',
      least: 1.7,
      of: 'sluice-postgres',
      read: (name) => {
        const spread = name === 'sluice-postgres' ? speedUp(scaling) : undefined;
        return spread === undefined ? undefined : { value: spread.median, text: withSpread(spread) };
      },
    },
  ];
}

function plain(read: (name: ContenderName) => number | null | undefined): Aim['read'] {
  return (name) => {
    const value = read(name) ?? undefined;
    return value === undefined ? undefined : { value, text: figure(value) };
  };
}

function goalOf({ most, least, stretch }: Aim): string {
  if (least !== undefined) return `≥ ${least}`;
  if (most === undefined) return '–';
  return stretch === undefined ? `≤ ${most}` : `≤ ${most}, stretch ${stretch}`;
}

function verdictOn({ most, least, stretch }: Aim, { value }: { readonly value: number }): string {
  if (least !== undefined) return value >= least ? 'yes' : 'no';
  if (most === undefined) return '–';
  if (stretch !== undefined && value <= stretch) return 'stretch';
  return value <= most ? 'yes' : 'no';
}
