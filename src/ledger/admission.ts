/** Leave to spend: what is held for one request of all the funds that pay for it, until its cost is known. */
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { larger, smaller } from '../base/money.ts';
import { type Fund, FundsError } from './fund.ts';
import type { LeaseDesk } from './lease-desk.ts';

/** What a request wants set aside, in nano-USD. */
export interface Wanted {
  /** The most that it can cost. */
  readonly mostNanoUsd: bigint;
  /** With less it is not worth asking a provider. */
  readonly leastNanoUsd: bigint;
  /** Above it, a request that cannot have all takes at most a quarter of what is there: others want some too. */
  readonly fairNanoUsd: bigint;
}

/** What one request took off a budget's window, in nano-USD. */
export interface BudgetSpending {
  readonly fundId: number;
  readonly amountNanoUsd: bigint;
  /** Of it, what this process had leased: a cost above its hold may be more. */
  readonly leasedNanoUsd: bigint;
}

export interface Admission {
  /**
   * Sets aside the most that the request can cost, or, where less can be had, that; once. Synchronous while the leases
   * have room.
   * @throws FundsError when less than `leastNanoUsd` can be had; what the database throws when it is away; Error when it
   *   has ended already, since nobody would give back what it sets aside.
   */
  hold(wanted: Wanted): MaybePromise<bigint>;
  /**
   * Ends it with what the request cost. A promise only where that is more than what was set aside.
   * @returns what the payer is charged: the cost, or 0 when exempt; less where their wallet has no more.
   * @throws RangeError for a negative cost; Error when it has ended already.
   */
  settle(costNanoUsd: bigint): MaybePromise<bigint>;
  /** What its end took off budgets: the whole cost off each, also of a payer who is exempt. Empty before. */
  readonly spentOfBudgets: readonly BudgetSpending[];
  /** Ends it without a charge; nothing when it has ended already, so that it can stand in a `finally`. */
  release(): void;
}

export const unchargedAdmission: Admission = {
  spentOfBudgets: [],
  hold: ({ mostNanoUsd }) => mostNanoUsd,
  settle: () => 0n,
  release: () => undefined,
};

/** Between the times that the other processes are asked for what they have free. */
const recallPausesMs = [25, 100, 200] as const;

/** Whose money it is, and whose budgets count it. */
export interface PayingFunds {
  /** Null for a payer who is exempt. */
  readonly wallet: Fund | null;
  readonly budgets: readonly Fund[];
}

export interface AdmissionParts {
  readonly desk: LeaseDesk;
  readonly clock: Clock;
}

const none: readonly never[] = [];

export class FundedAdmission implements Admission {
  spentOfBudgets: readonly BudgetSpending[] = none;
  readonly #wallet: Fund | null;
  readonly #budgets: readonly Fund[];
  readonly #funds: readonly Fund[];
  readonly #parts: AdmissionParts;
  #heldNanoUsd = 0n;
  #isOpen = true;

  /** All of them pay the whole cost; there is at least one. */
  constructor({ wallet, budgets }: PayingFunds, parts: AdmissionParts) {
    this.#wallet = wallet;
    this.#budgets = budgets;
    this.#funds = wallet === null ? budgets : [wallet, ...budgets];
    this.#parts = parts;
    for (const fund of this.#funds) fund.users += 1;
  }

  hold(wanted: Wanted): MaybePromise<bigint> {
    if (!this.#isOpen) throw new Error('this admission has ended already');
    const amount = this.#share(wanted);
    if (this.#free() < amount) return this.#holdLater(wanted);
    this.#setAside(amount);
    this.#fetchAhead(amount);
    return amount;
  }

  settle(costNanoUsd: bigint): MaybePromise<bigint> {
    if (costNanoUsd < 0n) throw new RangeError('a request cannot cost less than nothing');
    if (!this.#isOpen) throw new Error('this admission has ended already');
    const missing = costNanoUsd - this.#heldNanoUsd;
    if (missing <= 0n || this.#free() >= missing) return this.#end(costNanoUsd);
    this.#isOpen = false;
    return this.#settleLater(costNanoUsd);
  }

  release(): void {
    if (this.#isOpen) this.#end(0n);
  }

  async #holdLater(wanted: Wanted): Promise<bigint> {
    const { mostNanoUsd, leastNanoUsd } = wanted;
    const fair = smaller(wanted.fairNanoUsd, mostNanoUsd);
    for (let attempt = 0; ; attempt += 1) {
      await this.#lease({ mostNanoUsd, fairNanoUsd: fair });
      const amount = smaller(this.#share(wanted), this.#free());
      const isLast = attempt === recallPausesMs.length;
      if (amount < fair && !isLast && (await this.#findMore(this.#funds, fair, recallPausesMs[attempt] ?? 0)))
        continue;
      if (amount < leastNanoUsd || !this.#isOpen) break;
      this.#setAside(amount);
      return amount;
    }
    const tightest = this.#tightest();
    const { clock } = this.#parts;
    tightest.foundEmpty(clock.monotonicMs());
    throw new FundsError(tightest, clock.nowMs());
  }

  /** What it asks for, and no more than a quarter of what is there beyond what is fair. */
  #share(wanted: Wanted): bigint {
    let share = wanted.mostNanoUsd;
    const ample = share * 4n;
    for (const fund of this.#funds) {
      const there = fund.freeNanoUsd + larger(fund.leftNanoUsd, 0n);
      // Nearly always, and what is fair is not worked out then.
      if (there >= ample) continue;
      share = smaller(share, larger(wanted.fairNanoUsd, there / 4n));
    }
    return share;
  }

  async #lease({ mostNanoUsd, fairNanoUsd }: { mostNanoUsd: bigint; fairNanoUsd: bigint }): Promise<void> {
    const asking: Promise<void>[] = [];
    for (const fund of this.#funds) {
      const free = fund.freeNanoUsd;
      if (free >= mostNanoUsd) continue;
      const needNanoUsd = larger(fairNanoUsd - free, 0n);
      // As much again as is held, so that the next ones find some.
      const wantNanoUsd = mostNanoUsd - free + fund.heldNanoUsd;
      asking.push(this.#parts.desk.take(fund, { needNanoUsd, wantNanoUsd }));
    }
    await Promise.all(asking);
  }

  /** @returns whether there may be more now: left to lease, or free at other processes, which are asked for it. */
  async #findMore(funds: readonly Fund[], fairNanoUsd: bigint, pauseMs: number): Promise<boolean> {
    const { desk, clock } = this.#parts;
    const short = funds.filter((fund) => fund.freeNanoUsd < fairNanoUsd);
    const elsewhere = short.filter((fund) => fund.leftNanoUsd <= 0n);
    if (elsewhere.some((fund) => !fund.othersHave)) return false;
    for (const fund of elsewhere) await desk.recall(fund);
    if (elsewhere.length > 0) await clock.sleep(pauseMs);
    return true;
  }

  /** In the background, when the next request like this one would have to wait. */
  #fetchAhead(amountNanoUsd: bigint): void {
    const { desk } = this.#parts;
    for (const fund of this.#funds) {
      if (fund.freeNanoUsd >= amountNanoUsd || fund.leftNanoUsd <= 0n || desk.isAsking(fund)) continue;
      desk.take(fund, { needNanoUsd: 0n, wantNanoUsd: fund.heldNanoUsd }).catch(() => undefined);
    }
  }

  /**
   * What it cost beyond what was set aside is taken as far as it can be had. Other processes are asked for what they have of
   * the wallet alone: budgets count the whole of a cost, whoever has leases of them.
   */
  async #settleLater(costNanoUsd: bigint): Promise<bigint> {
    const missing = costNanoUsd - this.#heldNanoUsd;
    try {
      for (let attempt = 0; ; attempt += 1) {
        const asked = this.#funds.map(async (fund) => {
          const needNanoUsd = missing - fund.freeNanoUsd;
          if (needNanoUsd > 0n) await this.#parts.desk.take(fund, { needNanoUsd, wantNanoUsd: 0n });
        });
        await Promise.all(asked);
        const pauseMs = recallPausesMs[attempt];
        if (this.#wallet === null || this.#wallet.freeNanoUsd >= missing || pauseMs === undefined) break;
        if (!(await this.#findMore([this.#wallet], missing, pauseMs))) break;
      }
    } catch {
      // Without the database no more can be had; what is held is charged.
    }
    return this.#end(costNanoUsd);
  }

  #setAside(amountNanoUsd: bigint): void {
    const nowMs = this.#parts.clock.monotonicMs();
    this.#heldNanoUsd += amountNanoUsd;
    for (const fund of this.#funds) fund.hold(amountNanoUsd, nowMs);
  }

  #end(costNanoUsd: bigint): bigint {
    this.#isOpen = false;
    if (costNanoUsd > 0n && this.#budgets.length > 0) {
      this.spentOfBudgets = this.#budgets.map((budget) => ({
        fundId: budget.id,
        amountNanoUsd: costNanoUsd,
        leasedNanoUsd: this.#endOn(budget, costNanoUsd),
      }));
    } else {
      for (const budget of this.#budgets) this.#endOn(budget, 0n);
    }
    return this.#wallet === null ? 0n : this.#endOn(this.#wallet, costNanoUsd);
  }

  /** @returns how much of the cost the lease has. */
  #endOn(fund: Fund, costNanoUsd: bigint): bigint {
    const leased = smaller(costNanoUsd, this.#heldNanoUsd + larger(fund.freeNanoUsd, 0n));
    fund.letGo(this.#heldNanoUsd, this.#parts.clock.monotonicMs());
    fund.settle(leased);
    fund.users -= 1;
    return leased;
  }

  #free(): bigint {
    return this.#tightest().freeNanoUsd;
  }

  #tightest(): Fund {
    const [first] = this.#funds;
    if (first === undefined) throw new Error('somebody pays for every request');
    let least = first;
    for (const fund of this.#funds) if (fund.freeNanoUsd < least.freeNanoUsd) least = fund;
    return least;
  }
}
