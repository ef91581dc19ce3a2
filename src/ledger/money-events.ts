/** What people are told when money comes in or is taken back. */
import { sql } from 'drizzle-orm';
import { writeUsd } from '../base/money.ts';
import type { Executor } from '../storage/database.ts';
import { raiseEvent } from '../storage/events.ts';
import { funds, wallets } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';

/** So that a top-up arms what is told of a low balance, also where it is spent again before anybody looks. */
export async function markCredited(executor: Executor, userId: number): Promise<void> {
  await executor.execute(sql`
    UPDATE ${wallets} AS own SET credited_to_nano_usd =
      greatest(own.credited_to_nano_usd, fund.balance_nano_usd - fund.floor_nano_usd)
    FROM ${funds} AS fund WHERE own.user_id = ${userId} AND fund.id = own.fund_id`);
}

interface Deposited {
  readonly userId: number;
  readonly amountNanoUsd: bigint;
  readonly note?: string;
  readonly createdBy?: number;
}

/** One that somebody books for the payer is one that they approved. */
export async function tellOfDeposit(
  work: Work,
  { userId, amountNanoUsd, note = '', createdBy }: Deposited,
): Promise<void> {
  await raiseEvent(work, {
    kind: createdBy === undefined ? 'payment.received' : 'payment.approved',
    facts: { amount_usd: writeUsd(amountNanoUsd), reference: note },
    audience: { of: 'account', id: userId },
  });
}

interface Reversed {
  readonly original: { readonly note: string };
  readonly booked: readonly { readonly userId: number | null; readonly amountNanoUsd: bigint }[];
}

export async function tellOfReversal(
  work: Work,
  payerId: number,
  { original, booked }: Reversed,
): Promise<void> {
  const amountNanoUsd = booked
    .filter(({ userId }) => userId === payerId)
    .reduce((sum, entry) => sum + entry.amountNanoUsd, 0n);
  await raiseEvent(work, {
    kind: 'payment.cancelled',
    facts: { amount_usd: writeUsd(amountNanoUsd), reference: original.note },
    audience: { of: 'account', id: payerId },
  });
}
