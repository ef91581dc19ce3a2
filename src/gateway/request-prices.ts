/** What one request pays by, and what that comes to: found once, and asked for the headers and again for the charge. */
import { sumOf, type TokenUsage, type Usage } from '../base/token-usage.ts';
import { costNanoUsd, type Model, type PricesInEffect, priceAt } from '../catalogue/index.ts';
import type { Candidate } from '../routing/index.ts';

interface PricedRequest {
  readonly arrivedAtMs: number;
  readonly opening: { readonly model: Model } | undefined;
  readonly candidate: Candidate | undefined;
}

const noPrices = {};

/** An answer that broke off, and that another one went on with. */
interface BrokenOff {
  readonly usage: TokenUsage;
  readonly costNanoUsd: bigint;
  readonly versionId: number | null;
}

export class RequestPrices {
  readonly #request: PricedRequest;
  #costed: Usage | undefined;
  #costNanoUsd = 0n;
  #pricedFor: Candidate | undefined;
  #prices: PricesInEffect | null | undefined;
  #brokenOff: BrokenOff | undefined;
  /** One version's prices of the sum are what both answers cost. */
  #isOneSum = false;

  constructor(request: PricedRequest) {
    this.#request = request;
  }

  /** The prices of its start, where it is served; null where there are none. */
  current(): PricesInEffect | null {
    const { opening, candidate, arrivedAtMs } = this.#request;
    if (opening === undefined) return null;
    if (this.#prices === undefined || this.#pricedFor !== candidate) {
      this.#pricedFor = candidate;
      this.#prices = priceAt(opening.model, candidate?.deployment ?? null, arrivedAtMs);
    }
    return this.#prices;
  }

  /** By which the counts of the whole request come to its cost; null where no one version does. */
  versionId(): number | null {
    return this.#brokenOff === undefined || this.#isOneSum ? (this.current()?.id ?? null) : null;
  }

  /** From now on another answer goes on, at its own prices. @param paidBy where this one was served. */
  brokeOff(usage: TokenUsage, paidBy: PricesInEffect | null): void {
    const cost = costNanoUsd(paidBy?.prices ?? noPrices, usage);
    this.#brokenOff = { usage, costNanoUsd: cost, versionId: paidBy?.id ?? null };
    this.#costed = undefined;
  }

  /** With what an answer took that broke off before. */
  totalOf(usage: Usage): Usage {
    return this.#brokenOff === undefined ? usage : sumOf(this.#brokenOff.usage, usage);
  }

  /** Each answer at its own prices. @param usage of the last one. */
  costOf(usage: Usage): bigint {
    if (this.#costed !== usage) {
      this.#costed = usage;
      const version = this.current();
      const cost = costNanoUsd(version?.prices ?? noPrices, usage);
      this.#costNanoUsd = this.#brokenOff === undefined ? cost : this.#sum(cost, usage, version);
    }
    return this.#costNanoUsd;
  }

  /** Rounded once where that is the same: a long prompt can cost more for each token, which two shorter ones do not. */
  #sum(cost: bigint, usage: Usage, version: PricesInEffect | null): bigint {
    const { costNanoUsd: before = 0n, versionId = null } = this.#brokenOff ?? {};
    const apart = before + cost;
    if (version === null || versionId !== version.id) return apart;
    const together = costNanoUsd(version.prices, this.totalOf(usage));
    this.#isOneSum = together >= apart - 1n && together <= apart + 1n;
    return this.#isOneSum ? together : apart;
  }
}
