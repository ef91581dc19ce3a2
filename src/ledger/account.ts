/** What this process knows of one payer's wallet, and the leave to spend that is given on it. */
import type { SQL } from 'drizzle-orm';

/** A statement that subtracts charges in the database, until it is known to have done so or not. */
export interface Posting {
  /** True in the database once the charges are subtracted, and never before. */
  readonly proof: SQL<boolean>;
  /** Its answer was lost: whether it was carried out, or still will be, only the database knows. */
  isLost: boolean;
}

export interface Reading {
  readonly balanceNanoUsd: bigint;
  /** Those of the open postings that had been carried out when the balance was read, and so are in it. */
  readonly included: ReadonlySet<Posting>;
}

const freshForMs = 2_000;
const retryAfterMs = 1_000;
const unknownTime = Number.NEGATIVE_INFINITY;

/**
 * Two sums, each moved by its own events only, so that no order of them counts a charge twice: the stored balance moves
 * with readings and committed postings, the unposted charges with settling and with the word that a settled charge is
 * stored.
 */
export class Account {
  readonly payerId: number;
  openAdmissions = 0;
  /** The reading under way, shared by all who want one. */
  reading: Promise<void> | undefined;
  #balanceNanoUsd: bigint | undefined;
  #unpostedNanoUsd = 0n;
  readonly #openPostings = new Set<Posting>();
  /** Changes with everything that a reading under way may or may not have seen. */
  #version = 0;
  #freshUntilMs = unknownTime;
  #readingDueMs = unknownTime;

  constructor(payerId: number) {
    this.payerId = payerId;
  }

  /** Stored balance less what was settled here and is not stored yet; undefined before the first reading. */
  get availableNanoUsd(): bigint | undefined {
    return this.#balanceNanoUsd === undefined ? undefined : this.#balanceNanoUsd - this.#unpostedNanoUsd;
  }

  /** True while forgetting the account would lose something. */
  get isBusy(): boolean {
    return (
      this.openAdmissions > 0 ||
      this.#unpostedNanoUsd !== 0n ||
      this.#openPostings.size > 0 ||
      this.reading !== undefined
    );
  }

  get openPostings(): readonly Posting[] {
    return [...this.#openPostings];
  }

  isFresh(nowMs: number): boolean {
    return nowMs < this.#freshUntilMs;
  }

  isReadingDue(nowMs: number): boolean {
    return nowMs >= this.#readingDueMs;
  }

  settle(chargeNanoUsd: bigint): void {
    this.#unpostedNanoUsd += chargeNanoUsd;
  }

  /** A charge that was settled here is stored now. */
  confirm(chargeNanoUsd: bigint): void {
    const rest = this.#unpostedNanoUsd - chargeNanoUsd;
    this.#unpostedNanoUsd = rest > 0n ? rest : 0n;
  }

  openPosting(posting: Posting): void {
    this.#openPostings.add(posting);
    this.#version += 1;
  }

  /**
   * Does nothing the second time, nor when a reading was found to include it.
   * @param takenNanoUsd what the posting subtracted; 0 when it was not carried out.
   */
  closePosting(posting: Posting, takenNanoUsd: bigint): void {
    if (!this.#openPostings.delete(posting)) return;
    this.#version += 1;
    if (this.#balanceNanoUsd !== undefined) this.#balanceNanoUsd -= takenNanoUsd;
  }

  /**
   * The charges of postings whose answer was lost have been written anew, so that those are over.
   * @returns whether there were any: then only a reading tells what they did.
   */
  forgetLostPostings(): boolean {
    const lost = this.openPostings.filter(({ isLost }) => isLost);
    for (const posting of lost) this.closePosting(posting, 0n);
    return lost.length > 0;
  }

  /** The wallet changed elsewhere: what is known is no longer fresh, nor what a reading under way brings. */
  invalidate(): void {
    this.#version += 1;
    this.#freshUntilMs = unknownTime;
    this.#readingDueMs = unknownTime;
  }

  startReading(): { version: number; postings: readonly Posting[] } {
    return { version: this.#version, postings: this.openPostings };
  }

  /** @returns false when it cannot be told what the reading has seen: then read again. */
  finishReading(start: { version: number }, reading: Reading, nowMs: number): boolean {
    if (start.version !== this.#version) return false;
    for (const posting of reading.included) this.closePosting(posting, 0n);
    this.#balanceNanoUsd = reading.balanceNanoUsd;
    this.#freshUntilMs = nowMs + freshForMs;
    this.#readingDueMs = this.#freshUntilMs;
    return true;
  }

  /** No reading was sure: this one is better than nothing when no balance is known at all. */
  adoptUnsure(reading: Reading, nowMs: number): void {
    this.#balanceNanoUsd ??= reading.balanceNanoUsd;
    this.postponeReading(nowMs);
  }

  /** Leaves the database a moment before asking again in the background. */
  postponeReading(nowMs: number): void {
    this.#readingDueMs = nowMs + retryAfterMs;
  }
}

export interface Payer {
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody. */
  readonly exempt: boolean;
}

/** Leave to spend, given before a request and closed after it. */
export interface Admission {
  /**
   * Ends it with what the request cost.
   * @returns what the payer is charged: the cost, or 0 when exempt.
   * @throws RangeError for a negative cost; Error when it has ended already.
   */
  settle(costNanoUsd: bigint): bigint;
  /** Ends it without a charge; nothing when it has ended already, so that it can stand in a `finally`. */
  release(): void;
}

export const exemptAdmission: Admission = {
  settle: () => 0n,
  release: () => undefined,
};

export class PaidAdmission implements Admission {
  readonly #onEnd: (account: Account) => void;
  #account: Account | undefined;

  constructor(account: Account, onEnd: (account: Account) => void) {
    account.openAdmissions += 1;
    this.#account = account;
    this.#onEnd = onEnd;
  }

  settle(costNanoUsd: bigint): bigint {
    if (costNanoUsd < 0n) throw new RangeError('a request cannot cost less than nothing');
    if (this.#account === undefined) throw new Error('this admission has ended already');
    this.#account.settle(costNanoUsd);
    this.release();
    return costNanoUsd;
  }

  release(): void {
    const account = this.#account;
    if (account === undefined) return;
    this.#account = undefined;
    account.openAdmissions -= 1;
    this.#onEnd(account);
  }
}
