/**
 * `npm run usage-scale -- --rows 10000000`: fills a PostgreSQL with the requests of a large firm (world.ts says of whom),
 * times what dashboards ask, and reads the log as CSV from a started program. It takes some 8 GB for ten million.
 * `--database-url URL` fills that database where it is empty, and keeps it for the next time and for `page-times`.
 * `--check` holds the sums against the log. `--days 90`, `--export-rows 1000000`, `--repeats 7`, `--only "by tag"`;
 * `--limit-ms 100`: it ends with 1 when a question takes longer in the median.
 */
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { systemIds } from '../../src/base/ids.ts';
import { clockShowing } from '../../src/base/testing/manual-clock.ts';
import type { Storage } from '../../src/storage/index.ts';
import { longStatement } from '../../src/storage/long-statement.ts';
import { keepPartitions } from '../../src/usage/partitions.ts';
import { timeBatches } from './batches.ts';
import { timeExport } from './export.ts';
import { fill } from './fill.ts';
import { openScaleStorage } from './program.ts';
import { findBusiest, findDifferences, questions } from './questions.ts';
import { sumUp } from './sums.ts';
import { settleWorld } from './world.ts';

const dayMs = 86_400_000;
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '90' },
    'limit-ms': { type: 'string', default: '100' },
    'export-rows': { type: 'string', default: '1000000' },
    'database-url': { type: 'string' },
    repeats: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
});
const limitMs = Number(values['limit-ms']);
const repeats = Number(values.repeats);

const print = (line: string) => process.stdout.write(`${line}\n`);

if (values['database-url'] === undefined) await measureOnce();
else await measure(values['database-url']);

/** On a database that goes again. */
async function measureOnce(): Promise<void> {
  const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL'];
  if (serverUrl === undefined)
    throw new Error('This needs PostgreSQL: install it, or set SLUICE_TEST_POSTGRES_URL.');
  const database = `sluice_usage_scale_${process.pid}`;
  await onServer(serverUrl, `CREATE DATABASE ${database} TEMPLATE template0`);
  try {
    const url = new URL(serverUrl);
    url.pathname = `/${database}`;
    await measure(url.href);
  } finally {
    await onServer(serverUrl, `DROP DATABASE ${database} WITH (FORCE)`);
  }
}

async function measure(databaseUrl: string): Promise<void> {
  const storage = await openScaleStorage(databaseUrl);
  try {
    await storage.migrate();
    const filled = (await readFilled(storage)) ?? (await fillAll(storage));
    await printSizes(storage);
    const isInTime = await timeQuestions(storage, filled);
    process.exitCode = isInTime ? 0 : 1;
    if (values.check) await check(storage, filled);
  } finally {
    await storage.close();
  }
  if (Number(values['export-rows']) > 0) await printExport(databaseUrl);
}

interface Filled {
  readonly days: number;
  readonly toMs: number;
}

/** Undefined where nothing was filled. */
async function readFilled({ db }: Storage): Promise<Filled | undefined> {
  const { rows: tables } = await db.execute(sql`SELECT 1 FROM pg_tables WHERE tablename = 'filled'`);
  if (tables.length === 0) return undefined;
  const { rows } = await db.execute<{ days: number; to_ms: string }>(
    sql`SELECT days, (extract(epoch FROM to_at) * 1000)::bigint::text AS to_ms FROM usage_scale.filled`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('This database was filled in part: make it anew.');
  return { days: row.days, toMs: Number(row.to_ms) };
}

async function fillAll(storage: Storage): Promise<Filled> {
  const { db } = storage;
  const [rows, days] = [Number(values.rows), Number(values.days)];
  // What is filled ends with today, as a server's log does: its partitions lie before the month that the first one ends with.
  const toMs = Math.ceil(Date.now() / dayMs) * dayMs;
  await db.execute(sql`DROP TABLE usage_records_first`);
  for (let ms = toMs - days * dayMs; ms < toMs + 31 * dayMs; ms += 28 * dayMs) {
    const parts = { storage, clock: clockShowing(() => ms), ids: systemIds };
    await keepPartitions(parts, { span: 'month', retentionDays: null });
  }
  await settleWorld(db);
  const beganMs = performance.now();
  const tell = (what: string) => process.stderr.write(`\r${what}          `);
  await fill(db, {
    ...{ rows, toMs, days },
    told: (done) => {
      const aSecond = Math.round((done * 1000) / (performance.now() - beganMs));
      tell(`${done.toLocaleString('en')} rows, ${aSecond} a second`);
    },
  });
  await db.execute(sql`${longStatement}VACUUM (ANALYZE) usage_records`);
  const { foldedASecond, settledMs } = await sumUp(db, {
    ...{ fromMs: toMs - days * dayMs, toMs },
    told: (atMs) => tell(`summed to ${new Date(atMs).toISOString().slice(0, 13)}`),
  });
  tell('');
  print(`folded ${Math.round(foldedASecond)} requests a second`);
  const slowest = (Math.max(...settledMs) / 1000).toFixed(1);
  print(`settled in ${settledMs.length} steps, the slowest in ${slowest} s`);
  await timeBatches(storage, toMs - 1);
  await db.execute(sql`${longStatement}VACUUM (ANALYZE) usage_hourly, usage_daily, usage_weekly`);
  await db.execute(sql`INSERT INTO usage_scale.filled VALUES (${days}, ${new Date(toMs).toISOString()})`);
  return { days, toMs };
}

async function printSizes({ db }: Storage): Promise<void> {
  const { rows } = await db.execute<{ name: string; rows: string; size: string }>(sql`
    SELECT relname AS name, reltuples::bigint::text AS rows, pg_size_pretty(pg_total_relation_size(oid)) AS size
    FROM pg_class WHERE relname LIKE 'usage%' AND relkind = 'r' ORDER BY relname`);
  for (const { name, rows: count, size } of rows) print(`${name.padEnd(28)} ${count.padStart(10)} ${size}`);
}

/** @returns whether every question was answered in time. */
async function timeQuestions({ db }: Storage, { toMs, days }: Filled): Promise<boolean> {
  let slow = 0;
  print('  median  fastest');
  for (const { name, ask } of questions(toMs, days, await findBusiest(db, toMs))) {
    if (!name.includes(values.only)) continue;
    const times: number[] = [];
    await ask(db);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const startedMs = performance.now();
      await ask(db);
      times.push(performance.now() - startedMs);
    }
    const sorted = times.toSorted((one, other) => one - other);
    const median = sorted[Math.floor(repeats / 2)] ?? Number.NaN;
    const figures = [median, sorted[0] ?? Number.NaN].map((ms) => ms.toFixed(1).padStart(8));
    if (median > limitMs) slow += 1;
    print(`${figures.join('')} ms  ${name}${median > limitMs ? '  TOO SLOW' : ''}`);
  }
  print(`${slow} above ${limitMs} ms`);
  return slow === 0;
}

async function check({ db }: Storage, { toMs, days }: Filled): Promise<void> {
  // As long a span as the log answers for within the time that a statement has.
  for (const [count, from] of [[8, days - 20] as const, [8, 8] as const]) {
    const fromMs = toMs - from * dayMs;
    const differing = await findDifferences(db, { fromMs, toMs: fromMs + count * dayMs });
    print(
      `sums of ${count} days against the log: ${differing.length === 0 ? 'equal' : `DIFFER by ${differing.join(', ')}`}`,
    );
    if (differing.length > 0) process.exitCode = 1;
  }
}

async function printExport(databaseUrl: string): Promise<void> {
  const exported = await timeExport(databaseUrl, Number(values['export-rows']));
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;
  const { rows, seconds, bytes, restBytes, mostBytes, residentBytes } = exported;
  print(
    `CSV over HTTP: ${rows.toLocaleString('en')} requests, ${mebibytes(bytes)} in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} a second`,
  );
  print(
    `memory of the program: ${mebibytes(restBytes)} before, at most ${mebibytes(mostBytes)}; at each tenth ${residentBytes.map(mebibytes).join(', ')}`,
  );
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
