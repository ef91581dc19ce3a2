/** `npm run bank`: a run from the command line, with a table at its end. */
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import type { Storage } from '../../src/storage/index.ts';
import { type BankReport, runBank } from './bank.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '3' },
    spares: { type: 'string', default: '2' },
    clients: { type: 'string', default: '64' },
    /** `redis` or `postgres`: what is killed and comes again meanwhile. */
    restart: { type: 'string', default: 'none' },
  },
});

const seed = wholeNumber('seed', values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]));
process.stderr.write(`seed ${seed}\n`);
const report = await runBank({
  seed,
  seconds: wholeNumber('seconds', values.seconds),
  processes: wholeNumber('processes', values.processes),
  spares: wholeNumber('spares', values.spares),
  clients: wholeNumber('clients', values.clients),
  restartsRedis: values.restart === 'redis',
  restartPostgres: values.restart === 'postgres' ? crashPostgres : undefined,
});
process.stdout.write(writeTable(report));
process.exitCode = report.complaints.length === 0 ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a whole number, not "${text}"\n`);
  return process.exit(2);
}

/** Kills one of its own processes, upon which it ends all connections, reads its journal again and goes on. */
async function crashPostgres({ db }: Storage): Promise<void> {
  try {
    const { rows } = await db.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
    if (rows[0] !== undefined) process.kill(rows[0].pid, 'SIGKILL');
  } catch {
    // It is still starting from the last time.
  }
}

function writeTable(told: BankReport): string {
  const lines: readonly (readonly [string, unknown])[] = [
    ['seed', told.seed],
    ['processes killed', told.kills],
    ['processes paused', told.pauses],
    ['starts that failed meanwhile', told.failedStarts],
    ['why the last of them did', told.lastFailure],
    ['answers of the database lost', told.lostAnswers],
    ['restarts of Redis or PostgreSQL', told.restarts],
    ['answers by status (0: none, or not whole)', writeCounts(told.statuses)],
    ['whole answers heard', told.heard],
    ['requests that the provider received', told.received],
    ['usage rows', `${told.rows}: ${writeCounts(told.byOutcome)}`],
    ['deposited, nano-USD', told.depositsNanoUsd],
    ['left in the wallets', told.balanceNanoUsd],
    ['charged by the rows', told.chargedNanoUsd],
    ['cost by the rows', told.costNanoUsd],
    ['not agreed', told.depositsNanoUsd - told.balanceNanoUsd - told.chargedNanoUsd],
    [
      'the wallet of $1 at the end, and at its lowest',
      `${told.poorBalanceNanoUsd}, ${told.poorLowestNanoUsd}`,
    ],
  ];
  const shown = told.complaints.slice(0, 30).map((complaint) => `WRONG ${complaint}`);
  return [
    ...lines.map(([title, value]) => `${title.padEnd(48)}${value}`),
    ...shown,
    told.complaints.length === 0 ? 'all agrees' : `${told.complaints.length} things do not agree`,
    '',
  ].join('\n');
}

function writeCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}×${count}`)
    .join(' ');
}
