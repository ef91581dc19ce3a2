/** Money, counts, spans and moments, as people read them. */
import { nanoUsdPerUsd, writeUsd } from '../../base/money.ts';

const fractionDigits = 9;
const wholeNumbers = new Intl.NumberFormat('en-US');
const relativeTimes = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

export const writeCount = (count: number): string => wholeNumbers.format(count);

/** `$1,234.56` and the digits behind the cents: nothing is rounded, neither away nor up. */
export function splitBalance(nanoUsd: bigint): { readonly dollars: string; readonly behindCents: string } {
  const written = writeDollars(nanoUsd);
  const end = written.indexOf('.') + 1 + centDigits;
  return { dollars: written.slice(0, end), behindCents: written.slice(end) };
}

const centDigits = 2;

/** Cents from a dollar upwards, below it three digits that are not leading zeros: `$0.0000123`. Half up. */
export function writeCost(nanoUsd: bigint): string {
  const fraction = magnitudeOf(nanoUsd).toString().padStart(fractionDigits, '0');
  const isSmall = fraction.length === fractionDigits;
  const leadingZeros = fraction.length - fraction.replace(/^0+/, '').length;
  const digits = isSmall ? Math.min(leadingZeros + 3, fractionDigits) : 2;
  const step = 10n ** BigInt(fractionDigits - digits);
  const rounded = ((magnitudeOf(nanoUsd) + step / 2n) / step) * step;
  return writeDollars(nanoUsd < 0n ? -rounded : rounded);
}

/** Every digit: `$0.075`. */
export const writePrice = (nanoUsd: bigint): string => writeDollars(nanoUsd);

const unitsPerPrice = 1_000_000n;

/** The price of some units, from that of a million; half up, to a nano-USD. */
export const writePriceFor = (units: bigint, nanoUsdPerMillion: bigint): string =>
  writeDollars((nanoUsdPerMillion * units + unitsPerPrice / 2n) / unitsPerPrice);

/** `1 search`, `1,204 characters`. */
export const writeCounted = (count: number, one: string, many: string): string =>
  `${writeCount(count)} ${count === 1 ? one : many}`;

export const writeExactUsd = (nanoUsd: bigint): string => `${writeUsd(nanoUsd)} USD`;

/** `842 ms`, `1.24 s`, `2 min 05 s`. */
export function writeSpan(spanMs: number): string {
  if (spanMs < 999.5) return `${Math.round(spanMs)} ms`;
  const seconds = spanMs / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** How long ago, with the exact moment on hover. */
export function Moment({ at, nowMs }: { readonly at: Date; readonly nowMs: number }) {
  const iso = at.toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}>
      {writeDistance(at.getTime() - nowMs)}
    </time>
  );
}

/** From now, negative in the past: `3 hours ago`. Parts of a unit are dropped, never rounded up. */
export function writeDistance(distanceMs: number): string {
  const seconds = Math.trunc(distanceMs / 1000);
  const inUnit = units.find(({ unitSeconds }) => Math.abs(seconds) >= unitSeconds);
  if (inUnit === undefined) return 'just now';
  return relativeTimes.format(Math.trunc(seconds / inUnit.unitSeconds), inUnit.unit);
}

const units = [
  { unit: 'year', unitSeconds: 31_536_000 },
  { unit: 'month', unitSeconds: 2_592_000 },
  { unit: 'day', unitSeconds: 86_400 },
  { unit: 'hour', unitSeconds: 3_600 },
  { unit: 'minute', unitSeconds: 60 },
] as const;

function writeDollars(nanoUsd: bigint): string {
  const magnitude = magnitudeOf(nanoUsd);
  const whole = wholeNumbers.format(magnitude / nanoUsdPerUsd);
  const fraction = (magnitude % nanoUsdPerUsd)
    .toString()
    .padStart(fractionDigits, '0')
    .replace(/0+$/, '')
    .padEnd(2, '0');
  return `${nanoUsd < 0n ? '-' : ''}$${whole}.${fraction}`;
}

const magnitudeOf = (nanoUsd: bigint): bigint => (nanoUsd < 0n ? -nanoUsd : nanoUsd);
