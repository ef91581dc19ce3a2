/** Tells people that their balance is low, once for each time that it was above the level before; and of their credit. */
import { sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { writeUsd } from '../base/money.ts';
import { raiseEvent } from '../storage/events.ts';
import { funds, wallets } from '../storage/schema/ledger.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { spentStep } from './spent-steps.ts';

export interface BalanceLevels {
  readonly lowNanoUsd: bigint;
  readonly veryLowNanoUsd: bigint;
}

const pauseMs = 30_000;
/** In one transaction, so that none is long. */
const atOnce = 200;

export function balanceKeeper({
  log,
  levels,
  ...parts
}: WorkParts & { readonly log: Log; readonly levels: BalanceLevels }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs,
    failure: 'low balances could not be told; it is tried again in half a minute',
    async round(closing) {
      for (let count = atOnce; count === atOnce && !closing.aborted; ) {
        count = await transact(parts, (work) => lookAtBalances(work, levels));
      }
    },
  });
}

interface Found {
  readonly [column: string]: unknown;
  readonly user_id: string;
  readonly balance: string;
  readonly floor: string;
  readonly highest: string;
  readonly low: boolean;
  readonly very_low: boolean;
  readonly told: number;
  readonly step: number;
}

/**
 * What can be spent counts, credit included. Only wallets of which something changes are read; a wallet that was never
 * above a level is not told of it, or every new account would be.
 * @returns how many there were; as many as one transaction takes means that there may be more.
 */
export async function lookAtBalances(work: Work, levels: BalanceLevels): Promise<number> {
  const { executor } = work;
  const low = sql`${String(levels.lowNanoUsd)}::bigint`;
  const veryLow = sql`${String(levels.veryLowNanoUsd)}::bigint`;
  const spendable = sql`(fund.balance_nano_usd - fund.floor_nano_usd)`;
  const ofCredit = spentStep(sql`-fund.balance_nano_usd`, sql`-fund.floor_nano_usd`);
  const step = sql`CASE WHEN fund.floor_nano_usd < 0 THEN ${ofCredit} ELSE 0 END`;
  // Both are locked, the fund first as everybody does it, and read as they are once nobody else has them.
  const { rows } = await executor.execute<Found>(sql`
    SELECT own.user_id::text AS user_id, fund.balance_nano_usd::text AS balance,
      fund.floor_nano_usd::text AS floor, greatest(own.credited_to_nano_usd, ${spendable})::text AS highest,
      own.is_low_armed AS low, own.is_very_low_armed AS very_low, own.credit_told_percent AS told, ${step} AS step
    FROM ${wallets} AS own JOIN ${funds} AS fund ON fund.id = own.fund_id
    WHERE own.credited_to_nano_usd IS NOT NULL
      OR own.is_low_armed <> (${spendable} >= ${low})
      OR own.is_very_low_armed <> (${spendable} >= ${veryLow})
      OR own.credit_told_percent <> ${step}
    ORDER BY fund.id LIMIT ${atOnce} FOR UPDATE OF fund, own SKIP LOCKED`);
  for (const found of rows) await lookAt(work, levels, found);
  return rows.length;
}

async function lookAt(work: Work, levels: BalanceLevels, found: Found): Promise<void> {
  const userId = Number(found.user_id);
  const balance = BigInt(found.balance);
  const floor = BigInt(found.floor);
  const spendable = balance - floor;
  const highest = BigInt(found.highest);
  const isBelow = (levelNanoUsd: bigint, wasArmed: boolean): boolean =>
    spendable < levelNanoUsd && (wasArmed || highest >= levelNanoUsd);
  await work.executor.execute(sql`
    UPDATE ${wallets} SET credited_to_nano_usd = NULL, credit_told_percent = ${found.step},
      is_low_armed = ${spendable >= levels.lowNanoUsd}, is_very_low_armed = ${spendable >= levels.veryLowNanoUsd}
    WHERE user_id = ${userId}`);
  const audience = { of: 'account', id: userId } as const;
  // Who falls below both at once is told of the worse alone.
  const [kind, levelNanoUsd] = isBelow(levels.veryLowNanoUsd, found.very_low)
    ? (['wallet.very_low', levels.veryLowNanoUsd] as const)
    : (['wallet.low', levels.lowNanoUsd] as const);
  if (kind === 'wallet.very_low' || isBelow(levels.lowNanoUsd, found.low)) {
    const facts = { balance_usd: writeUsd(spendable), level_usd: writeUsd(levelNanoUsd) };
    await raiseEvent(work, { kind, facts, audience });
  }
  if (found.step > found.told) {
    const facts = { percent: found.step, used_usd: writeUsd(-balance), limit_usd: writeUsd(-floor) };
    await raiseEvent(work, { kind: 'wallet.credit_threshold', facts, audience });
  }
}
