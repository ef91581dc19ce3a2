/** What a journal is, and what its business key stands for once it is booked: the same again changes nothing, anything else is refused. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { writeDollars } from '../base/money.ts';
import type { Executor } from '../storage/database.ts';
import { accounts, entries, journals } from '../storage/schema/ledger.ts';

export type HouseAccount = 'payments' | 'promotions' | 'adjustments' | 'revenue';

export type JournalKind =
  | 'deposit'
  | 'refund'
  | 'grant'
  | 'expiry'
  | 'usage'
  | 'rerating'
  | 'adjustment'
  | 'transfer'
  | 'reversal';

/** A movement of money on one account: `paid` or `promo` of a payer, or one of the house's own. */
export interface Entry {
  readonly account: { readonly userId: number; readonly part: 'paid' | 'promo' } | HouseAccount;
  /** What comes in; what goes out is negative. */
  readonly amountNanoUsd: bigint;
}

export interface Journal {
  readonly kind: JournalKind;
  /** Names the event: a journal happens once for each. */
  readonly businessKey: string;
  readonly note?: string;
  readonly createdBy?: number;
  /** The journal that this one takes back. */
  readonly reverses?: number;
  /** They sum to zero; several of one account are added up. */
  readonly entries: readonly Entry[];
}

/**
 * Whoever asks again with the same key and other content took one event for another and would believe that it is booked.
 * So would whoever asks again for what was taken back since.
 * @param sums the entries that are asked for, one for each account and none of nothing.
 * @returns the id of the journal that has this key.
 * @throws AppError `conflict` where it is of another kind, amount or account, or was taken back.
 */
export async function requireSameJournal(
  executor: Executor,
  asked: Pick<Journal, 'kind' | 'businessKey' | 'reverses'>,
  sums: readonly Entry[],
): Promise<number> {
  const [known] = await executor.select().from(journals).where(eq(journals.businessKey, asked.businessKey));
  if (known === undefined) throw new Error('the journal of this business key is not there');
  const booked = await executor
    .select({ amountNanoUsd: entries.amountNanoUsd, kind: accounts.kind, userId: accounts.userId })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .where(eq(entries.journalId, known.id));
  const what = `journal ${known.id}, ${nouns[known.kind] ?? known.kind} of ${writeDollars(amountOf(known.kind, booked))}`;
  const before = new Set(booked.map(({ kind, userId, ...entry }) => spell(kind, userId, entry)));
  const isSame =
    known.kind === asked.kind &&
    known.reverses === (asked.reverses ?? null) &&
    before.size === sums.length &&
    sums.every((entry) => before.has(spellAsked(entry)));
  if (!isSame) {
    const message = `This reference is that of ${what}, and something else is asked for now; nothing was changed. Use a new reference.`;
    throw new AppError({ code: 'conflict', public: message });
  }
  const [taking] = await executor
    .select({ id: journals.id })
    .from(journals)
    .where(eq(journals.reverses, known.id));
  if (taking !== undefined) {
    const message = `This reference is that of ${what}, which was taken back by journal ${taking.id}; nothing was changed. Use a new reference.`;
    throw new AppError({ code: 'conflict', public: message });
  }
  return known.id;
}

const nouns: Readonly<Record<string, string>> = {
  deposit: 'a deposit',
  refund: 'a refund',
  grant: 'a promotion',
  expiry: 'the end of a promotion',
  usage: 'usage',
  rerating: 'a rerating',
  adjustment: 'a correction',
  transfer: 'a transfer',
  reversal: 'a reversal',
};

/** As it was asked for: a correction has the sign that it has for its payer, all else has none. */
function amountOf(
  kind: string,
  booked: readonly { readonly amountNanoUsd: bigint; readonly userId: number | null }[],
): bigint {
  const amountNanoUsd = booked.find(({ userId }) => userId !== null)?.amountNanoUsd ?? 0n;
  return amountNanoUsd < 0n && kind !== 'adjustment' ? -amountNanoUsd : amountNanoUsd;
}

const spell = (kind: string, userId: number | null, { amountNanoUsd }: { amountNanoUsd: bigint }): string =>
  `${kind} ${userId ?? 'house'} ${amountNanoUsd}`;

const spellAsked = ({ account, ...entry }: Entry): string =>
  typeof account === 'string' ? spell(account, null, entry) : spell(account.part, account.userId, entry);
