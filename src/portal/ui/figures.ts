/** Money, counts, spans and moments, as people read them in their language. */
import { nanoUsdPerUsd, writeUsd } from '../../base/money.ts';
import { interfaceWords } from '../languages/interface/index.ts';
import type { Language } from '../languages/language.ts';

export interface Figures {
  /** `1,204`. */
  count(number: number | bigint): string;
  /** `0.84`. */
  decimal(number: number, digits: 0 | 1 | 2): string;
  /** `1.92` and `B`: three digits that matter, for figures that are looked at and not added up. */
  short(number: number): { readonly value: string; readonly unit: string };
  /** `8.2%`, of a share from 0 to 1. */
  percent(share: number, digits?: number): string;
  /** `0.04%`: of few failures the second digit tells. */
  errorRate(share: number): string;
  /** Nothing is rounded, neither away nor up: the digits behind the cents are apart, to be shown smaller. */
  balance(nanoUsd: bigint): { readonly dollars: string; readonly behindCents: string; readonly sign: string };
  /** Cents from a dollar upwards, below it three digits that are not leading zeros: `$0.0000123`. Half up. */
  cost(nanoUsd: bigint): string;
  /** Cents, half up: `$12.34`. */
  usd(nanoUsd: bigint): string;
  /** So many digits behind the point, half up: `$0.0214`, for amounts below each other. */
  usdTo(nanoUsd: bigint, digits: 2 | 4 | 6): string;
  /** How parts of a whole are written below each other: cents of dollars, and more digits where all of it is less. */
  partsOfUsd(wholeNanoUsd: bigint): (nanoUsd: bigint) => string;
  /** Every digit: `$0.075`. */
  price(nanoUsd: bigint): string;
  /** Every digit of decimals of USD below each other, with as many behind the point in each: `$0.0018`, `$0.0576`. */
  exactColumn(usd: readonly string[]): readonly string[];
  /** The price of some units, from that of a million; half up, to a nano-USD. */
  priceFor(units: bigint, nanoUsdPerMillion: bigint): string;
  /** Marks of an axis in USD: all with the digits behind the point that one of them needs, so `$0`, `$6` or `$0.005`, `$0.010`. */
  usdMarks(usd: readonly number[]): readonly string[];
  /** The same of shares from 0 to 1: `0%`, `2.5%` is `0.0%`, `2.5%`. */
  percentMarks(shares: readonly number[]): readonly string[];
  /** The same of spans, all in one unit: `0 s`, `1.5 s` is `0.0 s`, `1.5 s`. */
  spanMarks(spansMs: readonly number[]): readonly string[];
  /** Each as short as it can be: `500`, `1.5 K`. */
  countMarks(numbers: readonly number[]): readonly string[];
  /** `842 ms`, `1.24 s`, `2 min 05 s`. */
  span(spanMs: number): string;
  /**
   * From now, negative in the past: `3 hours ago`. What is past is cut to whole units, so that nothing is older than it
   * is; what is to come is rounded, so that seven days are told as such a moment later.
   */
  distance(distanceMs: number): string;
  /** `22 Nov 2026`, of the day in UTC. */
  day(at: Date): string;
  /** `22 Nov`, for axes. */
  shortDay(at: Date): string;
  /** `22 Nov`, and `22 Nov 2028` where that is not the year of now. */
  nearDay(at: Date, nowMs: number): string;
  /** `22 Nov 2026, 14:32:07 UTC`. */
  moment(at: Date): string;
}

const fractionDigits = 9;
const unitsPerPrice = 1_000_000n;
const made = new Map<Language, Figures>();

export function figuresIn(language: Language): Figures {
  const known = made.get(language);
  if (known !== undefined) return known;
  const figures = makeFigures(language);
  made.set(language, figures);
  return figures;
}

/** Exact decimal of USD, for a title beside a rounded amount. */
export const writeExactUsd = (nanoUsd: bigint): string => `${writeUsd(nanoUsd)} USD`;

function makeFigures(language: Language): Figures {
  const { time } = interfaceWords[language];
  const whole = new Intl.NumberFormat(language);
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 });
  const threeDigits = new Intl.NumberFormat(language, {
    ...{ notation: 'compact', minimumSignificantDigits: 3, maximumSignificantDigits: 3 },
  });
  const distances = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  // Days before months and a clock of 24 hours, for readers of English too.
  const dates = language === 'en' ? 'en-GB' : language;
  const days = new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeZone: 'UTC' });
  const shortDays = new Intl.DateTimeFormat(dates, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const moments = new Intl.DateTimeFormat(dates, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: 'UTC',
  });
  const decimals = [0, 1, 2].map(
    (digits) =>
      new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  );
  const money = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: fractionDigits,
  });
  const columns = new Map(
    ([2, 4, 6] as const).map((digits) => [
      digits,
      new Intl.NumberFormat(language, {
        ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
        ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
      }),
    ]),
  );
  // As text an amount keeps every digit; as a number it would not.
  const exact = (nanoUsd: bigint) => money.format(writeUsd(nanoUsd) as Intl.StringNumericLiteral);
  const usdTo = (nanoUsd: bigint, digits: 2 | 4 | 6) =>
    columns.get(digits)?.format(writeUsd(roundToDigits(nanoUsd, digits)) as Intl.StringNumericLiteral) ?? '';
  const decimal = (number: number, digits: 0 | 1 | 2) => decimals[digits]?.format(number) ?? '';
  const withDigits = (digits: number, style: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(language, {
      ...{ ...style, minimumFractionDigits: digits, maximumFractionDigits: digits },
    });
  const short = (number: number, by = Math.abs(number) < 999.5 ? compact : threeDigits) => {
    const parts = by.formatToParts(number);
    const unit = parts.find(({ type }) => type === 'compact')?.value ?? '';
    const value = parts.filter(({ type }) => type !== 'compact' && type !== 'literal');
    return { value: value.map((part) => part.value).join(''), unit };
  };
  return {
    count: (number) => whole.format(number),
    decimal,
    short: (number) => short(number),
    percent: (share, digits = 1) => withDigits(digits, { style: 'percent' }).format(share),
    errorRate: (share) => withDigits(2, { style: 'percent' }).format(share),
    balance: (nanoUsd) => splitBalance(money.formatToParts(writeUsd(nanoUsd) as Intl.StringNumericLiteral)),
    cost: (nanoUsd) => exact(roundToDigits(nanoUsd, digitsThatMatter(nanoUsd))),
    usd: (nanoUsd) => exact(roundToDigits(nanoUsd, 2)),
    usdTo,
    partsOfUsd(wholeNanoUsd) {
      const isDollars = wholeNanoUsd === 0n || wholeNanoUsd >= nanoUsdPerUsd;
      const digits = isDollars ? 2 : wholeNanoUsd * 100n >= nanoUsdPerUsd ? 4 : 6;
      return (nanoUsd) => usdTo(nanoUsd, digits);
    },
    price: exact,
    exactColumn(usd) {
      const digits = Math.max(2, ...usd.map((amount) => amount.split('.')[1]?.length ?? 0));
      const column = new Intl.NumberFormat(language, {
        ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
        ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
      });
      return usd.map((amount) => column.format(amount as Intl.StringNumericLiteral));
    },
    priceFor: (units, nanoUsdPerMillion) =>
      exact((nanoUsdPerMillion * units + unitsPerPrice / 2n) / unitsPerPrice),
    usdMarks(usd) {
      const digits = digitsBehindPoint(usd);
      const marks = withDigits(digits === 0 ? 0 : Math.max(centDigits, digits), {
        ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
      });
      return usd.map((amount) => marks.format(amount));
    },
    percentMarks(shares) {
      const marks = withDigits(digitsBehindPoint(shares.map((share) => share * 100)), { style: 'percent' });
      return shares.map((share) => marks.format(share));
    },
    spanMarks(spansMs) {
      const isSeconds = Math.max(...spansMs) >= 999.5;
      const spans = spansMs.map((spanMs) => (isSeconds ? spanMs / 1000 : spanMs));
      const marks = withDigits(digitsBehindPoint(spans));
      return spans.map((span) => `${marks.format(span)} ${isSeconds ? 's' : 'ms'}`);
    },
    countMarks: (numbers) =>
      numbers.map((number) => {
        const { value, unit } = short(number, compact);
        return unit === '' ? value : `${value} ${unit}`;
      }),
    span(spanMs) {
      if (spanMs > 0 && spanMs < 0.95) return `${decimal(spanMs, 1)} ms`;
      if (spanMs < 999.5) return `${whole.format(Math.round(spanMs))} ms`;
      const seconds = spanMs / 1000;
      if (seconds < 59.95) return `${decimal(seconds, seconds < 9.995 ? 2 : 1)} s`;
      const rounded = Math.round(seconds);
      return time.minutesAndSeconds(Math.floor(rounded / 60), String(rounded % 60).padStart(2, '0'));
    },
    distance(distanceMs) {
      const seconds = Math.trunc(distanceMs / 1000);
      const inUnit = unitOf(seconds);
      if (inUnit === undefined) return time.justNow;
      if (seconds < 0) return distances.format(Math.trunc(seconds / inUnit.unitSeconds), inUnit.unit);
      // 23 hours and 50 minutes are a day, and not 24 hours.
      const rounded = Math.round(seconds / inUnit.unitSeconds) * inUnit.unitSeconds;
      const { unit, unitSeconds } = unitOf(rounded) ?? inUnit;
      return distances.format(Math.round(rounded / unitSeconds), unit);
    },
    day: (at) => days.format(at),
    shortDay: (at) => shortDays.format(at),
    nearDay: (at, nowMs) =>
      (at.getUTCFullYear() === new Date(nowMs).getUTCFullYear() ? shortDays : days).format(at),
    moment: (at) => `${moments.format(at)} UTC`,
  };
}

const timeUnits = [
  { unit: 'year', unitSeconds: 31_536_000 },
  { unit: 'month', unitSeconds: 2_592_000 },
  { unit: 'day', unitSeconds: 86_400 },
  { unit: 'hour', unitSeconds: 3_600 },
  { unit: 'minute', unitSeconds: 60 },
] as const;

const unitOf = (seconds: number) => timeUnits.find(({ unitSeconds }) => Math.abs(seconds) >= unitSeconds);

const centDigits = 2;

/** How many digits behind the point the one of them needs that needs most. Marks of axes are round numbers. */
const digitsBehindPoint = (numbers: readonly number[]): number =>
  Math.max(
    0,
    ...numbers.map((number) => number.toFixed(fractionDigits).replace(/0+$/, '').split('.')[1]?.length ?? 0),
  );

/** The currency's sign stands before the number in some languages and behind it in others. */
function splitBalance(parts: readonly Intl.NumberFormatPart[]) {
  const at = parts.findIndex(({ type }) => type === 'fraction');
  const fraction = parts[at]?.value ?? '';
  const write = (some: readonly Intl.NumberFormatPart[]) => some.map(({ value }) => value).join('');
  return {
    dollars: `${write(parts.slice(0, at))}${fraction.slice(0, centDigits)}`,
    behindCents: fraction.slice(centDigits),
    sign: write(parts.slice(at + 1)),
  };
}

function digitsThatMatter(nanoUsd: bigint): number {
  const fraction = magnitudeOf(nanoUsd).toString().padStart(fractionDigits, '0');
  if (fraction.length > fractionDigits || nanoUsd === 0n) return centDigits;
  const leadingZeros = fraction.length - fraction.replace(/^0+/, '').length;
  return Math.min(leadingZeros + 3, fractionDigits);
}

/** Half up, away from zero. */
function roundToDigits(nanoUsd: bigint, digits: number): bigint {
  const step = 10n ** BigInt(fractionDigits - digits);
  const rounded = ((magnitudeOf(nanoUsd) + step / 2n) / step) * step;
  return nanoUsd < 0n ? -rounded : rounded;
}

const magnitudeOf = (nanoUsd: bigint): bigint => (nanoUsd < 0n ? -nanoUsd : nanoUsd);

/** For axes and heights, where a billionth does not show. */
export const usdOf = (nanoUsd: bigint): number => Number(nanoUsd) / Number(nanoUsdPerUsd);
