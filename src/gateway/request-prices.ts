/** What one request pays by, and what that comes to: found once, and asked for the headers and again for the charge. */
import type { Usage } from '../base/token-usage.ts';
import { costNanoUsd, type Model, type PricesInEffect, priceAt } from '../catalogue/index.ts';
import type { Candidate } from '../routing/index.ts';

interface PricedRequest {
  readonly arrivedAtMs: number;
  readonly opening: { readonly model: Model } | undefined;
  readonly candidate: Candidate | undefined;
}

const noPrices = {};

export class RequestPrices {
  readonly #request: PricedRequest;
  #costed: Usage | undefined;
  #costNanoUsd = 0n;
  #pricedFor: Candidate | undefined;
  #prices: PricesInEffect | null | undefined;

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

  costOf(usage: Usage): bigint {
    if (this.#costed !== usage) {
      this.#costed = usage;
      this.#costNanoUsd = costNanoUsd(this.current()?.prices ?? noPrices, usage);
    }
    return this.#costNanoUsd;
  }
}
