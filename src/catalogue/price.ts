/** What a request costs, and how a price is read from the USD per million units that providers publish. */
import { readNanoUsd } from '../base/money.ts';
import type { Extras, ServiceTier, Usage } from '../base/token-usage.ts';
import {
  type LongPrompt,
  longPrompts,
  type Meter,
  type ModelType,
  type Prices,
  type TokenMeter,
  variedMeter,
} from './model.ts';

const unitsPerPrice = 1_000_000n;

/** Far above any model; a price beyond it is a slip, such as nano-USD written where USD belongs. */
const highestNanoUsdPerMillion = 1_000_000_000_000_000n;

/**
 * The cost of a request: every count times its price, rounded once at the end, half up. `README.md` in this folder says
 * what is metered and where it is read.
 *
 * A price that was not set falls back: `cached_input`, `cache_write_5m`, `cache_write_1h` and `audio_input` to `input`,
 * because those tokens are input that the provider discounts or surcharges; `audio_output` and `image_output` to
 * `output`. `reasoningTokens` are inside the output and are not counted again. `input` and `output` themselves have no
 * fallback: without them their tokens are free, so the writes refuse a chat model that has only one of the two. What is
 * counted in units has none either.
 *
 * @param usage whole, non-negative counts.
 */
export function costNanoUsd(prices: Prices, usage: Usage): bigint {
  const { extras } = usage;
  const variants = variantsOf(prices);
  const isPlain = extras === undefined && variants === null;
  const millionths =
    (isPlain ? plainTokens(prices, usage) : variedTokens(prices, usage, variants)) +
    line(usage.characters ?? 0, prices.character ?? 0n) +
    line(usage.rerankUnits ?? 0, prices.rerank_unit ?? 0n) +
    (extras === undefined ? 0n : hostedUnits(prices, extras));
  const audio = line(usage.audioMs ?? 0, prices.audio_second ?? 0n);
  if (audio === 0n) return (millionths + unitsPerPrice / 2n) / unitsPerPrice;
  // Seconds are counted in milliseconds, so the whole sum is taken in thousandths of the others.
  const divisor = unitsPerPrice * 1000n;
  return (millionths * 1000n + audio + divisor / 2n) / divisor;
}

/** What nearly all requests have: no sound, no images, one way to be made, one price whatever the length. */
function plainTokens(prices: Prices, usage: Usage): bigint {
  const input = prices.input ?? 0n;
  return (
    line(usage.inputTokens, input) +
    line(usage.cacheReadTokens, prices.cached_input ?? input) +
    line(usage.cacheWrite5mTokens, prices.cache_write_5m ?? input) +
    line(usage.cacheWrite1hTokens, prices.cache_write_1h ?? input) +
    line(usage.outputTokens, prices.output ?? 0n)
  );
}

function variedTokens(prices: Prices, usage: Usage, variants: readonly LongPrompt[] | null): bigint {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = usage;
  const { extras = {} } = usage;
  const prompt = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  const lengths = variants?.filter((thousands) => prompt > thousands * 1000) ?? [];
  const priceOf = (meter: TokenMeter) => findPrice(prices, meter, { tier: extras.tier ?? null, lengths });
  const input = priceOf('input') ?? 0n;
  const output = priceOf('output') ?? 0n;
  const heard = Math.min(extras.audio_input ?? 0, inputTokens);
  const spoken = Math.min(extras.audio_output ?? 0, outputTokens);
  const drawn = Math.min(extras.image_output ?? 0, outputTokens - spoken);
  return (
    line(inputTokens - heard, input) +
    line(heard, priceOf('audio_input') ?? input) +
    line(cacheReadTokens, priceOf('cached_input') ?? input) +
    line(cacheWrite5mTokens, priceOf('cache_write_5m') ?? input) +
    line(cacheWrite1hTokens, priceOf('cache_write_1h') ?? input) +
    line(outputTokens - spoken - drawn, output) +
    line(spoken, priceOf('audio_output') ?? output) +
    line(drawn, priceOf('image_output') ?? output)
  );
}

/**
 * The price of a meter for a tier and a long prompt. Where there is none for both together the higher of the two holds,
 * and where there is none at all the usual one does.
 */
export function findPrice(
  prices: Prices,
  meter: TokenMeter,
  { tier, lengths }: { readonly tier: ServiceTier | null; readonly lengths: readonly LongPrompt[] },
): bigint | undefined {
  const both = findLong(prices, meter, { tier, lengths });
  if (tier === null) return both ?? prices[meter];
  if (both !== undefined) return both;
  const ofTier = prices[variedMeter(meter, tier, null)];
  const ofLong = findLong(prices, meter, { tier: null, lengths });
  if (ofTier === undefined) return ofLong ?? prices[meter];
  return ofLong !== undefined && ofLong > ofTier ? ofLong : ofTier;
}

/** @param lengths those that the prompt exceeds, the longest first. */
function findLong(
  prices: Prices,
  meter: TokenMeter,
  { tier, lengths }: { readonly tier: ServiceTier | null; readonly lengths: readonly LongPrompt[] },
): bigint | undefined {
  for (const above of lengths) {
    const price = prices[variedMeter(meter, tier, above)];
    if (price !== undefined) return price;
  }
  return undefined;
}

function hostedUnits(prices: Prices, extras: Extras): bigint {
  return (
    line(extras.web_search ?? 0, prices.web_search ?? 0n) +
    line(extras.file_search ?? 0, prices.file_search ?? 0n) +
    line(extras.container ?? 0, prices.container ?? 0n) +
    line(extras.image ?? 0, prices.image ?? 0n)
  );
}

/** Prices are one object until the catalogue is read anew. */
const knownVariants = new WeakMap<Prices, readonly LongPrompt[] | null>();

/** The lengths from which on a model costs more, the longest first; null where it has one price. */
export function variantsOf(prices: Prices): readonly LongPrompt[] | null {
  const known = knownVariants.get(prices);
  if (known !== undefined) return known;
  const names = Object.keys(prices);
  const lengths = longPrompts.filter((each) => names.some((name) => name.endsWith(`_above_${each}k`)));
  const variants = lengths.length === 0 ? null : lengths.toReversed();
  knownVariants.set(prices, variants);
  return variants;
}

function line(count: number, nanoUsdPerMillion: bigint): bigint {
  return count === 0 ? 0n : BigInt(count) * nanoUsdPerMillion;
}

/**
 * A price as nano-USD per million units, exactly.
 * @param usdPerMillion a decimal, as text or as a number: `0.15` is $0.15 for a million units.
 * @throws RangeError when it is not a decimal, is negative, finer than a nano-USD or beyond reason.
 */
export function readPrice(usdPerMillion: string | number): bigint {
  const nanoUsdPerMillion = readNanoUsd(usdPerMillion);
  if (nanoUsdPerMillion < 0n) throw new RangeError(`${usdPerMillion} is negative: a price is zero or more`);
  if (nanoUsdPerMillion > highestNanoUsdPerMillion) {
    throw new RangeError(`${usdPerMillion} USD per million units is beyond reason: at most 1000000`);
  }
  return nanoUsdPerMillion;
}

/** The meters that a model of each type must price, once it prices any. One of each group is enough. */
export const requiredMeters: Readonly<Record<ModelType, readonly (readonly Meter[])[]>> = {
  chat: [['input'], ['output']],
  embedding: [['input']],
  rerank: [['rerank_unit', 'input']],
  transcription: [['audio_second', 'input']],
  speech: [['character', 'output']],
};
