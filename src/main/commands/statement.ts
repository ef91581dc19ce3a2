/** `sluice wallet statement`, `reverse`, `check`, `holders` and `release`. */
import type { Command } from 'commander';
import { z } from 'zod';
import { mostStatementLines } from '../../ledger/index.ts';
import type { RunCommand } from './admin-command.ts';
import { dollars, type OutputOptions, printJson, printLines, printTable, warnOnError } from './output.ts';

interface StatementOptions extends OutputOptions {
  readonly owner: string;
  readonly days: string;
  readonly to?: string;
  readonly batches?: true;
}

export function addStatementCommands(wallet: Command, run: RunCommand): void {
  wallet
    .command('statement')
    .description('what came in and went out, with the balance after each; usage is a line a day')
    .requiredOption('--owner <email>', 'the account')
    .option('--days <number>', 'of the last so many days', '31')
    .option('--to <time>', 'up to a day or moment, which is not in it any more; up to now when not given')
    .option('--batches', 'usage a line a batch, whose requests `usage export --journal` tells')
    .option('--json', 'print JSON')
    .action(async ({ owner, days, to, batches, json }: StatementOptions) => {
      const input = { owner, days: Number(days), to, isByBatch: batches === true };
      const lines = statementLines.parse(await run('wallet statement', input));
      const cut = `Only the newest ${mostStatementLines} lines are shown; ask for fewer days, or for those before with --to.`;
      const isCut = lines.length >= mostStatementLines;
      if (json) {
        if (isCut) warnOnError(cut);
        return printJson(lines);
      }
      printTable(
        ['JOURNAL', 'WHAT', 'WHEN', 'REQUESTS', 'AMOUNT', 'BALANCE', 'NOTE'],
        lines.map((line) => [
          line.journalId === null ? '-' : String(line.journalId),
          line.kind,
          line.at,
          line.requests === null ? '-' : String(line.requests),
          dollars(line.usd),
          dollars(line.balanceUsd),
          line.note,
        ]),
      );
      if (isCut) printLines(['', cut]);
    });
  wallet
    .command('reverse')
    .description('take a deposit, a refund, an adjustment or a transfer back, by a journal of its own')
    .requiredOption('--journal <id>', 'as the statement shows it')
    .requiredOption('--reference <text>', 'names the reason; the same reference reverses once')
    .option('--json', 'print JSON')
    .action(async ({ journal, reference, json }: OutputOptions & { journal: string; reference: string }) => {
      const input = { journal: Number(journal), reference };
      const { isNew } = reversedJournal.parse(await run('wallet reverse', input));
      if (json) printJson({ journal, isNew });
      else
        printLines([
          isNew ? `Journal ${journal} is reversed.` : 'It was reversed before; nothing was changed.',
        ]);
    });
  wallet
    .command('check')
    .description('add up all books; the exit code is 1 when they do not agree')
    .option('--json', 'print JSON')
    .action(async ({ json }: OutputOptions) => {
      const breaches = foundBreaches.parse(await run('wallet check', {}));
      if (json) printJson(breaches);
      else if (breaches.length === 0) printLines(['The books agree.']);
      else
        printLines(
          breaches.flatMap(({ rule, where }) => [`Not so: ${rule}`, ...where.map((place) => `  ${place}`)]),
        );
      if (breaches.length > 0) process.exitCode = 1;
    });
  addHolderCommands(wallet, run);
}

function addHolderCommands(wallet: Command, run: RunCommand): void {
  wallet
    .command('holders')
    .description('the processes that have money of wallets set aside for their requests')
    .option('--json', 'print JSON')
    .action(async ({ json }: OutputOptions) => {
      const holders = listedHolders.parse(await run('wallet holders', {}));
      if (json) return printJson(holders);
      printTable(
        ['ID', 'HOST', 'SEEN', 'LEASED', 'TAKEN OVER'],
        holders.map(({ id, host, seenAt, leasedUsd, fencedAt }) => [
          String(id),
          host,
          seenAt,
          dollars(leasedUsd),
          fencedAt ?? '-',
        ]),
      );
    });
  wallet
    .command('release')
    .description('give back what a process had that died and whose data folder is lost')
    .requiredOption('--holder <id>', 'as `wallet holders` shows it')
    .option('--json', 'print JSON')
    .action(async ({ holder, json }: OutputOptions & { holder: string }) => {
      const released = releasedHolder.parse(await run('wallet release', { holder: Number(holder) }));
      if (json) printJson(released);
      else
        printLines([
          `What process ${released.id} on ${released.host} had, ${dollars(released.releasedUsd)}, is back.`,
        ]);
    });
}

const statementLines = z.array(
  z.object({
    journalId: z.number().nullable(),
    kind: z.string(),
    at: z.string(),
    note: z.string(),
    requests: z.number().nullable(),
    usd: z.string(),
    balanceUsd: z.string(),
  }),
);
const reversedJournal = z.object({ isNew: z.boolean() });
const listedHolders = z.array(
  z.object({
    id: z.number(),
    host: z.string(),
    seenAt: z.string(),
    leasedUsd: z.string(),
    fencedAt: z.string().nullable(),
  }),
);
const releasedHolder = z.object({ id: z.number(), host: z.string(), releasedUsd: z.string() });
const foundBreaches = z.array(z.object({ rule: z.string(), where: z.array(z.string()) }));
