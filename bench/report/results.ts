/** The results as a page that an engineer can judge. */
import type { Reconciliation } from '../books/reconcile.ts';
import type { Contender } from '../contenders/contender.ts';
import type { BenchOptions } from '../run/options.ts';
import type { SlowMeasurement } from '../run/slow-streams.ts';
import type { Measurement } from '../run/throughput.ts';
import { figure } from './format.ts';
import { writeSlowTable } from './slow-table.ts';
import { writeRatios, writeScenarioTables } from './throughput-tables.ts';
import { writeVerdict } from './verdict.ts';

export interface Results {
  readonly options: BenchOptions;
  readonly contenders: readonly Contender[];
  readonly missing: readonly string[];
  readonly loadTitle: string;
  readonly machine: readonly string[];
  readonly date: Date;
  readonly seconds: number;
  readonly throughput: readonly Measurement[];
  readonly slow: readonly SlowMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

export function writeResults(results: Results): string {
  const { options, contenders, missing, throughput, slow, reconciliations } = results;
  return `${[
    '# Bench results',
    `Written by \`npm run bench\` on ${results.date.toISOString().slice(0, 16).replace('T', ' ')} UTC; the run took ${figure(results.seconds)} s.`,
    list([...results.machine, `load: ${results.loadTitle}`, ...contenders.map(({ title }) => title)]),
    ...(missing.length === 0 ? [] : ['Left out:', list(missing)]),
    '## Method',
    writeMethod(options),
    '## Goals',
    'At most twice the CPU of a bare Bun + Hono proxy, and at least ten times the requests/s of Portkey, in the same run:',
    writeVerdict(contenders, throughput),
    '## Throughput',
    writeScenarioTables(contenders, throughput),
    '## Ratios',
    'Each ratio is taken within a round; the median of the rounds, and the least and the most.',
    writeRatios(contenders, throughput),
    `## ${options.slowStreams.toLocaleString('en')} slow streams at once`,
    `${options.slowChunkDelayMs} ms before each of 100 chunks. Every contender once, freshly started and warmed up by a second of whole answers. "Added" is against the direct row.`,
    writeSlowTable(contenders, slow),
    '## Books',
    "After each act Sluice is stopped, and its usage records and wallet are held against the upstream's own counts.",
    reconciliations.length === 0 ? 'Sluice did not take part.' : reconciliations.map(writeBooks).join('\n'),
  ].join('\n\n')}\n`;
}

function writeMethod({ rounds, seconds, warmUpRequests }: BenchOptions): string {
  return [
    `Client, contender, upstream and database share the machine's cores over loopback, and the machine is shared with other work: compare within this page, not with another page, and read the spread before the median. CPU a request is the steadier number; requests/s depends on what the others leave of the cores, and the fast rows (direct, bare, nginx) are held back by client and upstream rather than by themselves.`,
    `Each contender has an upstream of its own (\`test/support/upstream\`): a fixed answer, or 100 chunks of server-sent events, each written by itself. After a warm-up of some ${warmUpRequests.whole} whole and ${warmUpRequests.streamed} streamed answers (or 2 s of each), ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s for each scenario and contender, in turn. Cells show the median over the rounds, in brackets the least and the most.`,
    'CPU is user and system time of the contender with all its threads and child processes, from /proc, over the requests that were answered; RSS is at the end of a measurement. Sluice runs as it always does: key check, limits, wallet, usage record and log line for every request; it asks the upstream for the usage of a stream and takes that chunk out again. Its embedded database runs in a thread of its own process and is in its CPU; PostgreSQL is listed apart and runs with fsync off. nginx has one worker, kept upstream connections, no buffering and no access log. Portkey gets provider and host by header, keeps no usage, and waits 25 ms before the first piece of a stream by its own design.',
  ].join('\n\n');
}

function writeBooks({ title, books, upstream, complaints }: Reconciliation): string {
  const facts = [
    `${books.records} records (${books.complete} complete, ${books.clientClosed} left by the client) for ${upstream.requests} requests at the upstream`,
    `complete answers booked ${books.ofComplete.promptTokens} + ${books.ofComplete.completionTokens} tokens, the upstream stated ${upstream.promptTokens} + ${upstream.completionTokens}`,
    `deposits ${books.depositsNanoUsd} − charged ${books.chargedNanoUsd} = balance ${books.balanceNanoUsd} nano-USD`,
  ];
  const verdict = complaints.length === 0 ? 'agree' : `DO NOT AGREE (${complaints.join('; ')})`;
  return `- ${title}: ${verdict}. ${facts.join('; ')}.`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
