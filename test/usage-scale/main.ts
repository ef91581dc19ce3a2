/**
 * `npm run usage-scale -- --rows 10000000`: fills a PostgreSQL with generated requests and times what dashboards ask.
 * It takes some 5 GB for ten million. `--days 90`, `--limit-ms 100`; it ends with 1 when a question takes longer.
 */
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { systemIds } from '../../src/base/ids.ts';
import { everybody } from '../../src/base/scope.ts';
import { clockShowing } from '../../src/base/testing/manual-clock.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { noteUnsummed, readUsagePage, storeUsage, streamCsv, writeCsvLine } from '../../src/usage/index.ts';
import { keepPartitions } from '../../src/usage/partitions.ts';
import { requestIdAt } from '../../src/usage/testing/insert-usage.ts';
import { sampleRecord } from '../../src/usage/testing/sample-record.ts';
import { foldUnsummed } from '../../src/usage/unsummed.ts';
import { fill } from './fill.ts';
import { questions } from './questions.ts';

const dayMs = 86_400_000;
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '90' },
    'limit-ms': { type: 'string', default: '100' },
  },
});
const rows = Number(values.rows);
const days = Number(values.days);
const limitMs = Number(values['limit-ms']);
const repeats = 5;

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL'];
if (serverUrl === undefined)
  throw new Error('This needs PostgreSQL: install it, or set SLUICE_TEST_POSTGRES_URL.');
const database = `sluice_usage_scale_${process.pid}`;
await onServer(`CREATE DATABASE ${database} TEMPLATE template0`);
try {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const storage = await openStorage({ databaseUrl: url.href, dataDir: '/nowhere' });
  try {
    process.exitCode = (await measure(storage)) ? 0 : 1;
  } finally {
    await storage.close();
  }
} finally {
  await onServer(`DROP DATABASE ${database} WITH (FORCE)`);
}

/** @returns whether every question was answered in time. */
async function measure(storage: Storage): Promise<boolean> {
  await storage.migrate();
  const { db } = storage;
  const now = new Date();
  // From where the first partition ends, so that they lie in partitions as those of a server do.
  const fromMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const toMs = fromMs + days * dayMs;
  for (let month = 0; month <= days / 28; month += 1) {
    const clock = clockShowing(() => fromMs + month * 28 * dayMs);
    await keepPartitions({ storage, clock, ids: systemIds }, { span: 'month', retentionDays: null });
  }
  const beganMs = performance.now();
  await fill(db, {
    rows,
    fromMs,
    days,
    told: (done) => {
      const seconds = (performance.now() - beganMs) / 1000;
      process.stderr.write(`\r${done.toLocaleString('en')} rows, ${Math.round(done / seconds)} a second `);
    },
  });
  await db.execute(sql`VACUUM (ANALYZE) usage_records, usage_hourly, usage_daily`);
  const { rows: sizes } = await db.execute<{ name: string; rows: string; size: string }>(sql`
    SELECT relname AS name, reltuples::bigint::text AS rows, pg_size_pretty(pg_total_relation_size(oid)) AS size
    FROM pg_class WHERE relname LIKE 'usage%' AND relkind = 'r' ORDER BY relname`);
  print('');
  for (const { name, rows: count, size } of sizes) print(`${name.padEnd(28)} ${count.padStart(10)} ${size}`);
  await timeBatches(storage, toMs);
  let isInTime = true;
  for (const { name, ask } of questions(toMs, days)) {
    const times: number[] = [];
    await ask(db);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const startedMs = performance.now();
      await ask(db);
      times.push(performance.now() - startedMs);
    }
    const [median = 0] = times.sort((one, other) => one - other).slice(Math.floor(repeats / 2));
    const isSlow = median > limitMs;
    if (isSlow) isInTime = false;
    print(`${median.toFixed(1).padStart(8)} ms  ${name}${isSlow ? '  TOO SLOW' : ''}`);
  }
  await timeExport(storage);
  return isInTime;
}

/** So many are enough to see whether more is held the longer it goes on. */
const mostExported = 1_000_000;

/** The log as CSV, a page held at a time, as the dashboard streams it. */
async function timeExport({ db }: Storage): Promise<void> {
  const restBytes = process.memoryUsage.rss();
  let [mostBytes, written, exported] = [restBytes, 0, 0];
  const startedMs = performance.now();
  const pages = streamCsv(async (before) => {
    const { records, next } = await readUsagePage(everybody, db, { before, limit: 1000 });
    exported += records.length;
    return { lines: [records.map(writeCsvLine).join('')], next: exported >= mostExported ? null : next };
  });
  for await (const page of pages) {
    written += Buffer.byteLength(page);
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;
  print(
    `CSV of ${exported} requests: ${mebibytes(written)} in ${seconds.toFixed(1)} s, ${Math.round(exported / seconds)} a second; at most ${mebibytes(mostBytes - restBytes)} of memory more than before`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What the sums cost: batches without a word of them and as they are written, and folding what these left. */
async function timeBatches({ db }: Storage, atMs: number): Promise<void> {
  for (const size of [1, 100, 1000]) {
    const made = () =>
      Array.from({ length: size }, (_, place) =>
        sampleRecord('', {
          requestId: requestIdAt(new Date(atMs)),
          startedAt: new Date(atMs),
          keyId: (place % 100) + 1,
          model: `model-${place % 7}`,
        }),
      );
    const time = async (work: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let repeat = 0; repeat < 20; repeat += 1) {
        const startedMs = performance.now();
        await work();
        times.push(performance.now() - startedMs);
      }
      return times.sort((one, other) => one - other)[10]?.toFixed(1);
    };
    const alone = await time(() =>
      db.execute(sql`WITH stored AS (${storeUsage(made())} RETURNING *) SELECT 1`),
    );
    const noted = await time(() =>
      db.execute(sql`WITH stored AS (${storeUsage(made())} RETURNING *), ${noteUnsummed('stored')} SELECT 1`),
    );
    const startedMs = performance.now();
    const { requests } = await foldUnsummed(db, 20 * size);
    const foldMs = (performance.now() - startedMs).toFixed(1);
    print(
      `a batch of ${size}: ${alone} ms, noted for the sums ${noted} ms; ${requests} folded in ${foldMs} ms`,
    );
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
