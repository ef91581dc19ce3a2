/** The books: journals and their entries, and the wallets whose balances follow from them. README.md says what moves where. */
import { asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { writeUsd } from '../base/money.ts';
import type { AuditAction, AuditDetails, AuditNote } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { accounts, entries, funds, journals, wallets } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';
import { type Entry, type HouseAccount, type Journal, requireSameJournal } from './journals.ts';
import { recallOf, recallTopic } from './lease-rows.ts';
import { markCredited, tellOfDeposit } from './money-events.ts';

/** Told when what a wallet can spend has become more; the key is the payer's id. */
export const walletTopic = 'wallet';

export interface Wallet {
  readonly userId: number;
  readonly fundId: number;
  readonly paidAccountId: number;
  readonly promoAccountId: number;
}

/** The payer's wallet, which is made when there is none; locked until the work ends. */
export async function openWallet(executor: Executor, userId: number): Promise<Wallet> {
  const found = await lockWallet(executor, userId);
  if (found !== undefined) return found;
  // In one statement, so that of two that make it at once one finds the other's.
  await executor.execute(sql`
    WITH made AS (
      INSERT INTO ${accounts} (kind, user_id) VALUES ('paid', ${userId}), ('promo', ${userId})
      ON CONFLICT DO NOTHING RETURNING id, kind
    ), fund AS (
      INSERT INTO ${funds} (balance_nano_usd) SELECT 0 WHERE (SELECT count(*) FROM made) = 2 RETURNING id
    )
    INSERT INTO ${wallets} (user_id, fund_id, paid_account_id, promo_account_id)
    SELECT ${userId}, fund.id, (SELECT id FROM made WHERE kind = 'paid'), (SELECT id FROM made WHERE kind = 'promo')
    FROM fund`);
  const made = await lockWallet(executor, userId);
  if (made === undefined) throw new Error('the wallet that was just made is not there');
  return made;
}

/** Of those that have one, in the order in which whoever settles usage locks them, so that nobody waits for each other. */
export async function lockWallets(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor
    .select({ id: funds.id })
    .from(wallets)
    .innerJoin(funds, eq(funds.id, wallets.fundId))
    .where(inArray(wallets.userId, userIds))
    .orderBy(asc(funds.id))
    .for('update', { of: funds });
}

/** The fund's row first, as everybody does it, so that nobody waits for each other. */
async function lockWallet(executor: Executor, userId: number): Promise<Wallet | undefined> {
  const [wallet] = await executor
    .select({
      userId: wallets.userId,
      fundId: wallets.fundId,
      paidAccountId: wallets.paidAccountId,
      promoAccountId: wallets.promoAccountId,
    })
    .from(wallets)
    .innerJoin(funds, eq(funds.id, wallets.fundId))
    .where(eq(wallets.userId, userId))
    .for('update', { of: funds });
  return wallet;
}

/**
 * Books the journal and moves the balances of the wallets in it; once for each business key.
 * @returns the journal's id, and whether it happened now.
 * @throws RangeError when the entries do not sum to zero, or there is none; AppError `conflict` where this business key
 *   is that of something else, or of what was taken back.
 */
export async function postJournal(work: Work, journal: Journal): Promise<{ id: number; isNew: boolean }> {
  const { executor } = work;
  const sums = sumByAccount(journal.entries);
  if (sums.size === 0) throw new RangeError('a journal has entries');
  if ([...sums.values()].reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n) !== 0n) {
    throw new RangeError('the entries of a journal sum to zero');
  }
  // Before anything is booked.
  const owners = [...new Set([...sums.values()].flatMap(({ account }) => ownerOf(account)))];
  if (owners.length > 1) await lockWallets(executor, owners);
  const open = new Map<number, Wallet>();
  for (const userId of owners.sort((a, b) => a - b)) open.set(userId, await openWallet(executor, userId));
  const [made] = await executor
    .insert(journals)
    .values({
      kind: journal.kind,
      businessKey: journal.businessKey,
      note: journal.note ?? '',
      ...(journal.createdBy === undefined ? {} : { createdBy: journal.createdBy }),
      ...(journal.reverses === undefined ? {} : { reverses: journal.reverses }),
      createdAt: new Date(work.clock.nowMs()),
    })
    .onConflictDoNothing({ target: journals.businessKey })
    .returning({ id: journals.id });
  if (made === undefined) {
    return { id: await requireSameJournal(executor, journal, [...sums.values()]), isNew: false };
  }
  const house = await houseAccounts(executor);
  const rows = [...sums.values()].map(({ account, amountNanoUsd }) => ({
    journalId: made.id,
    accountId: accountId(account, open, house),
    amountNanoUsd,
  }));
  await executor.insert(entries).values(rows);
  for (const wallet of open.values()) await moveWallet(work, wallet, journal.entries);
  return { id: made.id, isNew: true };
}

async function moveWallet(work: Work, wallet: Wallet, moved: readonly Entry[]): Promise<void> {
  let promo = 0n;
  let all = 0n;
  for (const { account, amountNanoUsd } of moved) {
    if (typeof account === 'string' || account.userId !== wallet.userId) continue;
    all += amountNanoUsd;
    if (account.part === 'promo') promo += amountNanoUsd;
  }
  const { executor } = work;
  await executor
    .update(funds)
    .set({ balanceNanoUsd: sql`${funds.balanceNanoUsd} + ${String(all)}::bigint` })
    .where(eq(funds.id, wallet.fundId));
  if (promo !== 0n) {
    await executor
      .update(wallets)
      .set({ promoNanoUsd: sql`${wallets.promoNanoUsd} + ${String(promo)}::bigint` })
      .where(eq(wallets.userId, wallet.userId));
  }
  work.announce(walletTopic, String(wallet.userId));
  if (all < 0n) recallFree(work, wallet);
  if (all > 0n) await markCredited(executor, wallet.userId);
}

/** There is less to spend: what processes have leased of it comes back, as far as nothing is held against it. */
const recallFree = (work: Work, { fundId }: Pick<Wallet, 'fundId'>): void =>
  work.announce(recallTopic, recallOf(fundId));

/** @throws RangeError when the amount is not more than nothing. */
function requirePositive(amountNanoUsd: bigint, what: string): void {
  if (amountNanoUsd <= 0n) throw new RangeError(`${what} must be more than nothing`);
}

export interface Deposit {
  readonly userId: number;
  readonly amountNanoUsd: bigint;
  /** Names the reason, such as the payment: a deposit happens once for each. */
  readonly businessKey: string;
  readonly note?: string;
  readonly createdBy?: number;
  /** What an account begins with was paid by nobody, so that nobody is told of a payment. */
  readonly isOpening?: true;
}

/**
 * @returns whether it happened now; false when the same was booked before by this business key.
 * @throws RangeError when the amount is not more than nothing; AppError `conflict` as `postJournal`.
 */
export async function deposit(work: Work, asked: Deposit): Promise<boolean> {
  const { userId, amountNanoUsd, isOpening = false, ...rest } = asked;
  requirePositive(amountNanoUsd, 'a deposit');
  const { isNew } = await postJournal(work, {
    kind: 'deposit',
    ...rest,
    entries: [
      { account: { userId, part: 'paid' }, amountNanoUsd },
      { account: 'payments', amountNanoUsd: -amountNanoUsd },
    ],
  });
  if (!isNew) return false;
  work.note(aboutWallet(userId, 'wallet.credited', { usd: writeUsd(amountNanoUsd) }));
  if (!isOpening) await tellOfDeposit(work, asked);
  return true;
}

/**
 * How far below nothing a payer may come; 0 for one who pays beforehand. Lowered below what is owed, nothing more is
 * spent until that is paid.
 * @throws RangeError for a negative limit.
 */
export async function setCreditLimit(work: Work, userId: number, limitNanoUsd: bigint): Promise<void> {
  if (limitNanoUsd < 0n) throw new RangeError('a credit limit is nothing or more');
  const wallet = await openWallet(work.executor, userId);
  await work.executor.update(funds).set({ floorNanoUsd: -limitNanoUsd }).where(eq(funds.id, wallet.fundId));
  recallFree(work, wallet);
  work.note(aboutWallet(userId, 'wallet.credit_limit_changed', { usd: writeUsd(limitNanoUsd) }));
  work.announce(walletTopic, String(userId));
}

export function aboutWallet(userId: number, action: AuditAction, details: AuditDetails): AuditNote {
  return { action, subject: { kind: 'wallet', id: userId }, owner: { kind: 'person', id: userId }, details };
}

/** The id of a house account, inside a statement. */
export const houseAccount = (kind: HouseAccount): SQL =>
  sql`(SELECT id FROM ${accounts} WHERE user_id IS NULL AND kind = ${kind})`;

const ownerOf = (account: Entry['account']): number[] =>
  typeof account === 'string' ? [] : [account.userId];

function sumByAccount(list: readonly Entry[]): Map<string, Entry> {
  const sums = new Map<string, Entry>();
  for (const { account, amountNanoUsd } of list) {
    const key = typeof account === 'string' ? account : `${account.part} ${account.userId}`;
    const sum = (sums.get(key)?.amountNanoUsd ?? 0n) + amountNanoUsd;
    sums.set(key, { account, amountNanoUsd: sum });
  }
  for (const [key, { amountNanoUsd }] of sums) if (amountNanoUsd === 0n) sums.delete(key);
  return sums;
}

async function houseAccounts(executor: Executor): Promise<ReadonlyMap<string, number>> {
  const rows = await executor.select().from(accounts).where(sql`${accounts.userId} IS NULL`);
  return new Map(rows.map(({ id, kind }) => [kind, id]));
}

function accountId(
  account: Entry['account'],
  open: ReadonlyMap<number, Wallet>,
  house: ReadonlyMap<string, number>,
): number {
  const wallet = typeof account === 'string' ? undefined : open.get(account.userId);
  const id =
    typeof account === 'string'
      ? house.get(account)
      : account.part === 'paid'
        ? wallet?.paidAccountId
        : wallet?.promoAccountId;
  if (id === undefined) throw new Error('an account of the journal is not there');
  return id;
}
