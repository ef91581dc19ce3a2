/** The results as a page that an engineer can judge. */
import type { Reconciliation } from '../books/reconcile.ts';
import type { Contender } from '../contenders/contender.ts';
import type { ConversionMeasurement } from '../run/conversions.ts';
import type { InsideMeasurement } from '../run/inside.ts';
import type { Act, BenchOptions } from '../run/options.ts';
import { type ScalingMeasurement, scalingConnections, shareOfCore, upstreamDelayMs } from '../run/scaling.ts';
import type { SlowMeasurement } from '../run/slow-streams.ts';
import type { Measurement } from '../run/throughput.ts';
import { writeAims } from './aims.ts';
import { writeConversionTables } from './conversion-tables.ts';
import { figure, list } from './format.ts';
import { writeInsideTable } from './inside-table.ts';
import { writeMethod } from './method.ts';
import { writeScalingTable } from './scaling-table.ts';
import { writeSlowTable } from './slow-table.ts';
import { writeRatios, writeScenarioTables } from './throughput-tables.ts';
import { writeConversionsVerdict } from './verdict.ts';

export interface Results {
  readonly options: BenchOptions;
  readonly contenders: readonly Contender[];
  readonly missing: readonly string[];
  readonly loadTitle: string;
  readonly machine: readonly string[];
  readonly date: Date;
  readonly seconds: number;
  readonly throughput: readonly Measurement[];
  readonly inside: readonly InsideMeasurement[];
  readonly slow: readonly SlowMeasurement[];
  readonly conversions: readonly ConversionMeasurement[];
  readonly scaling: readonly ScalingMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

export function writeResults(results: Results): string {
  const { options, contenders, missing, reconciliations } = results;
  const aims = [...writeAims(results), ...writeConversionsVerdict(results.conversions)];
  return `${[
    '# Bench results',
    `Written by \`npm run bench\` on ${results.date.toISOString().slice(0, 16).replace('T', ' ')} UTC; the run took ${figure(results.seconds)} s.`,
    list([...results.machine, `load: ${results.loadTitle}`, ...contenders.map(({ title }) => title)]),
    ...(missing.length === 0 ? [] : ['Left out:', list(missing)]),
    '## Method',
    writeMethod(options),
    ...(aims.length === 0 ? [] : ['## Aims', ...aims]),
    ...options.acts.flatMap((act) => writeAct[act](results)),
    '## Books',
    "After each act Sluice is stopped, and its usage records and wallet are held against the upstream's own counts.",
    reconciliations.length === 0 ? 'Sluice did not take part.' : list(reconciliations.map(writeBooks)),
  ].join('\n\n')}\n`;
}

/** Paragraphs for each act. */
type ActWriters = Readonly<Record<Act, (results: Results) => readonly string[]>>;

const writeAct: ActWriters = {
  throughput: ({ contenders, throughput, inside }) => [
    '## Throughput',
    writeScenarioTables(contenders, throughput),
    '## Inside',
    'Measured after the rounds, once: the longest turn of the event loop at 32 connections, and the objects that one request makes.',
    writeInsideTable(contenders, inside),
    '## Ratios',
    'Each ratio is taken within a round; the median of the rounds, and the least and the most.',
    writeRatios(contenders, throughput),
  ],
  slow: ({ options, contenders, slow }) => [
    `## ${options.slowStreams.toLocaleString('en')} slow streams at once`,
    `${options.slowChunkDelayMs} ms before each of 100 chunks. Every contender once, freshly started and warmed up by a second of whole answers. "Added" is against the direct row.`,
    writeSlowTable(contenders, slow),
  ],
  conversions: ({ conversions }) => [
    '## Conversions',
    conversions.length === 0
      ? 'Sluice did not take part.'
      : 'Ratios are taken within a round. Against the passthrough with the same upstream, Sluice reads the same bytes; against the one with the same client, it is asked the same and answers alike.',
    ...(conversions.length === 0 ? [] : [writeConversionTables(conversions)]),
  ],
  scaling: ({ scaling }) => [
    '## A second process',
    `Whole answers over ${scalingConnections} connections, of an upstream that takes ${upstreamDelayMs} ms. Client, upstream and database leave no core to a second process on a small machine; so, after a warm-up at full speed, each process of Sluice is held to ${100 * shareOfCore} % of a core (control groups), and what two of them serve is held against what one serves.`,
    scaling.length === 0
      ? 'Not measured: it takes a PostgreSQL server, and leave to make control groups.'
      : writeScalingTable(scaling),
  ],
};

function writeBooks({ title, books, upstream, complaints }: Reconciliation): string {
  if (books === null)
    return `${title}: not checked, because that commit's own bench could not read its books.`;
  const facts = [
    `${books.records} records (${books.complete} complete, ${books.clientClosed} left by the client) for ${upstream.requests} requests at the upstream`,
    `complete answers booked ${books.ofComplete.promptTokens} + ${books.ofComplete.completionTokens} tokens, the upstream stated ${upstream.promptTokens} + ${upstream.completionTokens}`,
    `deposits ${books.depositsNanoUsd} − charged ${books.chargedNanoUsd} = balance ${books.balanceNanoUsd} nano-USD`,
  ];
  const verdict = complaints.length === 0 ? 'agree' : `DO NOT AGREE (${complaints.join('; ')})`;
  return `${title}: ${verdict}. ${facts.join('; ')}.`;
}
