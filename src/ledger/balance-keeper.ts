/** Tells people that their balance is low, once for each time that it was above the level before; and of their credit. */
import { eq, type SQL, sql } from 'drizzle-orm';
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
  readonly low_told: string | null;
  readonly very_low: boolean;
  readonly very_low_told: string | null;
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
  const spendable = sql`(fund.balance_nano_usd - fund.floor_nano_usd)`;
  // Of one that was told of a higher level nothing changes between that and this one.
  const changes = (
    armed: SQL,
    told: SQL,
    level: bigint,
  ) => sql`CASE WHEN ${armed} THEN ${spendable} < ${bigint(level)}
    WHEN ${told} > ${bigint(level)} THEN ${spendable} NOT BETWEEN ${bigint(level)} AND ${told} - 1
    ELSE ${spendable} >= ${bigint(level)} END`;
  const ofCredit = spentStep(sql`-fund.balance_nano_usd`, sql`-fund.floor_nano_usd`);
  const step = sql`CASE WHEN fund.floor_nano_usd < 0 THEN ${ofCredit} ELSE 0 END`;
  // Both are locked, the fund first as everybody does it, and read as they are once nobody else has them.
  const { rows } = await executor.execute<Found>(sql`
    SELECT own.user_id::text AS user_id, fund.balance_nano_usd::text AS balance,
      fund.floor_nano_usd::text AS floor, greatest(own.credited_to_nano_usd, ${spendable})::text AS highest,
      own.is_low_armed AS low, own.low_told_nano_usd::text AS low_told, own.is_very_low_armed AS very_low,
      own.very_low_told_nano_usd::text AS very_low_told, own.credit_told_percent AS told, ${step} AS step
    FROM ${wallets} AS own JOIN ${funds} AS fund ON fund.id = own.fund_id
    WHERE own.credited_to_nano_usd IS NOT NULL
      OR ${changes(sql`own.is_low_armed`, sql`own.low_told_nano_usd`, levels.lowNanoUsd)}
      OR ${changes(sql`own.is_very_low_armed`, sql`own.very_low_told_nano_usd`, levels.veryLowNanoUsd)}
      OR own.credit_told_percent <> ${step}
    ORDER BY fund.id LIMIT ${atOnce} FOR UPDATE OF fund, own SKIP LOCKED`);
  for (const found of rows) await lookAt(work, levels, found);
  return rows.length;
}

const bigint = (amount: bigint): SQL => sql`${String(amount)}::bigint`;

interface Spendable {
  readonly spendable: bigint;
  /** The most that there was since it was last looked at. */
  readonly highest: bigint;
}

interface Armed {
  readonly isArmed: boolean;
  /** Of which level it was told last; null where it is armed, or was told of none. */
  readonly toldNanoUsd: bigint | null;
}

/**
 * Processes, and the days before and after a setting was changed, can have different levels: one that was told of a higher
 * one is armed for a lower one, and armed for all of them once it is above that which it was told of.
 */
function lookAtLevel(
  levelNanoUsd: bigint,
  { spendable, highest }: Spendable,
  { isArmed, toldNanoUsd: told }: Armed,
): Armed & { readonly isBelow: boolean } {
  const wasArmed = isArmed || (told !== null && told > levelNanoUsd);
  const isBelow = spendable < levelNanoUsd && (wasArmed || highest >= levelNanoUsd);
  const isAbove = spendable >= levelNanoUsd && (isArmed || told === null || spendable >= told);
  return { isBelow, isArmed: isAbove, toldNanoUsd: isAbove ? null : isBelow ? levelNanoUsd : told };
}

async function lookAt(work: Work, levels: BalanceLevels, found: Found): Promise<void> {
  const userId = Number(found.user_id);
  const balance = BigInt(found.balance);
  const floor = BigInt(found.floor);
  const spendable = balance - floor;
  const sums = { spendable, highest: BigInt(found.highest) };
  const armedFor = (isArmed: boolean, told: string | null) => ({
    isArmed,
    toldNanoUsd: told === null ? null : BigInt(told),
  });
  const low = lookAtLevel(levels.lowNanoUsd, sums, armedFor(found.low, found.low_told));
  const veryLow = lookAtLevel(levels.veryLowNanoUsd, sums, armedFor(found.very_low, found.very_low_told));
  await work.executor
    .update(wallets)
    .set({
      ...{ creditedToNanoUsd: null, creditToldPercent: found.step },
      ...{ isLowArmed: low.isArmed, lowToldNanoUsd: low.toldNanoUsd },
      ...{ isVeryLowArmed: veryLow.isArmed, veryLowToldNanoUsd: veryLow.toldNanoUsd },
    })
    .where(eq(wallets.userId, userId));
  const audience = { of: 'account', id: userId } as const;
  // Who falls below both at once is told of the worse alone.
  const [kind, levelNanoUsd] = veryLow.isBelow
    ? (['wallet.very_low', levels.veryLowNanoUsd] as const)
    : (['wallet.low', levels.lowNanoUsd] as const);
  if (veryLow.isBelow || low.isBelow) {
    const facts = { balance_usd: writeUsd(spendable), level_usd: writeUsd(levelNanoUsd) };
    await raiseEvent(work, { kind, facts, audience });
  }
  if (found.step > found.told) {
    const facts = { percent: found.step, used_usd: writeUsd(-balance), limit_usd: writeUsd(-floor) };
    await raiseEvent(work, { kind: 'wallet.credit_threshold', facts, audience });
  }
}
