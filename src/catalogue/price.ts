/** What a request costs, and how a price is read from the USD per million units that providers publish. */
import { readNanoUsd } from '../base/money.ts';
import type { Usage } from '../base/token-usage.ts';
import type { Meter, ModelType, Prices } from './model.ts';

const unitsPerPrice = 1_000_000n;

/** Far above any model; a price beyond it is a slip, such as nano-USD written where USD belongs. */
const highestNanoUsdPerMillion = 1_000_000_000_000_000n;

/**
 * The cost of a request: every count times its price, rounded once at the end, half up.
 *
 * A price that was not set falls back: `cached_input`, `cache_write_5m` and `cache_write_1h` to `input`, because
 * those tokens are input that the provider discounts or surcharges. `reasoningTokens` are inside the output and
 * are not counted again. `input` and `output` themselves have no fallback: without them their tokens are free,
 * so the writes refuse a chat model that has only one of the two. Audio, characters and searches have none either.
 *
 * @param usage whole, non-negative counts.
 */
export function costNanoUsd(prices: Prices, usage: Usage): bigint {
  const input = prices.input ?? 0n;
  const millionths =
    line(usage.inputTokens, input) +
    line(usage.cacheReadTokens, prices.cached_input ?? input) +
    line(usage.cacheWrite5mTokens, prices.cache_write_5m ?? input) +
    line(usage.cacheWrite1hTokens, prices.cache_write_1h ?? input) +
    line(usage.outputTokens, prices.output ?? 0n) +
    line(usage.characters ?? 0, prices.character ?? 0n) +
    line(usage.rerankUnits ?? 0, prices.rerank_unit ?? 0n);
  const audio = line(usage.audioMs ?? 0, prices.audio_second ?? 0n);
  if (audio === 0n) return (millionths + unitsPerPrice / 2n) / unitsPerPrice;
  // Seconds are counted in milliseconds, so the whole sum is taken in thousandths of the others.
  const divisor = unitsPerPrice * 1000n;
  return (millionths * 1000n + audio + divisor / 2n) / divisor;
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
