/** Leave to spend, given before a request and closed after it. */
import type { Account } from './account.ts';

export interface Payer {
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody. */
  readonly exempt: boolean;
}

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
