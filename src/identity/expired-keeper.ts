/**
 * Removes sessions and one-time tokens a day after their time was over, with the addresses and browsers in them: at the start
 * of a server and once an hour. Those of who comes back are removed then already; this is for who does not.
 */
import { sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import { oneTimeTokens, sessions } from '../storage/schema/sign-in.ts';
import { transact } from '../storage/work.ts';

const pauseMs = 3_600_000;
/** Clocks are less apart. */
const keptMs = 86_400_000;
/** In one transaction, so that none is long. */
const atOnce = 500;

export function expiredKeeper(parts: AgreeingParts & { readonly log: Log }): Keeper {
  const { clock, log } = parts;
  return new Keeper({
    clock,
    log,
    pauseMs,
    failure: 'sessions and links that are over could not be removed; it is tried again in an hour',
    async round(closing) {
      const agreed = await withAgreedTime(parts);
      const before = new Date(agreed.clock.nowMs() - keptMs).toISOString();
      for (const table of [sessions, oneTimeTokens]) {
        for (let count = atOnce; count === atOnce && !closing.aborted; ) {
          count = await transact(agreed, async ({ executor }) => {
            const { rowCount } = await executor.execute(sql`
              DELETE FROM ${table} WHERE id IN (
                SELECT id FROM ${table} WHERE expires_at < ${before} LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)`);
            return rowCount ?? 0;
          });
        }
      }
    },
  });
}
