/** What this process knows of one payer's wallet, and the leave to spend that is given on it. */
import type { SQL } from 'drizzle-orm';
import { AppError, type AppErrorDetail } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

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
  /** What requests under way have set aside. */
  heldNanoUsd = 0n;
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

/** What a request wants set aside, in nano-USD. */
export interface Wanted {
  readonly mostNanoUsd: bigint;
  readonly leastNanoUsd: bigint;
  readonly fairNanoUsd: bigint;
}

interface Shortage extends Pick<AppErrorDetail, 'public'> {
  readonly code: 'insufficient_funds' | 'budget_exceeded';
  /** What is spent from and holds too little: `wallet`, or a budget by its name. */
  readonly fund: string;
  /** Neither spent nor set aside. */
  readonly availableNanoUsd: bigint;
  /** Set aside for requests under way. */
  readonly heldNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;
}

/** What a request is to be paid from holds too little. */
export class FundsError extends AppError {
  readonly fund: string;
  readonly availableNanoUsd: bigint;
  readonly heldNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;

  constructor(shortage: Shortage) {
    super(shortage);
    this.name = 'FundsError';
    this.fund = shortage.fund;
    this.availableNanoUsd = shortage.availableNanoUsd;
    this.heldNanoUsd = shortage.heldNanoUsd;
    this.balanceNanoUsd = shortage.balanceNanoUsd;
  }
}

export function walletIsShort(account: Account): FundsError {
  const balanceNanoUsd = account.availableNanoUsd ?? 0n;
  const { heldNanoUsd } = account;
  return new FundsError({
    code: 'insufficient_funds',
    public:
      balanceNanoUsd > 0n
        ? 'The wallet that pays for this key has too little money for this request. Top it up, then send the request again.'
        : 'The wallet that pays for this key has no money left. Top it up, then send the request again.',
    fund: 'wallet',
    availableNanoUsd: balanceNanoUsd - heldNanoUsd,
    heldNanoUsd,
    balanceNanoUsd,
  });
}

/** Leave to spend, given before a request and closed after it. */
export interface Admission {
  /**
   * Sets aside the most that the request can cost, or, where less can be had, that: at least `least`. Above `fair` it
   * takes at most a quarter of what is there, so that requests side by side all find some. Synchronous while what is
   * known is enough.
   * @throws FundsError
   */
  hold(wanted: Wanted): MaybePromise<bigint>;
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
  hold: ({ mostNanoUsd }) => mostNanoUsd,
  settle: () => 0n,
  release: () => undefined,
};

/** What an admission asks of those who keep the accounts. */
interface AccountKeeper {
  /** Undefined where the account is as fresh as it can be. */
  readAgain(account: Account): Promise<void> | undefined;
  letGo(account: Account): void;
}

export class PaidAdmission implements Admission {
  readonly #keeper: AccountKeeper;
  #account: Account | undefined;
  #heldNanoUsd = 0n;

  constructor(account: Account, keeper: AccountKeeper) {
    account.openAdmissions += 1;
    this.#account = account;
    this.#keeper = keeper;
  }

  hold(wanted: Wanted): MaybePromise<bigint> {
    const account = this.#open();
    const held = this.#take(wanted);
    if (held !== null) return held;
    const reading = this.#keeper.readAgain(account);
    if (reading === undefined) throw walletIsShort(account);
    return reading.then(() => {
      const heldNow = this.#take(wanted);
      if (heldNow === null) throw walletIsShort(account);
      return heldNow;
    });
  }

  /** Null where too little is there. */
  #take({ mostNanoUsd, leastNanoUsd, fairNanoUsd }: Wanted): bigint | null {
    const account = this.#open();
    const free = (account.availableNanoUsd ?? 0n) - account.heldNanoUsd + this.#heldNanoUsd;
    const share = lower(mostNanoUsd, higher(fairNanoUsd, free / 4n));
    const taken = lower(share, free);
    if (taken < leastNanoUsd) return null;
    account.heldNanoUsd += taken - this.#heldNanoUsd;
    this.#heldNanoUsd = taken;
    return taken;
  }

  settle(costNanoUsd: bigint): bigint {
    if (costNanoUsd < 0n) throw new RangeError('a request cannot cost less than nothing');
    this.#open().settle(costNanoUsd);
    this.release();
    return costNanoUsd;
  }

  release(): void {
    const account = this.#account;
    if (account === undefined) return;
    this.#account = undefined;
    account.heldNanoUsd -= this.#heldNanoUsd;
    account.openAdmissions -= 1;
    this.#keeper.letGo(account);
  }

  #open(): Account {
    if (this.#account === undefined) throw new Error('this admission has ended already');
    return this.#account;
  }
}

const lower = (one: bigint, other: bigint): bigint => (other < one ? other : one);
const higher = (one: bigint, other: bigint): bigint => (other > one ? other : one);
