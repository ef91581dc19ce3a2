/**
 * A transaction that never touches its connection again once that is lost.
 *
 * postgres.js 3.4.9 sends ROLLBACK, and every later statement of the transaction, to the connection object even when
 * its socket is gone. That throws outside of any promise and ends the process, or lands in the transaction that uses
 * the object next.
 */
import type { Sql, TransactionSql } from 'postgres';
import { isConnectionLost } from './driver-error.ts';

export type TransactionWork<Result> = (transaction: TransactionSql) => Result | Promise<Result>;
type Unsafe = TransactionSql['unsafe'];

interface TransactionParts {
  readonly client: Sql;
  /** Stands in for the connection when it is lost: rejects every statement. */
  readonly refuse: Unsafe;
  readonly onLost: () => void;
}

export function runTransaction<Result>(
  parts: TransactionParts,
  work: TransactionWork<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    new GuardedTransaction<Result>(parts, reject).run(work).then(resolve, reject);
  });
}

class GuardedTransaction<Result> {
  readonly #parts: TransactionParts;
  readonly #reject: (reason: unknown) => void;
  #over = false;

  constructor(parts: TransactionParts, reject: (reason: unknown) => void) {
    this.#parts = parts;
    this.#reject = reject;
  }

  async run(work: TransactionWork<Result>): Promise<Result> {
    let result: { readonly value: Result } | undefined;
    try {
      await this.#parts.client.begin(async (transaction) => {
        result = { value: await this.#attempt(transaction, work) };
      });
    } finally {
      this.#over = true;
    }
    if (result === undefined) throw new Error('The transaction ended before its work did.');
    return result.value;
  }

  /** Settles like `work` while there is a connection; without one it stays open, so that no ROLLBACK follows. */
  #attempt<Value>(transaction: TransactionSql, work: TransactionWork<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const attempt = async () => await work(this.#guard(transaction));
      attempt().then(resolve, (error: unknown) => {
        if (!this.#over) return reject(error);
        this.#reject(error);
        this.#parts.onLost();
      });
    });
  }

  #guard(transaction: TransactionSql): TransactionSql {
    const send: Unsafe = transaction.unsafe;
    const nest = transaction.savepoint;
    const unsafe: Unsafe = (query, parameters, options) =>
      this.#watch((this.#over ? this.#parts.refuse : send)(query, parameters, options));
    const savepoint = <Value>(work: TransactionWork<Value>) =>
      nest((inner: TransactionSql) => this.#attempt(inner, work));
    return Object.assign(transaction, { unsafe, savepoint });
  }

  #watch<Pending extends Promise<unknown>>(pending: Pending): Pending {
    pending.catch((error: unknown) => {
      if (isConnectionLost(error)) this.#over = true;
    });
    return pending;
  }
}
