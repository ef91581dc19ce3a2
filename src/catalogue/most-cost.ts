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
  /** With all of the output, and all that cannot be seen. */
  readonly wholeNanoUsd: bigint;
  /** The most output that there can be, all choices together. */
  readonly outputTokens: number;
  readonly #rates: readonly Rates[];

  /** @param pricesOfAll of everyone who may serve the request: the dearest counts. */
  constructor(pricesOfAll: readonly Prices[], usage: MostUsage) {
    this.#rates = pricesOfAll.map((prices) => ratesOf(prices, usage));
    this.outputTokens = usage.outputTokens;
    this.wholeNanoUsd = this.#dearest(usage.outputTokens, true);
  }

  /** With so much output and nothing that cannot be seen. */
  withOutputNanoUsd(outputTokens: number): bigint {
    return this.#dearest(outputTokens, false);
  }

  /**
   * How much output can be paid with an amount. What cannot be seen keeps what it may cost, but at most half of what the
   * input leaves: it is seldom used up, and an answer is what the request is for.
   */
  outputFor(amountNanoUsd: bigint): number {
    let least = this.outputTokens;
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

  #dearest(outputTokens: number, withUnseen: boolean): bigint {
    const output = BigInt(outputTokens);
    let most = 0n;
    for (const { seen, unseen, eachOutput } of this.#rates) {
      const cost = seen + output * eachOutput;
      most = higher(most, withUnseen && unseen !== 0n ? cost + unseen : cost);
    }
    return (most + millionths - 1n) / millionths;
  }
}

/** The highest price of a token of each kind, whatever else it may be charged as. */
interface Highest {
  readonly input: bigint;
  /** Where some may be kept for an hour. */
  readonly storedInput: bigint;
  readonly audioInput: bigint;
  /** All of it may be thought. */
  readonly output: bigint;
  readonly audioOutput: bigint;
  readonly imageOutput: bigint;
}

type PriceOf = (meter: TokenMeter, fallback: bigint) => bigint;

function highestOf(dearest: PriceOf): Highest {
  const usual = dearest('input', 0n);
  const input = higher(higher(usual, dearest('cached_input', usual)), dearest('cache_write_5m', usual));
  const written = dearest('output', 0n);
  return {
    input,
    storedInput: higher(input, dearest('cache_write_1h', usual)),
    audioInput: dearest('audio_input', usual),
    output: higher(written, dearest('reasoning', written)),
    audioOutput: dearest('audio_output', written),
    imageOutput: dearest('image_output', written),
  };
}

/** Prices are one object until the catalogue is read anew. */
const knownHighest = new WeakMap<Prices, Highest>();

/** In any way to be served, for a prompt of any length up to the bound. */
function highestPrices(prices: Prices, usage: MostUsage): Highest {
  const { tiers = noTiers } = usage;
  const variants = variantsOf(prices);
  if (variants !== null || tiers.length > 0) return highestOf(dearestOf(prices, usage));
  const known = knownHighest.get(prices);
  if (known !== undefined) return known;
  const highest = highestOf((meter, fallback) => prices[meter] ?? fallback);
  knownHighest.set(prices, highest);
  return highest;
}

function ratesOf(prices: Prices, usage: MostUsage): Rates {
  const { inputTokens, audioInputTokens = 0, isStoredForAnHour = false, unseen } = usage;
  const highest = highestPrices(prices, usage);
  const each = isStoredForAnHour ? highest.storedInput : highest.input;
  const heard = Math.min(audioInputTokens, inputTokens);
  let eachOutput = highest.output;
  if (usage.hasSound === true) eachOutput = higher(eachOutput, highest.audioOutput);
  if (usage.hasImages === true) eachOutput = higher(eachOutput, highest.imageOutput);
  let seen = line(inputTokens - heard, each);
  if (heard > 0) seen += line(heard, higher(each, highest.audioInput));
  if (hasUnits(usage)) seen += unitMillionths(prices, usage);
  return { seen, unseen: unseen === undefined ? 0n : unseenMillionths(prices, unseen, each), eachOutput };
}

const hasUnits = ({ characters = 0, rerankUnits = 0, audioMs = 0 }: MostUsage): boolean =>
  characters > 0 || rerankUnits > 0 || audioMs > 0;

function unitMillionths(prices: Prices, { characters, rerankUnits, audioMs }: MostUsage): bigint {
  return (
    line(characters, prices.character) +
    line(rerankUnits, prices.rerank_unit) +
    // Seconds are counted in milliseconds.
    (line(audioMs, prices.audio_second) + 999n) / 1000n
  );
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
function dearestOf(prices: Prices, { inputTokens, unseen, tiers = noTiers }: MostUsage): PriceOf {
  const prompt = inputTokens + (unseen?.inputTokens ?? 0);
  const exceeded = variantsOf(prices)?.filter((thousands) => prompt > thousands * 1000) ?? [];
  return (meter, fallback) => {
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
