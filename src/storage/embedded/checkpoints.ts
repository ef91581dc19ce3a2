/** Keeps the write-ahead log of the embedded database short while it runs. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../../base/clock.ts';
import { describeThrown } from '../../base/errors.ts';
import type { Executor } from '../database.ts';
import { longStatement } from '../long-statement.ts';

interface CheckpointParts {
  readonly db: Executor;
  readonly clock: Pick<Clock, 'after'>;
  readonly onWarning: (message: string) => void;
}

const lookEveryMs = 60_000;
/** Four segments: writing them out holds others back for a fraction of a second. */
const mostBytes = 64 * 1024 ** 2;

/**
 * PostgreSQL has a process of its own for it, which one that serves a single session lacks: its log grew by everything that
 * was ever written since its start, and the next start after a kill would read all of that.
 */
export function keepCheckpoints({ db, clock, onWarning }: CheckpointParts): { close(): Promise<void> } {
  let isClosed = false;
  let round = Promise.resolve();
  const look = async () => {
    try {
      if ((await readBytesSinceLast(db)) >= mostBytes) await db.execute(sql`${longStatement}CHECKPOINT`);
    } catch (error) {
      if (!isClosed)
        onWarning(`The log of the embedded database is not cut short: ${describeThrown(error)}.`);
    }
    if (!isClosed) timer = later();
  };
  const later = () =>
    clock.after(lookEveryMs, () => {
      round = look();
    });
  let timer = later();
  return {
    async close() {
      isClosed = true;
      timer.cancel();
      await round;
    },
  };
}

async function readBytesSinceLast(db: Executor): Promise<number> {
  const { rows } = await db.execute<{ bytes: string }>(
    sql`SELECT (pg_current_wal_lsn() - redo_lsn)::text AS bytes FROM pg_control_checkpoint()`,
  );
  return Number(rows[0]?.bytes ?? 0);
}
