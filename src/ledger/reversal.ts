/** Takes journals back, by others that book the same the other way round. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { writeUsd } from '../base/money.ts';
import { accounts, entries, journals } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';
import { aboutWallet, postJournal } from './books.ts';
import type { Entry, HouseAccount } from './journals.ts';
import { tellOfReversal } from './money-events.ts';

/** What promotions and usage moved is mended by an adjustment: a grant's end may have come since. */
const reversible: readonly string[] = ['deposit', 'refund', 'adjustment', 'transfer'];

/**
 * Takes a journal back, once. A wallet may come below its floor by it: what was spent is owed.
 * @throws AppError `not_found`; `conflict` for one that was taken back by another business key, or cannot be, and for a
 *   business key of something else.
 */
export async function reverseJournal(
  work: Work,
  asked: { readonly journalId: number; readonly businessKey: string; readonly note?: string },
): Promise<{ id: number; isNew: boolean }> {
  const { executor } = work;
  const { journalId, ...rest } = asked;
  // One at a time: by another name the same journal could be taken back twice.
  const own = executor.select().from(journals).where(eq(journals.id, journalId));
  const [original] = await own.for('no key update');
  if (original === undefined)
    throw new AppError({ code: 'not_found', public: `There is no journal ${journalId}.` });
  if (!reversible.includes(original.kind)) {
    const message = `Journal ${journalId} is of the kind ${original.kind}, which is mended by an adjustment.`;
    throw new AppError({ code: 'conflict', public: message });
  }
  const [earlier] = await executor.select().from(journals).where(eq(journals.reverses, journalId));
  if (earlier !== undefined && earlier.businessKey !== asked.businessKey) {
    throw new AppError({ code: 'conflict', public: `Journal ${journalId} was taken back before.` });
  }
  const booked = await executor
    .select({ amountNanoUsd: entries.amountNanoUsd, kind: accounts.kind, userId: accounts.userId })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .where(eq(entries.journalId, journalId));
  const reversal = await postJournal(work, {
    kind: 'reversal',
    reverses: journalId,
    ...rest,
    entries: booked.map(({ amountNanoUsd, kind, userId }) => ({
      account: readAccount(kind, userId),
      amountNanoUsd: -amountNanoUsd,
    })),
  });
  if (!reversal.isNew) return reversal;
  // A transfer moved the money of two.
  const payers = [...new Set(booked.flatMap(({ userId }) => userId ?? []))];
  for (const payer of payers) {
    const theirs = booked.filter(({ userId }) => userId === payer);
    const backNanoUsd = theirs.reduce((sum, { amountNanoUsd }) => sum - amountNanoUsd, 0n);
    const details = { journal: journalId, kind: original.kind, usd: writeUsd(backNanoUsd) };
    work.note(aboutWallet(payer, 'wallet.reversed', details));
    if (original.kind === 'deposit') await tellOfReversal(work, payer, { original, booked });
  }
  return reversal;
}

const houseKinds: readonly string[] = ['payments', 'promotions', 'adjustments', 'revenue'];
const isHouse = (kind: string): kind is HouseAccount => houseKinds.includes(kind);

function readAccount(kind: string, userId: number | null): Entry['account'] {
  if (userId !== null && (kind === 'paid' || kind === 'promo')) return { userId, part: kind };
  if (userId === null && isHouse(kind)) return kind;
  throw new Error(`an account of the kind ${kind} is not known to this version`);
}
