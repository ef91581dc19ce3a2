/** `sluice usage …`: sums of usage, the request log as CSV, and how large it is. */
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { streamCsv } from '../../usage/index.ts';
import { dollars, type OutputOptions, printJson, printLines, printTable } from './output.ts';
import { usageGroupings } from './usage-command.ts';
import { wholeNumber } from './whole-number.ts';

type UsageCommandName = 'usage report' | 'usage rows' | 'usage size';
type AskCommand = (name: UsageCommandName, input: unknown) => Promise<unknown>;
type WithCommands = <Result>(work: (ask: AskCommand) => Promise<Result>) => Promise<Result>;

const dayMs = 86_400_000;
const usualDays = 30;

interface SpanOptions {
  readonly from?: string;
  readonly to?: string;
}

export function addUsageCommands(program: Command, withCommands: WithCommands): void {
  const usage = program.command('usage').description('what requests used');
  addFilters(usage.command('report').description('sums of a span of time, by day or hour where asked'))
    .option('--by <what>', `one line for each: ${usageGroupings.join(', ')}`)
    .option('--every <span>', 'one line for each day or hour')
    .option('--limit <count>', 'at most so many, those that cost most; 50 when not given', wholeNumber)
    .option('--json', 'print JSON')
    .action(async ({ json, by, every, limit, ...options }) => {
      const { span, where } = readFilters(options);
      const input = { ...spanOf(span), by, every, limit, where };
      const report = usageReport.parse(await withCommands((ask) => ask('usage report', input)));
      if (json) return printJson(report);
      const { from = input.from, to = input.to } = report;
      const isWhole = isSameTime(from, input.from) && isSameTime(to, input.to);
      const isNamed = report.rows.some(({ name }) => name !== undefined);
      printTable(
        [
          ...[
            'FROM',
            (by ?? 'all').toUpperCase(),
            ...(isNamed ? ['NAME'] : []),
            'REQUESTS',
            'ERRORS',
            'INPUT',
            'OUTPUT',
            'COST',
          ],
          ...['P50 MS', 'P95 MS', 'FIRST BYTE P50', 'P95', 'TOKENS/S'],
        ],
        report.rows.map((row) => [
          ...[
            row.at ?? (isWhole ? input.from : from),
            row.group ?? none,
            ...(isNamed ? [row.name ?? none] : []),
          ],
          ...[String(row.requests), String(row.errors)],
          ...[
            String(row.inputTokens + row.cacheReadTokens + row.cacheWrite5mTokens + row.cacheWrite1hTokens),
          ],
          ...[String(row.outputTokens), dollars(row.costUsd)],
          ...[figure(row.durationMs?.p50), figure(row.durationMs?.p95)],
          ...[figure(row.firstByteMs?.p50), figure(row.firstByteMs?.p95), figure(row.tokensPerSecond?.p50)],
        ]),
      );
      if (report.hasMore) printLines(['', 'There are more; --limit takes up to 500.']);
      // A span that ends now is not over, and nobody needs to be told.
      if (!isWhole && options.to !== undefined) {
        printLines(['', `Usage is summed by the hour or the day: this is of ${from} to ${to}.`]);
      }
    });
  addFilters(usage.command('export').description('the request log as CSV, the newest first'))
    .option('--session <id>', 'of this session alone')
    .option('--journal <id>', 'of a batch, as `wallet statement --batches` numbers it', wholeNumber)
    .action(async ({ session, journal, ...options }) => {
      const { span, where } = readFilters(options);
      await withCommands(async (ask) => {
        const lines = streamCsv(async (before) =>
          csvPage.parse(await ask('usage rows', { ...span, before, where: { ...where, session, journal } })),
        );
        for await (const line of lines) await print(line);
      });
    });
  usage
    .command('size')
    .description('how large the request log and the books are, and how they grow')
    .option('--json', 'print JSON')
    .action(async ({ json }: OutputOptions) => {
      const size = usageSize.parse(await withCommands((ask) => ask('usage size', {})));
      if (json) printJson(size);
      else printSize(size);
    });
}

function addFilters(command: Command): Command {
  return command
    .option('--from <time>', 'a day such as 2027-01-31, or a time with a zone such as 2027-01-31T12:00:00Z')
    .option('--to <time>', 'the same; what came then is not in it any more')
    .option('--user <id>', 'of this account alone, by its number', wholeNumber)
    .option('--organisation <id>', 'the same of an organisation', wholeNumber)
    .option('--department <id>', 'the same of a department', wholeNumber)
    .option('--project <id>', 'the same of a project', wholeNumber)
    .option('--key <id>', 'the same of an API key', wholeNumber)
    .option('--model <id>', 'the same of a model')
    .option('--provider <name>', 'the same of a provider')
    .option('--status <code>', 'the same of an HTTP status', wholeNumber)
    .option('--tag <tag>', 'the same of a tag')
    .option('--end-user <id>', 'the same of whom a client asked for');
}

function readFilters({ from, to, ...where }: SpanOptions & Readonly<Record<string, unknown>>): {
  readonly span: SpanOptions;
  readonly where: Readonly<Record<string, unknown>>;
} {
  return { span: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }, where };
}

/** The last thirty days where nothing is said. */
function spanOf({ from, to }: SpanOptions): { readonly from: string; readonly to: string } {
  const end = to ?? new Date(systemClock.nowMs()).toISOString();
  const endMs = Date.parse(end);
  const usual = () => new Date(Math.floor(endMs / dayMs) * dayMs - (usualDays - 1) * dayMs).toISOString();
  // What is no time is refused where times are checked.
  return { from: from ?? (Number.isNaN(endMs) ? end : usual()), to: end };
}

/** Waits for whoever reads it, so that no more of a long log is held than is read. */
async function print(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()));
}

function printSize({ partitions, sums, books, ...all }: z.infer<typeof usageSize>): void {
  printTable(
    ['TABLE', 'FROM', 'TO', 'ROWS', 'BYTES'],
    [
      ...partitions.map(({ name, from, to, rows, bytes }) => [
        ...[name, day(from), day(to), String(rows), String(bytes)],
      ]),
      ...[...sums, ...books].map(({ name, rows, bytes }) => [name, none, none, String(rows), String(bytes)]),
    ],
  );
  printLines([
    '',
    `${all.rows} requests, ${all.bytes} bytes with their sums and indexes.`,
    all.doublesInDays === null
      ? 'It has not grown on any whole day of the last thirty.'
      : `It grows by ${all.requestsADay} requests and ${all.bytesADay} bytes a day: twice as much in ${all.doublesInDays} days, if nothing is dropped.`,
    `The books beside it have ${books.reduce((sum, { bytes }) => sum + bytes, 0)} bytes: they grow with batches of requests that are charged and who pays in each, and nothing of them is dropped.`,
  ]);
}

const isSameTime = (one: string, other: string): boolean => Date.parse(one) === Date.parse(other);

const none = '-';
const day = (time: string | null): string => time?.slice(0, 10) ?? none;
const figure = (value: number | undefined): string =>
  value === undefined ? none : String(Number(value.toPrecision(3)));

const spread = z.object({ count: z.number(), p50: z.number(), p95: z.number() }).nullable();
const usageReport = z.object({
  rows: z.array(
    z.looseObject({
      at: z.string().nullable(),
      group: z.string().nullable(),
      /** Of a group that is told by its number; null where it has none any more. */
      name: z.string().nullable().optional(),
      requests: z.number(),
      errors: z.number(),
      inputTokens: z.number(),
      cacheReadTokens: z.number(),
      cacheWrite5mTokens: z.number(),
      cacheWrite1hTokens: z.number(),
      outputTokens: z.number(),
      costUsd: z.string(),
      durationMs: spread,
      firstByteMs: spread,
      tokensPerSecond: spread,
    }),
  ),
  hasMore: z.boolean(),
  /** What was summed; a server of before does not say it. */
  from: z.string().optional(),
  to: z.string().optional(),
});
const csvPage = z.object({ lines: z.array(z.string()), next: z.string().nullable() });
const part = z.object({ name: z.string(), rows: z.number(), bytes: z.number() });
const usageSize = z.object({
  partitions: z.array(part.extend({ from: z.string().nullable(), to: z.string().nullable() })),
  sums: z.array(part),
  books: z.array(part),
  rows: z.number(),
  bytes: z.number(),
  requestsADay: z.number(),
  bytesADay: z.number(),
  doublesInDays: z.number().nullable(),
});
