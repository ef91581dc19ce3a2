/** The accounts of the payers seen last, bounded, without ever forgetting one that has something pending. */
import { LRUCache } from 'lru-cache';
import { Account } from './account.ts';

export class AccountCache {
  readonly #recent: LRUCache<number, Account>;
  /** Fell out of the cache while busy. */
  readonly #kept = new Map<number, Account>();

  constructor(maxAccounts: number) {
    this.#recent = new LRUCache({
      max: maxAccounts,
      dispose: (account, payerId, reason) => {
        if (reason === 'evict' && account.isBusy) this.#kept.set(payerId, account);
      },
    });
  }

  /** Counts as a use; makes the account when there is none. */
  get(payerId: number): Account {
    const recent = this.#recent.get(payerId);
    if (recent !== undefined) return recent;
    const account = this.#kept.get(payerId) ?? new Account(payerId);
    this.#kept.delete(payerId);
    this.#recent.set(payerId, account);
    return account;
  }

  /** Does not count as a use. */
  find(payerId: number): Account | undefined {
    return this.#recent.peek(payerId) ?? this.#kept.get(payerId);
  }

  *all(): Iterable<Account> {
    yield* this.#recent.values();
    yield* this.#kept.values();
  }

  /** Call when an account may have become idle. */
  letGo(account: Account): void {
    if (this.#kept.size > 0 && !account.isBusy) this.#kept.delete(account.payerId);
  }

  get size(): number {
    return this.#recent.size + this.#kept.size;
  }
}
