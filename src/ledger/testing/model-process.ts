/** One process of the model: the real desk, funds and admissions, and the batches and the spool that stand behind them. */
import type { Clock, Timer } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { ChangeListener } from '../../storage/change-feed.ts';
import { type Admission, FundedAdmission } from '../admission.ts';
import { Fund, FundsError } from '../fund.ts';
import { LeaseDesk } from '../lease-desk.ts';
import type { LeaseRows } from '../lease-rows.ts';
import type { MemoryBooks, Share } from './memory-books.ts';
import { AnswerLost, outside, type StatementWire } from './statement-wire.ts';

export const walletId = 1;
export const budgetId = 2;

/** What one request cost, from when it is in the spool. */
export interface Charge {
  readonly shares: ReadonlyMap<number, Share>;
  isStored: boolean;
}

export interface ModelParts {
  readonly wire: StatementWire;
  readonly books: MemoryBooks;
  readonly fundIds: readonly number[];
  /** Asks the others for what they have. */
  recall(fundId: number, holderId: number): void;
}

export class ModelProcess {
  readonly number: number;
  readonly clock = new ModelClock();
  readonly desk: LeaseDesk;
  readonly funds: ReadonlyMap<number, Fund>;
  /** All that it ever was. */
  readonly holders = new Set<number>();
  /** Settled, and not heard of as written. */
  charges: Charge[] = [];
  isAlive = true;
  isClosed = false;
  readonly #parts: ModelParts;
  readonly #listeners = new Set<ChangeListener>();

  constructor(number: number, parts: ModelParts) {
    this.number = number;
    this.#parts = parts;
    const listeners = this.#listeners;
    this.desk = new LeaseDesk({
      rows: this.#rows(),
      changes: {
        publish: () => Promise.reject(new Error('leases are asked for by their rows')),
        subscribe: (_topic, listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      clock: this.clock,
    });
    this.funds = new Map(
      parts.fundIds.map((id) => [
        id,
        new Fund(id, { kind: id === walletId ? 'wallet' : 'budget', title: `fund ${id}` }),
      ]),
    );
  }

  /** Of the topic of recalls. */
  tell(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }

  /** @returns undefined when it was refused. */
  async hold(most: bigint, least: bigint): Promise<Admission | undefined> {
    const { funds, desk, clock } = this;
    const wallet = funds.get(walletId) ?? null;
    const budget = funds.get(budgetId);
    const budgets = budget === undefined ? [] : [budget];
    const admission = new FundedAdmission({ wallet, budgets }, { desk, clock });
    try {
      await admission.hold({ mostNanoUsd: most, leastNanoUsd: least, fairNanoUsd: least });
      return admission;
    } catch (error) {
      admission.release();
      const cause = error instanceof AppError ? error.cause : error;
      if (error instanceof FundsError || cause instanceof AnswerLost) return undefined;
      throw error;
    }
  }

  /** As the batches of usage: tried again until it is heard of. */
  async write(): Promise<void> {
    const { wire, books } = this.#parts;
    for (;;) {
      const batch = [...this.charges];
      if (batch.length === 0) return;
      const holderId = this.desk.holderId ?? null;
      try {
        await wire.send(this.number, 'batch', () => storeCharges(books, batch, holderId));
      } catch (error) {
        if (error instanceof AnswerLost) continue;
        throw error;
      }
      this.charges = this.charges.filter((charge) => !batch.includes(charge));
      for (const { shares } of batch) this.#written(shares);
      return;
    }
  }

  /** Its spool is found by whoever starts next: that one fences it, writes what it owed, and gives its leases back. */
  async inherit(): Promise<void> {
    const { wire, books } = this.#parts;
    const send = (name: string, run: () => void) => wire.send(outside, name, run);
    for (const id of this.holders) await send('fence', () => books.fence(id));
    const last = Math.max(...this.holders);
    await send('replay', () => storeCharges(books, this.charges, last));
    for (const id of this.holders) await send('end', () => books.end(id));
  }

  #written(shares: ReadonlyMap<number, Share>): void {
    for (const [id, { leased }] of shares) this.funds.get(id)?.written(leased);
  }

  #rows(): LeaseRows {
    const { wire, books, recall } = this.#parts;
    const send = <Result>(name: string, run: () => Result) => wire.send(this.number, name, run);
    return {
      register: () =>
        send('register', () => {
          const holder = books.register();
          this.holders.add(holder.id);
          return holder;
        }),
      raiseEpoch: (holder) => send('raise epoch', () => books.raiseEpoch(holder)),
      noteAlive: () => Promise.resolve(),
      take: (holder, asks) => send('take', () => books.take(holder, asks)),
      giveBack: (holder, amounts) => send('give back', () => books.giveBack(holder, amounts)),
      read: (holder) => send('read', () => books.read(holder)),
      end: (id) => send('end', () => books.end(id)),
      recall: (fundId, holderId) => send('recall', () => recall(fundId, holderId)),
    };
  }
}

/** By fund, of a request that was settled. */
export function sharesOf(charged: bigint, { spentOfBudgets }: Admission): ReadonlyMap<number, Share> {
  const shares = new Map<number, Share>([[walletId, { amount: charged, leased: charged }]]);
  for (const { fundId, amountNanoUsd, leasedNanoUsd } of spentOfBudgets) {
    shares.set(fundId, { amount: amountNanoUsd, leased: leasedNanoUsd });
  }
  return shares;
}

/** What is stored already is left alone. */
function storeCharges(books: MemoryBooks, batch: readonly Charge[], holderId: number | null): void {
  const sums = new Map<number, Share>();
  for (const charge of batch) {
    if (charge.isStored) continue;
    charge.isStored = true;
    for (const [id, { amount, leased }] of charge.shares) {
      const sum = sums.get(id) ?? { amount: 0n, leased: 0n };
      sums.set(id, { amount: sum.amount + amount, leased: sum.leased + leased });
    }
  }
  books.settle(holderId, sums);
}

/** Nobody waits for what others give back; other timers fire as time is made to pass. */
class ModelClock implements Clock {
  #nowMs = 0;
  #timers: { readonly dueMs: number; readonly run: () => void }[] = [];
  #isStopped = false;

  nowMs = (): number => this.#nowMs;
  monotonicMs = (): number => this.#nowMs;
  sleep = (): Promise<void> => Promise.resolve();

  after = (delayMs: number, run: () => void): Timer => {
    const timer = { dueMs: this.#nowMs + delayMs, run };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      },
    };
  };

  pass(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ dueMs }) => dueMs > this.#nowMs);
    if (!this.#isStopped) for (const { run } of due) run();
  }

  stop(): void {
    this.#isStopped = true;
  }
}
