/** Funds and leases as the database has them, in memory: so fast that all orders of events can be tried. A test holds it against the real statements. */
import { larger, smaller } from '../../base/money.ts';
import type { Holder, Lease, LeaseAnswer, LeaseAsk } from '../lease-rows.ts';

export interface FundRow {
  balance: bigint;
  floor: bigint;
  leased: bigint;
}

export interface LeaseRow {
  granted: bigint;
  settled: bigint;
}

/** What a batch takes of one fund. */
export interface Share {
  readonly amount: bigint;
  readonly leased: bigint;
}

interface HolderRow {
  epoch: number;
  isFenced: boolean;
}

export class MemoryBooks {
  readonly funds = new Map<number, FundRow>();
  readonly holders = new Map<number, HolderRow>();
  /** By holder, then by fund. */
  readonly leases = new Map<number, Map<number, LeaseRow>>();
  #lastHolder = 0;

  register(): Holder {
    this.#lastHolder += 1;
    this.holders.set(this.#lastHolder, { epoch: 1, isFenced: false });
    this.leases.set(this.#lastHolder, new Map());
    return { id: this.#lastHolder, epoch: 1 };
  }

  raiseEpoch({ id }: Holder): Holder | null {
    const row = this.holders.get(id);
    if (row === undefined || row.isFenced) return null;
    row.epoch += 1;
    return { id, epoch: row.epoch };
  }

  fence(id: number): void {
    const row = this.holders.get(id);
    if (row === undefined) return;
    row.isFenced = true;
    row.epoch += 1;
  }

  take(holder: Holder, asks: readonly LeaseAsk[]): readonly LeaseAnswer[] {
    if (!this.#isCurrent(holder)) return [];
    return asks.flatMap(({ fundId, needNanoUsd: need, wantNanoUsd: want }) => {
      const fund = this.funds.get(fundId);
      if (fund === undefined) return [];
      const available = fund.balance - fund.floor - fund.leased;
      // As the database divides: towards zero.
      const share = larger(need, smaller(want, available / 4n));
      const amount = larger(0n, smaller(available, share));
      fund.leased += amount;
      const lease = this.#lease(holder.id, fundId);
      lease.granted += amount;
      return [
        {
          fundId,
          grantedNanoUsd: lease.granted,
          settledNanoUsd: lease.settled,
          leftNanoUsd: available - amount,
          balanceNanoUsd: fund.balance,
          othersHave: this.#othersHave(holder.id, fundId),
        },
      ];
    });
  }

  giveBack(holder: Holder, amounts: ReadonlyMap<number, bigint>): readonly number[] {
    if (!this.#isCurrent(holder)) return [];
    const its = [...amounts].flatMap(([fundId, amount]) => {
      const lease = this.leases.get(holder.id)?.get(fundId);
      return lease === undefined ? [] : [{ fundId, amount, lease, fund: this.fund(fundId) }];
    });
    for (const { amount, lease, fund } of its) {
      if (fund.leased < amount || lease.granted - amount < lease.settled) throw new Error('it has less');
    }
    for (const { amount, lease, fund } of its) {
      fund.leased -= amount;
      lease.granted -= amount;
    }
    return its.map(({ fundId }) => fundId);
  }

  read({ id }: Holder): ReadonlyMap<number, Lease> {
    return new Map(
      [...(this.leases.get(id) ?? [])].map(([fundId, { granted, settled }]) => [
        fundId,
        { grantedNanoUsd: granted, settledNanoUsd: settled },
      ]),
    );
  }

  end(id: number): void {
    for (const [fundId, lease] of this.leases.get(id) ?? []) {
      this.fund(fundId).leased -= lease.granted - lease.settled;
    }
    this.leases.delete(id);
    this.holders.delete(id);
  }

  settle(holderId: number | null, shares: ReadonlyMap<number, Share>): void {
    for (const [fundId, { amount, leased: due }] of shares) {
      const lease = holderId === null ? undefined : this.leases.get(holderId)?.get(fundId);
      const left = lease === undefined ? 0n : lease.granted - lease.settled;
      const leased = smaller(due, left);
      if (lease !== undefined) lease.settled += leased;
      const fund = this.fund(fundId);
      fund.balance -= amount;
      fund.leased -= leased;
    }
  }

  leftOf(id: number, fundId: number): bigint {
    const lease = this.leases.get(id)?.get(fundId);
    return lease === undefined ? 0n : lease.granted - lease.settled;
  }

  #isCurrent({ id, epoch }: Holder): boolean {
    const row = this.holders.get(id);
    return row !== undefined && !row.isFenced && row.epoch === epoch;
  }

  #othersHave(id: number, fundId: number): boolean {
    return [...this.leases.keys()].some((other) => other !== id && this.leftOf(other, fundId) > 0n);
  }

  #lease(holderId: number, fundId: number): LeaseRow {
    const its = this.leases.get(holderId) ?? new Map<number, LeaseRow>();
    this.leases.set(holderId, its);
    const lease = its.get(fundId) ?? { granted: 0n, settled: 0n };
    its.set(fundId, lease);
    return lease;
  }

  fund(id: number): FundRow {
    const fund = this.funds.get(id);
    if (fund === undefined) throw new Error(`there is no fund ${id}`);
    return fund;
  }
}
