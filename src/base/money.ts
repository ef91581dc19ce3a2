/** Money in nano-USD (10^-9 USD) as bigint: parsed from and written as decimal text, never through a float. */

export const nanoUsdPerUsd = 1_000_000_000n;

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const decimalPattern = /^(-?)(\d{1,15})(?:\.(\d+))?$/;

/**
 * Reads a decimal amount of USD such as `0.15`.
 * @throws RangeError when it is not a decimal or has more than nine digits after the point.
 */
export function readNanoUsd(usd: string | number): bigint {
  const text = typeof usd === 'number' ? writePlainNumber(usd) : usd.trim();
  const match = decimalPattern.exec(text);
  if (match === null) throw new RangeError(`${JSON.stringify(usd)} is not an amount of USD such as 12.34`);
  const [, sign, whole = '0', rawFraction = ''] = match;
  const fraction = rawFraction.replace(/0+$/, '');
  if (fraction.length > 9) {
    throw new RangeError(`${text} USD is finer than one nano-USD: at most nine digits after the point`);
  }
  const magnitude = BigInt(whole) * nanoUsdPerUsd + BigInt(fraction.padEnd(9, '0'));
  return sign === '-' ? -magnitude : magnitude;
}

const zeroCode = 48;

/** The exact decimal of an amount, with at least two digits after the point: `0.00015`, `12.30`. */
export function writeUsd(nanoUsd: bigint): string {
  const magnitude = nanoUsd < 0n ? -nanoUsd : nanoUsd;
  // At least one digit before the point.
  const digits = magnitude.toString().padStart(10, '0');
  const point = digits.length - 9;
  let end = digits.length;
  while (end > point + 2 && digits.charCodeAt(end - 1) === zeroCode) end -= 1;
  return `${nanoUsd < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** As people read it: `$12.30`, `-$2.50`. */
export const writeDollars = (nanoUsd: bigint): string =>
  nanoUsd < 0n ? `-$${writeUsd(-nanoUsd)}` : `$${writeUsd(nanoUsd)}`;

/** An amount in atto-USD (10^-18 USD), exactly: lines of a bill are finer than a nano-USD. */
export function writeAttoUsd(attoUsd: bigint): string {
  const nanoUsd = attoUsd / nanoUsdPerUsd;
  const rest = attoUsd % nanoUsdPerUsd;
  if (rest === 0n) return writeUsd(nanoUsd);
  const [whole = '', fraction = ''] = writeUsd(nanoUsd).split('.');
  const finer = rest.toString().padStart(9, '0').replace(/0+$/, '');
  return `${whole}.${fraction.padEnd(9, '0')}${finer}`;
}

/** Numbers from YAML or JSON: the shortest decimal that reads back the same, without an exponent. */
function writePlainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(15).replace(/0+$/, '').replace(/\.$/, '') : text;
}
