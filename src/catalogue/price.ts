/** What a request costs, and how a price is read from the USD per million units that providers publish. */
import { readNanoUsd } from '../base/money.ts';
import type { ServiceTier, Usage } from '../base/token-usage.ts';
import {
  type LongPrompt,
  longPrompts,
  type Meter,
  type ModelType,
  type Prices,
  type TokenMeter,
  type UnitMeter,
  variedMeter,
} from './model.ts';

const unitsPerPrice = 1_000_000n;

/** Far above any model; a price beyond it is a slip, such as nano-USD written where USD belongs. */
const highestNanoUsdPerMillion = 1_000_000_000_000_000n;

/**
 * The cost of a request: every count times its price, rounded once at the end, half up. `README.md` in this folder says
 * what is metered and where it is read. It is the sum of `lineItems`, which most requests need not make for it.
 *
 * @param usage whole, non-negative counts.
 */
export function costNanoUsd(prices: Prices, usage: Usage): bigint {
  if (!isPlain(prices, usage)) return sumOf(lineItems(prices, usage));
  const input = prices.input ?? 0n;
  const millionths =
    line(usage.inputTokens, input) +
    line(usage.cacheReadTokens, prices.cached_input ?? input) +
    line(usage.cacheWrite5mTokens, prices.cache_write_5m ?? input) +
    line(usage.cacheWrite1hTokens, prices.cache_write_1h ?? input) +
    line(usage.outputTokens, prices.output ?? 0n);
  return (millionths + unitsPerPrice / 2n) / unitsPerPrice;
}

/** What nearly all requests have: text alone, one way to be made, one price whatever the length. */
function isPlain(prices: Prices, usage: Usage): boolean {
  const hasTextAlone = !usage.audioMs && !usage.characters && !usage.rerankUnits;
  return hasTextAlone && usage.extras === undefined && variantsOf(prices) === null;
}

/** A line of a request's bill. */
export interface LineItem {
  /** What was counted. */
  readonly meter: Meter;
  /** Whole, but for seconds, which are counted to the thousandth. */
  readonly quantity: number;
  readonly unit: LineUnit;
  /** The meter whose price it has; null where there is none, and the line costs nothing. */
  readonly pricedAs: Meter | null;
  readonly nanoUsdPerMillion: bigint;
  /** Exact, in atto-USD (10^-18 USD): a nano-USD is a thousand million of them. */
  readonly amountAttoUsd: bigint;
}

export type LineUnit = 'token' | 'second' | 'character' | 'search' | 'container' | 'image';

/**
 * What a request is charged for, line by line; what was not used is left out.
 *
 * A price that was not set falls back: `cached_input`, `cache_write_5m`, `cache_write_1h` and `audio_input` to `input`,
 * because those tokens are input that the provider discounts or surcharges; `audio_output`, `image_output` and
 * `reasoning` to `output`. `input` and `output` themselves have no fallback: without them their tokens are free, so the
 * writes refuse a chat model that has only one of the two. What is counted in units has none either.
 *
 * @param usage whole, non-negative counts.
 */
export function lineItems(prices: Prices, usage: Usage): readonly LineItem[] {
  const { extras = {} } = usage;
  return [
    ...tokenLines(prices, usage),
    ...unitLines(prices, [
      ['audio_second', 'second', usage.audioMs],
      ['character', 'character', usage.characters],
      ['rerank_unit', 'search', usage.rerankUnits],
      ['web_search', 'search', extras.web_search],
      ['file_search', 'search', extras.file_search],
      ['container', 'container', extras.container],
      ['image', 'image', extras.image],
    ]),
  ];
}

const attoUsdPerNanoUsd = 1_000_000_000n;

/** What lines come to in nano-USD, rounded half up. */
function sumOf(lines: readonly LineItem[]): bigint {
  const attoUsd = lines.reduce((sum, { amountAttoUsd }) => sum + amountAttoUsd, 0n);
  return (attoUsd + attoUsdPerNanoUsd / 2n) / attoUsdPerNanoUsd;
}

/** A price for a million is that many thousandths of an atto-USD for a thousandth of one. */
const thousandth = 1000n;

function unitLines(
  prices: Prices,
  counts: readonly (readonly [UnitMeter, LineUnit, number | undefined])[],
): LineItem[] {
  return counts.flatMap(([meter, unit, count = 0]) => {
    if (count === 0) return [];
    const price = prices[meter];
    const nanoUsdPerMillion = price ?? 0n;
    const isThousandths = unit === 'second';
    return {
      meter,
      quantity: isThousandths ? count / 1000 : count,
      unit,
      pricedAs: price === undefined ? null : meter,
      nanoUsdPerMillion,
      amountAttoUsd: BigInt(count) * nanoUsdPerMillion * (isThousandths ? 1n : thousandth),
    };
  });
}

function tokenLines(prices: Prices, usage: Usage): LineItem[] {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = usage;
  const { extras = {} } = usage;
  const prompt = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  const lengths = (variantsOf(prices) ?? noLengths).filter((thousands) => prompt > thousands * 1000);
  const variant = { tier: extras.tier ?? null, lengths };
  const heard = Math.min(extras.audio_input ?? 0, inputTokens);
  const spoken = Math.min(extras.audio_output ?? 0, outputTokens);
  const drawn = Math.min(extras.image_output ?? 0, outputTokens - spoken);
  const rest = outputTokens - spoken - drawn;
  // Without a price of its own, thought is output like any other and no line apart.
  const thoughtAs = findPriced(prices, 'reasoning', variant);
  const thought = thoughtAs === undefined ? 0 : Math.min(usage.reasoningTokens, rest);
  const lines: LineItem[] = [];
  const add = (meter: TokenMeter, quantity: number, otherwise?: TokenMeter) => {
    if (quantity === 0) return;
    const own = findPriced(prices, meter, variant);
    const pricedAs = own ?? (otherwise && findPriced(prices, otherwise, variant)) ?? null;
    const nanoUsdPerMillion = pricedAs === null ? 0n : (prices[pricedAs] ?? 0n);
    const amountAttoUsd = BigInt(quantity) * nanoUsdPerMillion * thousandth;
    lines.push({ meter, quantity, unit: 'token', pricedAs, nanoUsdPerMillion, amountAttoUsd });
  };
  add('input', inputTokens - heard);
  add('audio_input', heard, 'input');
  add('cached_input', cacheReadTokens, 'input');
  add('cache_write_5m', cacheWrite5mTokens, 'input');
  add('cache_write_1h', cacheWrite1hTokens, 'input');
  add('output', rest - thought);
  add('reasoning', thought, 'output');
  add('audio_output', spoken, 'output');
  add('image_output', drawn, 'output');
  return lines;
}

interface Variant {
  readonly tier: ServiceTier | null;
  /** Those that the prompt exceeds, the longest first. */
  readonly lengths: readonly LongPrompt[];
}

/** The price of a meter for a tier and a long prompt. */
export function findPrice(prices: Prices, meter: TokenMeter, variant: Variant): bigint | undefined {
  const priced = findPriced(prices, meter, variant);
  return priced === undefined ? undefined : prices[priced];
}

/**
 * Which price a meter has for a tier and a long prompt. Where there is none for both together the higher of the two
 * holds, and where there is none at all the usual one does.
 */
function findPriced(prices: Prices, meter: TokenMeter, { tier, lengths }: Variant): Meter | undefined {
  const usual = prices[meter] === undefined ? undefined : meter;
  const both = findLong(prices, meter, { tier, lengths });
  if (tier === null || both !== undefined) return both ?? usual;
  const ofTier = variedMeter(meter, tier, null);
  const ofLong = findLong(prices, meter, { tier: null, lengths });
  if (prices[ofTier] === undefined) return ofLong ?? usual;
  return ofLong !== undefined && (prices[ofLong] ?? 0n) > (prices[ofTier] ?? 0n) ? ofLong : ofTier;
}

function findLong(prices: Prices, meter: TokenMeter, { tier, lengths }: Variant): Meter | undefined {
  return lengths
    .map((above) => variedMeter(meter, tier, above))
    .find((varied) => prices[varied] !== undefined);
}

const noLengths: readonly LongPrompt[] = [];

/** Prices are one object until the catalogue is read anew. */
const knownVariants = new WeakMap<Prices, readonly LongPrompt[] | null>();

/** The lengths from which on a model costs more, the longest first; null where it has one price for all output. */
export function variantsOf(prices: Prices): readonly LongPrompt[] | null {
  const known = knownVariants.get(prices);
  if (known !== undefined) return known;
  const names = Object.keys(prices);
  const lengths = longPrompts.filter((each) => names.some((name) => name.endsWith(`_above_${each}k`)));
  const isUniform = lengths.length === 0 && prices.reasoning === undefined;
  const variants = isUniform ? null : lengths.toReversed();
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
