/** Prices as people compare them: each meter with the amount that providers quote it for. */
import { type Meter, type Model, meters } from '../../catalogue/index.ts';
import type { CatalogueWords } from '../languages/catalogue/en.ts';
import type { Figures } from '../ui/figures.ts';

export interface PriceLine {
  readonly meter: Meter;
  /** Of a tier or of long prompts: another price for what has one of its own. */
  readonly isVariant: boolean;
  readonly name: string;
  /** With what it is for: `$0.15 per million tokens`. */
  readonly price: string;
}

interface Writing {
  readonly words: CatalogueWords;
  readonly figures: Figures;
}

/** What is not counted in tokens. */
const unitAmounts = {
  audio_second: { units: 60n, per: 'minute' },
  character: { units: 1_000_000n, per: 'millionCharacters' },
  rerank_unit: { units: 1_000n, per: 'thousandSearches' },
  web_search: { units: 1_000n, per: 'thousandCalls' },
  file_search: { units: 1_000n, per: 'thousandCalls' },
  container: { units: 1n, per: 'one' },
  image: { units: 1n, per: 'one' },
} as const;
type UnitMeter = keyof typeof unitAmounts;

const isUnit = (meter: Meter): meter is UnitMeter => meter in unitAmounts;

/** All prices of a model, in the order in which meters are declared. */
export function priceLines({ prices }: Model, writing: Writing): readonly PriceLine[] {
  return meters.flatMap((meter) => {
    const price = prices?.[meter];
    if (price === undefined) return [];
    return [priceLine(meter, price, writing)];
  });
}

export const priceLine = (meter: Meter, price: bigint, writing: Writing): PriceLine => ({
  meter,
  isVariant: !Object.hasOwn(writing.words.meters, meter),
  name: nameOf(meter, writing.words),
  price: writePrice(meter, price, writing),
});

/** A price in a list: its unit is told where it is no million of tokens. */
export interface ListedPrice {
  readonly amount: string;
  readonly unit: string | null;
}

/** What a list shows beside a model: tokens of a prompt, or the first price of another kind. */
export function mainPrice({ prices }: Model, { words, figures }: Writing): ListedPrice | null {
  if (prices?.input !== undefined) {
    return { amount: prices.input === 0n ? words.free : figures.price(prices.input), unit: null };
  }
  const meter = meters.find((each) => prices?.[each] !== undefined);
  const price = meter && prices?.[meter];
  return meter === undefined || price === undefined ? null : amountOf(meter, price, { words, figures });
}

export function outputPrice({ prices }: Model, { words, figures }: Writing): string | null {
  if (prices?.output === undefined) return null;
  return prices.output === 0n ? words.free : figures.price(prices.output);
}

function amountOf(meter: Meter, price: bigint, { words, figures }: Writing): ListedPrice {
  if (price === 0n) return { amount: words.free, unit: null };
  if (!isUnit(meter)) return { amount: figures.price(price), unit: words.per.millionTokens };
  const { units, per } = unitAmounts[meter];
  return { amount: figures.priceFor(units, price), unit: words.per[per] };
}

function writePrice(meter: Meter, price: bigint, writing: Writing): string {
  const { amount, unit } = amountOf(meter, price, writing);
  return unit === null ? amount : `${amount} ${unit}`;
}

/** Tiers and long prompts vary a meter: `input_priority_above_200k`. */
function nameOf(meter: Meter, { meters: names, tier, above }: CatalogueWords): string {
  const plain = Object.keys(names)
    .toSorted((one, other) => other.length - one.length)
    .find((name): name is keyof typeof names => meter === name || meter.startsWith(`${name}_`));
  if (plain === undefined) return meter;
  const [, long] = /_above_(\d+)k$/.exec(meter) ?? [];
  const variant = meter.slice(plain.length + 1).replace(/_?above_\d+k$/, '');
  return [
    names[plain],
    ...(variant === '' ? [] : [tier(variant.replaceAll('_', ' '))]),
    ...(long === undefined ? [] : [above(long)]),
  ].join(', ');
}
