/** What this process has leased of a fund, and what of that is held by requests under way. */
import { AppError } from '../base/errors.ts';
import { larger } from '../base/money.ts';
import type { BudgetPeriod } from './budget-window.ts';
import type { BudgetSubject } from './budgets.ts';
import type { Lease, LeaseAnswer } from './lease-rows.ts';

/** A client that is told to wait longer had better tell its person. */
const dayMs = 86_400_000;
/** For how long a fund that was found empty is refused from memory, unless word comes that it is not. */
const emptyForMs = 2_000;

/** Whoever's money it is: what a refusal says of it. */
export interface FundName {
  readonly kind: 'wallet' | 'budget';
  /** As a sentence names it: `the wallet that pays for this key`. */
  readonly title: string;
  /** Whose budget it is and of which period: `key`, `monthly`. */
  readonly budget?: { readonly of: BudgetSubject['kind']; readonly period: BudgetPeriod };
  /** When a budget's next window begins; null where there is none. */
  readonly resetsAtMs?: number | null;
}

/**
 * Three sums in nano-USD. `granted` moves with lease statements alone and is what the database has; `settled` and
 * `held` move in memory alone. So no order of events counts an amount twice. Its times are those of the monotonic clock.
 */
export class Fund {
  readonly id: number;
  readonly name: FundName;
  /** Requests that may still hold something of it. */
  users = 0;
  /** Settled here and not yet written with their usage rows. */
  unwrittenNanoUsd = 0n;
  /** When something was held of it the last time. */
  usedAtMs = Number.NEGATIVE_INFINITY;
  /** What others could still lease when the database was asked the last time. */
  leftNanoUsd = 0n;
  balanceNanoUsd = 0n;
  othersHave = false;
  #grantedNanoUsd = 0n;
  #settledNanoUsd = 0n;
  #heldNanoUsd = 0n;
  /** What the three leave: every request asks for it several times. */
  #freeNanoUsd = 0n;
  /** False until the database told what an earlier time of this fund in this process has left there. */
  #isKnown = false;
  #isDoubtful = false;
  #emptyUntilMs = Number.NEGATIVE_INFINITY;

  constructor(id: number, name: FundName) {
    this.id = id;
    this.name = name;
  }

  get heldNanoUsd(): bigint {
    return this.#heldNanoUsd;
  }

  /** What can be held now, without asking anyone; below zero once a lease was taken away. */
  get freeNanoUsd(): bigint {
    return this.#freeNanoUsd;
  }

  /** True when forgetting it would lose nothing. */
  get isIdle(): boolean {
    return (
      this.users === 0 &&
      this.#heldNanoUsd === 0n &&
      this.unwrittenNanoUsd === 0n &&
      (this.#isDoubtful || this.#grantedNanoUsd === this.#settledNanoUsd)
    );
  }

  /** The database may have more of it leased to this process than is known here. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  hold(amountNanoUsd: bigint, monotonicMs: number): void {
    this.#heldNanoUsd += amountNanoUsd;
    this.#freeNanoUsd -= amountNanoUsd;
    this.usedAtMs = monotonicMs;
  }

  letGo(amountNanoUsd: bigint, monotonicMs: number): void {
    this.#heldNanoUsd -= amountNanoUsd;
    this.#freeNanoUsd += amountNanoUsd;
    this.usedAtMs = monotonicMs;
  }

  settle(amountNanoUsd: bigint): void {
    this.#settledNanoUsd += amountNanoUsd;
    this.#freeNanoUsd -= amountNanoUsd;
    this.unwrittenNanoUsd += amountNanoUsd;
  }

  /** So much of what was settled is stored. While there is no lease it came off the balance alone, and off none to come. */
  written(amountNanoUsd: bigint): void {
    this.unwrittenNanoUsd -= amountNanoUsd;
    if (this.#isKnown) return;
    this.#settledNanoUsd -= amountNanoUsd;
    this.#reckonFree();
  }

  /** What was settled will never be written: it can be spent again. */
  writeOff(amountNanoUsd: bigint): void {
    this.#settledNanoUsd -= amountNanoUsd;
    this.#freeNanoUsd += amountNanoUsd;
    this.unwrittenNanoUsd -= amountNanoUsd;
  }

  /** Takes what is free out of the lease, to be given back. @returns how much that is. */
  giveUpFree(): bigint {
    const free = larger(this.freeNanoUsd, 0n);
    this.#grantedNanoUsd -= free;
    this.#freeNanoUsd -= free;
    return free;
  }

  learn(answer: LeaseAnswer, monotonicMs: number): void {
    this.correct(answer);
    this.leftNanoUsd = answer.leftNanoUsd;
    this.balanceNanoUsd = answer.balanceNanoUsd;
    this.othersHave = answer.othersHave;
    // What others have free of it comes to who asks for it: only a request that wants to hold something does.
    const isEmpty = this.freeNanoUsd <= 0n && answer.leftNanoUsd <= 0n && !answer.othersHave;
    this.#emptyUntilMs = isEmpty ? monotonicMs + emptyForMs : Number.NEGATIVE_INFINITY;
  }

  /** @param lease as the database has it. */
  correct({ grantedNanoUsd, settledNanoUsd }: Lease): void {
    if (!this.#isKnown) {
      this.#isKnown = true;
      // What is settled here and not written stands beside what the database has.
      this.#settledNanoUsd += settledNanoUsd;
    }
    this.#grantedNanoUsd = grantedNanoUsd;
    this.#reckonFree();
    // A database that forgot what it had confirmed, as a standby can that takes over, has less than was spent here.
    if (this.freeNanoUsd < 0n) this.#isDoubtful = true;
  }

  /**
   * The lease is no longer known, or was taken away: what is held of it stays held, and what is not written will be
   * taken off the next one, unless it is written before there is one.
   */
  lose(): void {
    this.#isDoubtful = this.unwrittenNanoUsd > 0n;
    this.#grantedNanoUsd = 0n;
    this.#settledNanoUsd = this.unwrittenNanoUsd;
    this.#reckonFree();
    this.#isKnown = false;
  }

  #reckonFree(): void {
    this.#freeNanoUsd = this.#grantedNanoUsd - this.#settledNanoUsd - this.#heldNanoUsd;
  }

  isEmptyAt(monotonicMs: number): boolean {
    return monotonicMs < this.#emptyUntilMs;
  }

  /** Nor have others anything free of it, who were asked: what they hold may take as long as their requests do. */
  foundEmpty(monotonicMs: number): void {
    if (this.freeNanoUsd <= 0n && this.leftNanoUsd <= 0n) this.#emptyUntilMs = monotonicMs + emptyForMs;
  }

  /** There may be more now. */
  invalidate(): void {
    this.#emptyUntilMs = Number.NEGATIVE_INFINITY;
    if (this.leftNanoUsd <= 0n) this.leftNanoUsd = 1n;
  }
}

/**
 * One object for each fund for as long as anybody has it, also when it was forgotten meanwhile: two would each take what
 * is leased for theirs.
 */
export class KnownFunds {
  readonly #known = new Map<number, WeakRef<Fund>>();
  readonly #collected = new FinalizationRegistry<number>((id) => {
    if (this.#known.get(id)?.deref() === undefined) this.#known.delete(id);
  });

  /** @param name of a fund that nobody has. */
  of(id: number, name: FundName): Fund {
    const known = this.#known.get(id)?.deref();
    if (known !== undefined) return known;
    const fund = new Fund(id, name);
    this.#known.set(id, new WeakRef(fund));
    this.#collected.register(fund, id);
    return fund;
  }
}

/**
 * Of funds that a process remembers, the first to be known first: once there are `most`, it forgets a tenth of those of
 * which nothing is pending. The others are kept, however many they are.
 * @returns which are forgotten.
 */
export function forgetIdle(funds: Map<number, Fund>, most: number): ReadonlySet<Fund> {
  const forgotten = new Set<Fund>();
  if (funds.size < most) return forgotten;
  const kept = Math.floor(most * 0.9);
  for (const [id, fund] of funds) {
    if (funds.size <= kept) break;
    if (!fund.isIdle) continue;
    funds.delete(id);
    forgotten.add(fund);
  }
  return forgotten;
}

/** A fund has too little for a request; with what a client may be told of it, in nano-USD. */
export class FundsError extends AppError {
  readonly fund: FundName;
  /** What could be held at once. */
  readonly availableNanoUsd: bigint;
  /** By requests under way. */
  readonly heldNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;

  constructor(fund: Fund, nowMs: number) {
    const { kind, resetsAtMs } = fund.name;
    const waitMs = (resetsAtMs ?? Number.POSITIVE_INFINITY) - nowMs;
    super({
      code: codes[kind],
      public: sentences[kind](fund),
      ...(waitMs < dayMs ? { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) } : {}),
    });
    this.fund = fund.name;
    this.availableNanoUsd = larger(fund.freeNanoUsd + larger(fund.leftNanoUsd, 0n), 0n);
    this.heldNanoUsd = fund.heldNanoUsd;
    this.balanceNanoUsd = fund.balanceNanoUsd;
  }
}

const codes = { wallet: 'insufficient_funds', budget: 'budget_exceeded' } as const;

const sentences = {
  wallet: ({ name: { title }, balanceNanoUsd }: Fund) =>
    `The ${title} has ${balanceNanoUsd > 0n ? 'too little money for this request' : 'no money left'}. Top it up, then send the request again.`,
  budget: ({ name: { title, resetsAtMs }, balanceNanoUsd }: Fund) =>
    `The ${title} ${balanceNanoUsd > 0n ? 'has too little left for this request' : 'is spent'}. ${
      resetsAtMs == null
        ? 'Have it raised'
        : `Have it raised, or wait until it begins anew at ${new Date(resetsAtMs).toISOString()}`
    }, then send the request again.`,
} as const;
