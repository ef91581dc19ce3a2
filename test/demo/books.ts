/** The money of the demonstration: payers top up, are granted something, and pay for each day; budgets are as full as the month left them. */
import { eq, sql } from 'drizzle-orm';
import { openWallet, type Wallet } from '../../src/ledger/books.ts';
import { budgetSpan } from '../../src/ledger/budget-window.ts';
import { type BudgetSubject, listBudgets, openWindows } from '../../src/ledger/budgets.ts';
import { setBudget } from '../../src/ledger/index.ts';
import type { JournalKind } from '../../src/ledger/journals.ts';
import type { Executor } from '../../src/storage/database.ts';
import type { Storage } from '../../src/storage/index.ts';
import { budgetWindows } from '../../src/storage/schema/budgets.ts';
import {
  accounts,
  entries,
  funds,
  journals,
  promotionGrants,
  wallets,
} from '../../src/storage/schema/ledger.ts';
import { transact, type Work, type WorkParts } from '../../src/storage/work.ts';
import type { UsageRecord } from '../../src/usage/index.ts';

const dayMs = 86_400_000;
const usd = 1_000_000_000n;

/** What was charged and what it cost, a day each, while the requests are made. */
export class Tallies {
  readonly charged = new Map<number, Map<number, bigint>>();
  readonly #costs = new Map<string, Map<number, bigint>>();

  add({ startedAt, payerId, userId, keyId, organisationId, departmentId, ...record }: UsageRecord): void {
    const day = Math.floor(startedAt.getTime() / dayMs);
    if (record.chargedNanoUsd > 0n) addTo(this.charged, payerId, day, record.chargedNanoUsd);
    const subjects = { user: userId, key: keyId, organisation: organisationId, department: departmentId };
    for (const [kind, id] of Object.entries(subjects)) {
      if (id !== null) addTo(this.#costs, `${kind} ${id}`, day, record.costNanoUsd);
    }
  }

  /** What it cost since a moment at the beginning of a day. */
  costSince({ kind, id }: BudgetSubject, ms: number): bigint {
    const days = this.#costs.get(`${kind} ${id}`) ?? new Map<number, bigint>();
    return [...days].reduce((sum, [day, cost]) => (day * dayMs >= ms ? sum + cost : sum), 0n);
  }
}

function addTo<Key>(sums: Map<Key, Map<number, bigint>>, key: Key, day: number, amount: bigint): void {
  const days = sums.get(key) ?? new Map<number, bigint>();
  days.set(day, (days.get(day) ?? 0n) + amount);
  sums.set(key, days);
}

interface Planned {
  readonly kind: JournalKind;
  readonly businessKey: string;
  readonly note: string;
  readonly atMs: number;
  readonly paid: bigint;
  readonly promo: bigint;
}

interface Plan {
  readonly journals: readonly Planned[];
  readonly grants: readonly {
    readonly businessKey: string;
    readonly name: string;
    readonly amount: bigint;
    readonly atMs: number;
  }[];
  readonly balance: bigint;
  readonly promo: bigint;
  readonly promoSpent: bigint;
}

/** @param topUp what a payer pays in whenever the next day could not be paid for. */
function planPayer(payerId: number, charged: ReadonlyMap<number, bigint>, topUp: bigint): Plan {
  const planned: Planned[] = [];
  const grants: Plan['grants'][number][] = [];
  let [paid, promo, promoSpent] = [0n, 0n, 0n];
  const days = [...charged].sort(([one], [other]) => one - other);
  for (const [place, [day, amount]] of days.entries()) {
    const atMs = day * dayMs;
    if (place === 0 || place === Math.floor(days.length / 2)) {
      const name = place === 0 ? 'Welcome' : 'Thank you for half a year';
      const grant = {
        businessKey: `demonstration grant ${payerId} ${place}`,
        name,
        amount: topUp / 5n,
        atMs,
      };
      grants.push(grant);
      planned.push({
        kind: 'grant',
        businessKey: grant.businessKey,
        note: name,
        atMs,
        paid: 0n,
        promo: grant.amount,
      });
      promo += grant.amount;
    }
    while (paid + promo < amount + topUp / 10n) {
      const businessKey = `demonstration top-up ${payerId} ${planned.length}`;
      planned.push({ kind: 'deposit', businessKey, note: 'Top-up', atMs: atMs + 1, paid: topUp, promo: 0n });
      paid += topUp;
    }
    const ofPromo = promo < amount ? promo : amount;
    const businessKey = `demonstration usage ${payerId} ${day}`;
    planned.push({
      kind: 'usage',
      businessKey,
      note: '',
      atMs: atMs + dayMs - 1,
      paid: ofPromo - amount,
      promo: -ofPromo,
    });
    paid -= amount - ofPromo;
    promo -= ofPromo;
    promoSpent += ofPromo;
  }
  return { journals: planned, grants, balance: paid + promo, promo, promoSpent };
}

const houseOf: Partial<Record<JournalKind, 'payments' | 'promotions' | 'revenue'>> = {
  deposit: 'payments',
  grant: 'promotions',
  usage: 'revenue',
};

/** @param topUps in USD, by payer. */
export async function writeBooks(
  work: Work,
  tallies: Tallies,
  topUps: (payerId: number) => bigint,
): Promise<void> {
  const { executor, clock } = work;
  const house = await executor.select().from(accounts).where(sql`${accounts.userId} IS NULL`);
  const houseIds = new Map(house.map(({ id, kind }) => [kind, id]));
  for (const [payerId, charged] of tallies.charged) {
    const wallet = await openWallet(executor, payerId);
    const plan = planPayer(payerId, charged, topUps(payerId) * usd);
    const ids = await writeJournals(executor, plan.journals, { wallet, houseIds, nowMs: clock.nowMs() });
    await executor.insert(promotionGrants).values(
      plan.grants.map(({ businessKey, name, amount, atMs }) => ({
        ...{
          userId: payerId,
          name,
          createdAt: new Date(atMs),
          expiresAt: new Date(clock.nowMs() + 30 * dayMs),
        },
        ...{ journalId: ids.get(businessKey) ?? 0, grantedNanoUsd: amount, remainingNanoUsd: amount },
      })),
    );
    await executor.update(funds).set({ balanceNanoUsd: plan.balance }).where(eq(funds.id, wallet.fundId));
    await executor
      .update(wallets)
      .set({ promoNanoUsd: plan.promo, promoSpentNanoUsd: plan.promoSpent })
      .where(eq(wallets.userId, payerId));
  }
}

async function writeJournals(
  executor: Executor,
  planned: readonly Planned[],
  { wallet, houseIds, nowMs }: { wallet: Wallet; houseIds: ReadonlyMap<string, number>; nowMs: number },
): Promise<ReadonlyMap<string, number>> {
  const made = await executor
    .insert(journals)
    .values(
      planned.map(({ kind, businessKey, note, atMs }) => ({
        ...{ kind, businessKey, note, createdAt: new Date(Math.min(atMs, nowMs)) },
      })),
    )
    .returning({ id: journals.id, businessKey: journals.businessKey });
  const ids = new Map(made.map(({ id, businessKey }) => [businessKey, id]));
  await executor.insert(entries).values(
    planned.flatMap(({ kind, businessKey, paid, promo }) => {
      const lines = [
        { accountId: wallet.paidAccountId, amountNanoUsd: paid },
        { accountId: wallet.promoAccountId, amountNanoUsd: promo },
        { accountId: houseIds.get(houseOf[kind] ?? '') ?? 0, amountNanoUsd: -paid - promo },
      ];
      const journalId = ids.get(businessKey) ?? 0;
      return lines.flatMap((line) => (line.amountNanoUsd === 0n ? [] : { journalId, ...line }));
    }),
  );
  return ids;
}

/** Each with the part of it that is spent. */
export type WantedBudget = BudgetSubject & { readonly period: 'weekly' | 'monthly'; readonly spent: number };

export async function writeBudgets(
  parts: WorkParts & { readonly storage: Storage },
  tallies: Tallies,
  wanted: readonly WantedBudget[],
): Promise<void> {
  const { storage, clock } = parts;
  for (const { period, spent: share, ...subject } of wanted) {
    const { startsAtMs } = budgetSpan(period, clock.nowMs());
    const spent = tallies.costSince(subject, startsAtMs);
    const cents = (spent * 100n) / BigInt(Math.round(share * 100)) / (usd / 100n);
    const limitNanoUsd = (cents < 100n ? 100n : cents) * (usd / 100n);
    await transact(parts, (work) => setBudget(work, { subject, period, limitNanoUsd, managedBy: null }));
    const [budget] = await listBudgets(storage.db, clock.nowMs(), [subject]);
    if (budget === undefined) continue;
    const windows = await openWindows(storage.db, [{ budgetId: budget.id, startsAtMs }]);
    const fundId = windows.get(budget.id) ?? 0;
    await storage.db
      .update(budgetWindows)
      .set({ settledNanoUsd: spent })
      .where(eq(budgetWindows.fundId, fundId));
    await storage.db
      .update(funds)
      .set({ balanceNanoUsd: limitNanoUsd - spent })
      .where(eq(funds.id, fundId));
  }
}
