/** What the sums cost whoever writes: batches without a word of them and as they are written, and folding what these left. */
import { sql } from 'drizzle-orm';
import type { Storage } from '../../src/storage/index.ts';
import { noteUnsummed, storeUsage } from '../../src/usage/index.ts';
import { requestIdAt } from '../../src/usage/testing/insert-usage.ts';
import { sampleRecord } from '../../src/usage/testing/sample-record.ts';
import { foldUnsummed } from '../../src/usage/unsummed.ts';

const repeats = 20;

/** Nothing of it stays. */
export async function timeBatches({ db }: Storage, atMs: number): Promise<void> {
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
    const back = new Error('nothing stays');
    await db
      .transaction(async (transaction) => {
        const alone = await medianOf(() =>
          transaction.execute(sql`WITH stored AS (${storeUsage(made())} RETURNING *) SELECT 1`),
        );
        const noted = await medianOf(() =>
          transaction.execute(
            sql`WITH stored AS (${storeUsage(made())} RETURNING *), ${noteUnsummed('stored')} SELECT 1`,
          ),
        );
        const startedMs = performance.now();
        const { requests } = await foldUnsummed(transaction, repeats * size);
        const foldMs = performance.now() - startedMs;
        process.stdout.write(
          `a batch of ${size}: ${alone.toFixed(1)} ms, noted for the sums ${noted.toFixed(1)} ms; ${requests} folded in ${foldMs.toFixed(1)} ms\n`,
        );
        throw back;
      })
      .catch((error: unknown) => {
        if (error !== back) throw error;
      });
  }
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return times.toSorted((one, other) => one - other)[repeats / 2] ?? Number.NaN;
}
