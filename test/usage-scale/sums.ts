/** The sums of what was filled: most of it by the statement that folds, so many at once; the last requests as a server folds them. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/index.ts';
import { longStatement } from '../../src/storage/long-statement.ts';
import { noteUnsummed } from '../../src/usage/index.ts';
import { addToRollups } from '../../src/usage/rollups.ts';
import { firstRequestIdAt } from '../../src/usage/time-prefix.ts';
import { foldUnsummed, settleUsage } from '../../src/usage/unsummed.ts';

const hourMs = 3_600_000;
const foldedHours = 6;

export interface Summed {
  readonly foldedASecond: number;
  readonly settledMs: readonly number[];
}

export async function sumUp(
  db: Database,
  { fromMs, toMs, told }: { fromMs: number; toMs: number; told: (atMs: number) => void },
): Promise<Summed> {
  const bulkToMs = toMs - foldedHours * hourMs;
  const between = (startMs: number, endMs: number) =>
    sql`request_id >= ${firstRequestIdAt(startMs)} AND request_id < ${firstRequestIdAt(endMs)}`;
  for (let ms = fromMs; ms < bulkToMs; ms += foldedHours * hourMs) {
    const rows = sql`SELECT *, NULL::boolean AS corrects FROM usage_records WHERE ${between(ms, ms + foldedHours * hourMs)}`;
    await db.execute(sql`${longStatement}WITH fresh AS (${rows}),
      ${addToRollups({ stored: 'fresh', mayBeLate: true })} SELECT 1`);
    told(ms);
  }
  const rest = sql`SELECT * FROM usage_records WHERE ${between(bulkToMs, toMs)}`;
  await db.execute(sql`${longStatement}WITH stored AS (${rest}), ${noteUnsummed('stored')} SELECT 1`);
  const foldedASecond = await foldAll(db);
  const settledMs: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const startedMs = performance.now();
    ({ hasMore } = await settleUsage(db, toMs - hourMs));
    settledMs.push(performance.now() - startedMs);
  }
  return { foldedASecond, settledMs };
}

async function foldAll(db: Database): Promise<number> {
  const startedMs = performance.now();
  let folded = 0;
  for (let hasMore = true; hasMore; ) {
    const { requests, ...rest } = await foldUnsummed(db, 5_000);
    folded += requests;
    ({ hasMore } = rest);
  }
  return (folded * 1000) / (performance.now() - startedMs);
}
