import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { type PreparedDatabase, prepareEmbedded } from '../../../test/support/databases.ts';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { openStorage } from '../open-storage.ts';
import type { Storage } from '../storage.ts';

let prepared: PreparedDatabase;
let storage: Storage;
const clock = new ManualClock();
const warnings: string[] = [];

beforeAll(async () => {
  prepared = await prepareEmbedded({ migrated: false });
  storage = await openStorage({
    ...prepared.options,
    clock,
    onWarning: (warning) => void warnings.push(warning),
  });
  await storage.db.execute(sql`CREATE TABLE written (number integer)`);
});
afterAll(async () => {
  await storage.close();
  expect(clock.pendingTimers).toBe(0);
  await prepared.discard();
});

const readLog = async () => {
  const { rows } = await storage.db.execute<{ redo: string; segments: number }>(
    sql`SELECT redo_lsn::text AS redo, (SELECT count(*)::integer FROM pg_ls_waldir()) AS segments
      FROM pg_control_checkpoint()`,
  );
  return { redo: rows[0]?.redo, segments: rows[0]?.segments ?? 0 };
};

/** Each takes a segment of 16 MiB, however little is in it. */
async function fillSegments(count: number): Promise<void> {
  for (let filled = 0; filled < count; filled += 1) {
    await storage.db.execute(sql`INSERT INTO written VALUES (${filled})`);
    await storage.db.execute(sql`SELECT pg_switch_wal()`);
  }
}

/** What is asked of the one connection afterwards is answered after what a look asks of it. */
async function passMinute(): Promise<void> {
  await clock.advance(60_000);
  for (let asked = 0; asked < 3; asked += 1) await storage.db.execute(sql`SELECT 1`);
}

test('the log of the embedded database is written out by its length, and what was written is used again', async () => {
  const { redo } = await readLog();
  await fillSegments(2);
  await passMinute();
  expect((await readLog()).redo).toBe(redo);
  for (let round = 0; round < 4; round += 1) {
    await fillSegments(5);
    await passMinute();
  }
  const written = await readLog();
  expect(written.redo).not.toBe(redo);
  // Of 22 that were filled.
  expect(written.segments).toBeLessThan(16);
  expect(warnings).toEqual([]);
});
