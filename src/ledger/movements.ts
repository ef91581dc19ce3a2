/** What an operator books by hand: money given back, given to another payer, and corrections. Each once for its name. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { larger, writeDollars, writeUsd } from '../base/money.ts';
import type { Executor } from '../storage/database.ts';
import { funds, wallets } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';
import { aboutWallet, postJournal } from './books.ts';
import type { Journal } from './journals.ts';

export interface Movement {
  readonly userId: number;
  readonly amountNanoUsd: bigint;
  /** Names the reason: it happens once for each. */
  readonly businessKey: string;
  readonly note?: string;
  readonly createdBy?: number;
}

/**
 * Books what was given back to a payer some other way, at most what they paid and nobody has set aside.
 * @returns whether it happened now; false when the same was booked before by this business key.
 * @throws RangeError for an amount that is not more than nothing; AppError `conflict` where there is less, or the
 *   business key is that of something else or of what was taken back.
 */
export async function refund(work: Work, { userId, amountNanoUsd, ...rest }: Movement): Promise<boolean> {
  const journal: Journal = {
    kind: 'refund',
    ...rest,
    entries: [
      { account: { userId, part: 'paid' }, amountNanoUsd: -amountNanoUsd },
      { account: 'payments', amountNanoUsd },
    ],
  };
  if (!(await takePaid(work, { userId, amountNanoUsd, journal }))) return false;
  work.note(aboutWallet(userId, 'wallet.refunded', { usd: writeUsd(amountNanoUsd) }));
  return true;
}

/**
 * Gives what one payer paid to another, such as whoever pays for their organisation; as `refund` does.
 * @throws RangeError also where both are the same.
 */
export async function transfer(
  work: Work,
  { userId, toUserId, amountNanoUsd, ...rest }: Movement & { readonly toUserId: number },
): Promise<boolean> {
  if (userId === toUserId) throw new RangeError('money goes from one payer to another');
  const journal: Journal = {
    kind: 'transfer',
    ...rest,
    entries: [
      { account: { userId, part: 'paid' }, amountNanoUsd: -amountNanoUsd },
      { account: { userId: toUserId, part: 'paid' }, amountNanoUsd },
    ],
  };
  if (!(await takePaid(work, { userId, amountNanoUsd, journal }))) return false;
  for (const [whose, sign] of [[userId, -1n] as const, [toUserId, 1n] as const]) {
    work.note(aboutWallet(whose, 'wallet.transferred', { usd: writeUsd(sign * amountNanoUsd) }));
  }
  return true;
}

/**
 * Corrects what a payer paid, up or, below zero, down. A wallet may come below its floor by it: what is missing is owed.
 * @returns whether it happened now, as `refund` does.
 * @throws RangeError for a correction of nothing; AppError `conflict` for a business key, as `refund` does.
 */
export async function adjust(work: Work, { userId, amountNanoUsd, ...rest }: Movement): Promise<boolean> {
  const { isNew } = await postJournal(work, {
    kind: 'adjustment',
    ...rest,
    entries: [
      { account: { userId, part: 'paid' }, amountNanoUsd },
      { account: 'adjustments', amountNanoUsd: -amountNanoUsd },
    ],
  });
  if (isNew) work.note(aboutWallet(userId, 'wallet.adjusted', { usd: writeUsd(amountNanoUsd) }));
  return isNew;
}

interface Taken {
  readonly userId: number;
  readonly amountNanoUsd: bigint;
  readonly journal: Journal;
}

/**
 * Neither promotions nor credit can be taken away, nor what processes have set aside for requests. It is booked first,
 * which locks the wallet, and what is thrown then takes it back with the work.
 */
async function takePaid(work: Work, { userId, amountNanoUsd, journal }: Taken): Promise<boolean> {
  if (amountNanoUsd <= 0n) throw new RangeError('what is moved must be more than nothing');
  const { isNew } = await postJournal(work, journal);
  if (!isNew) return false;
  const leftNanoUsd = await freeOf(work.executor, userId);
  if (leftNanoUsd >= 0n) return true;
  const free = larger(leftNanoUsd + amountNanoUsd, 0n);
  const what = journal.kind === 'refund' ? 'refunded' : 'transferred';
  throw new AppError({
    code: 'conflict',
    public: `At most ${writeDollars(free)} can be ${what}: what was paid and is neither spent nor set aside for requests. What requests leave comes back within seconds.`,
  });
}

/** What was paid and is neither spent nor leased; promotions may be what is leased, since they are spent first. */
async function freeOf(executor: Executor, userId: number): Promise<bigint> {
  const [row] = await executor
    .select({
      balanceNanoUsd: funds.balanceNanoUsd,
      leasedNanoUsd: funds.leasedNanoUsd,
      promoNanoUsd: wallets.promoNanoUsd,
    })
    .from(wallets)
    .innerJoin(funds, eq(funds.id, wallets.fundId))
    .where(eq(wallets.userId, userId));
  if (row === undefined) throw new Error('the wallet of the journal is not there');
  const { balanceNanoUsd, leasedNanoUsd, promoNanoUsd } = row;
  return balanceNanoUsd - larger(promoNanoUsd, leasedNanoUsd);
}
