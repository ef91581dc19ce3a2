/**
 * The most that a request can cost, from the most that it can use: what a wallet sets aside for it. README.md in this
 * folder says what is metered; nothing that `costNanoUsd` charges within the bound is above what is told here.
 */
import type { Extras, ServiceTier } from '../base/token-usage.ts';
import type { Prices, TokenMeter } from './model.ts';
import { findPrice, variantsOf } from './price.ts';

/** An upper bound of what a request uses. What is left out is not used. */
export interface MostUsage {
  /** All that is seen of the input, whatever a cache serves or stores of it. */
  readonly inputTokens: number;
  /** Those of it that can be sound. */
  readonly audioInputTokens?: number;
  /** Some of the input may be kept in a cache for an hour, which is the dearest way. */
  readonly isStoredForAnHour?: boolean;
  readonly outputTokens: number;
  /** The answer may have sound, or images. */
  readonly hasSound?: boolean;
  readonly hasImages?: boolean;
  /** Ways to be served beside the usual one. */
  readonly tiers?: readonly ServiceTier[];
  readonly audioMs?: number;
  readonly characters?: number;
  readonly rerankUnits?: number;
  /** What may come beside it and nobody can see beforehand, such as what tools of the vendor find. */
  readonly unseen?: MostUnseen;
}

export interface MostUnseen extends Pick<Extras, 'web_search' | 'file_search' | 'container' | 'image'> {
  readonly inputTokens: number;
}

/** In millionths of a nano-USD, as prices are. */
interface Rates {
  readonly seen: bigint;
  readonly unseen: bigint;
  readonly eachOutput: bigint;
}

const millionths = 1_000_000n;
const noTiers: readonly ServiceTier[] = [];

export class MostCost {
  readonly #rates: readonly Rates[];
  readonly #outputTokens: number;

  /** @param pricesOfAll of everyone who may serve the request: the dearest counts. */
  constructor(pricesOfAll: readonly Prices[], usage: MostUsage) {
    this.#rates = pricesOfAll.map((prices) => ratesOf(prices, usage));
    this.#outputTokens = usage.outputTokens;
  }

  /** With all of the output, and all that cannot be seen. */
  get wholeNanoUsd(): bigint {
    return this.#dearest(({ seen, unseen, eachOutput }) => {
      return seen + unseen + BigInt(this.#outputTokens) * eachOutput;
    });
  }

  /** With so much output and nothing that cannot be seen. */
  withOutputNanoUsd(outputTokens: number): bigint {
    return this.#dearest(({ seen, eachOutput }) => seen + BigInt(outputTokens) * eachOutput);
  }

  /**
   * How much output can be paid with an amount. What cannot be seen keeps what it may cost, but at most half of what the
   * input leaves: it is seldom used up, and an answer is what the request is for.
   */
  outputFor(amountNanoUsd: bigint): number {
    let least = this.#outputTokens;
    for (const { seen, unseen, eachOutput } of this.#rates) {
      const rest = amountNanoUsd * millionths - seen;
      if (rest < 0n) return 0;
      if (eachOutput === 0n) continue;
      const left = rest - (unseen < rest / 2n ? unseen : rest / 2n);
      const tokens = left / eachOutput;
      if (tokens < BigInt(least)) least = Number(tokens);
    }
    return least;
  }

  #dearest(millionthsOf: (rates: Rates) => bigint): bigint {
    let most = 0n;
    for (const rates of this.#rates) {
      const cost = (millionthsOf(rates) + millionths - 1n) / millionths;
      if (cost > most) most = cost;
    }
    return most;
  }
}

const inputMeters = ['cached_input', 'cache_write_5m'] as const;

function ratesOf(prices: Prices, usage: MostUsage): Rates {
  const { inputTokens, audioInputTokens = 0, isStoredForAnHour = false, unseen } = usage;
  const dearest = dearestOf(prices, usage);
  const input = dearest('input', 0n);
  let each = input;
  for (const meter of inputMeters) each = higher(each, dearest(meter, input));
  if (isStoredForAnHour) each = higher(each, dearest('cache_write_1h', input));
  const heard = Math.min(audioInputTokens, inputTokens);
  const eachHeard = heard === 0 ? each : higher(each, dearest('audio_input', input));
  const output = dearest('output', 0n);
  let eachOutput = output;
  // All of it may be thought.
  eachOutput = higher(eachOutput, dearest('reasoning', output));
  if (usage.hasSound === true) eachOutput = higher(eachOutput, dearest('audio_output', output));
  if (usage.hasImages === true) eachOutput = higher(eachOutput, dearest('image_output', output));
  const seen =
    line(inputTokens - heard, each) +
    line(heard, eachHeard) +
    line(usage.characters, prices.character) +
    line(usage.rerankUnits, prices.rerank_unit) +
    // Seconds are counted in milliseconds.
    (line(usage.audioMs, prices.audio_second) + 999n) / 1000n;
  return { seen, unseen: unseen === undefined ? 0n : unseenMillionths(prices, unseen, each), eachOutput };
}

function unseenMillionths(prices: Prices, unseen: MostUnseen, eachInput: bigint): bigint {
  return (
    line(unseen.inputTokens, eachInput) +
    line(unseen.web_search, prices.web_search) +
    line(unseen.file_search, prices.file_search) +
    line(unseen.container, prices.container) +
    line(unseen.image, prices.image)
  );
}

/** The highest price of a meter in any way to be served, for a prompt of any length up to the bound. */
function dearestOf(prices: Prices, { inputTokens, unseen, tiers = noTiers }: MostUsage) {
  const variants = variantsOf(prices);
  if (variants === null && tiers.length === 0) {
    return (meter: TokenMeter, fallback: bigint): bigint => prices[meter] ?? fallback;
  }
  const prompt = inputTokens + (unseen?.inputTokens ?? 0);
  const exceeded = variants?.filter((thousands) => prompt > thousands * 1000) ?? [];
  return (meter: TokenMeter, fallback: bigint): bigint => {
    let most: bigint | undefined;
    for (const tier of [null, ...tiers]) {
      // A shorter prompt exceeds fewer lengths.
      for (let from = 0; from <= exceeded.length; from += 1) {
        const price = findPrice(prices, meter, { tier, lengths: exceeded.slice(from) });
        if (price !== undefined && (most === undefined || price > most)) most = price;
      }
    }
    return most ?? fallback;
  };
}

const higher = (one: bigint, other: bigint): bigint => (other > one ? other : one);

function line(count = 0, nanoUsdPerMillion = 0n): bigint {
  return count === 0 ? 0n : BigInt(count) * nanoUsdPerMillion;
}
