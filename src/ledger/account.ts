/**
 * What this process knows of one payer's wallet. Two sums, each moved by its own events only, so that no order of
 * them counts a charge twice: the stored balance moves with readings and committed postings, the unposted charges
 * with settling and with the word that a settled charge is stored.
 */

/** Charges that a transaction subtracts in the database, until it is known to have committed or not. */
export interface Posting {
  readonly charges: ReadonlyMap<number, bigint>;
  /** The database's number for the transaction; undefined until the statement has answered. */
  transactionId: string | undefined;
}

/** How a transaction stood when a reading had been taken. */
export type TransactionStatus = 'in progress' | 'committed' | 'aborted';

export interface Reading {
  readonly balanceNanoUsd: bigint;
  readonly statuses: ReadonlyMap<string, TransactionStatus>;
}

const freshForMs = 2_000;
const retryAfterMs = 1_000;
const unknownTime = Number.NEGATIVE_INFINITY;

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

  get hasOpenPostings(): boolean {
    return this.#openPostings.size > 0;
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

  /** Does nothing the second time. */
  closePosting(posting: Posting, status: 'committed' | 'aborted'): void {
    if (!this.#openPostings.delete(posting)) return;
    this.#version += 1;
    if (status === 'aborted' || this.#balanceNanoUsd === undefined) return;
    this.#balanceNanoUsd -= posting.charges.get(this.payerId) ?? 0n;
  }

  /** The wallet changed elsewhere: what is known is no longer fresh, nor what a reading under way brings. */
  invalidate(): void {
    this.#version += 1;
    this.#freshUntilMs = unknownTime;
    this.#readingDueMs = unknownTime;
  }

  startReading(): { version: number; transactionIds: readonly string[]; isAmbiguous: boolean } {
    const postings = [...this.#openPostings];
    const transactionIds = postings.flatMap((posting) => posting.transactionId ?? []);
    return {
      version: this.#version,
      transactionIds,
      isAmbiguous: transactionIds.length < postings.length,
    };
  }

  /** @returns false when it cannot be told which postings the reading has seen: then read again. */
  finishReading(start: { version: number; isAmbiguous: boolean }, reading: Reading, nowMs: number): boolean {
    if (start.isAmbiguous || start.version !== this.#version) return false;
    let isSure = true;
    for (const posting of [...this.#openPostings]) {
      const status = reading.statuses.get(posting.transactionId ?? '');
      if (status === 'in progress') continue;
      this.closePosting(posting, status ?? 'aborted');
      // It may have committed just after the balance was read. The next reading has seen it for certain.
      if (status === 'committed') isSure = false;
    }
    if (!isSure) return false;
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
