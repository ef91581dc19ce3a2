/** Amounts of US dollars as people type them, with the comma or the point of their country. */
import { z } from 'zod';
import { nanoUsdPerUsd, readNanoUsd } from '../base/money.ts';
import type { FieldSentence } from './field-sentences.ts';

/** The most that a form takes; in nano-USD. */
const mostNanoUsd = 1_000_000_000n * nanoUsdPerUsd;
const wholeDigitsOfMost = 10;
/** So long is what a person may type; what is longer is read no further. */
const mostCharacters = 40;

/**
 * An amount from nothing to a billion dollars, as a decimal with a point: `$12,50` is `12.50`. What could mean two
 * amounts, such as `1,234`, is refused.
 */
export const typedUsd = z
  .string()
  .max(mostCharacters, 'not_usd' satisfies FieldSentence)
  .transform((given) => withPoint(given.trim().replace(/^\$\s*|\s*\$$/, '')))
  .pipe(
    z
      .string()
      .refine((text) => readsAsUsd(text), 'not_usd' satisfies FieldSentence)
      .refine((text) => !isTooMuch(text), { params: { mostNanoUsd } }),
  );

/** A number as people type it: a comma is the point of a decimal where it cannot stand between thousands, and the reverse. */
export function withPoint(given: string): string {
  const text = given.trim().replace(/^0+(?=\d)/, '');
  if (/^[1-9]\d{0,2}(?:,\d{3})+\.\d+$/.test(text) || /^[1-9]\d{0,2}(?:,\d{3}){2,}$/.test(text)) {
    return text.replaceAll(',', '');
  }
  if (/^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/.test(text)) return text.replaceAll('.', '').replace(',', '.');
  if (/^[1-9]\d{0,2}(?:\.\d{3}){2,}$/.test(text)) return text.replaceAll('.', '');
  return /^\d+,\d+$/.test(text) && !/^[1-9]\d{0,2},\d{3}$/.test(text) ? text.replace(',', '.') : text;
}

const wholeDigits = (text: string): string | undefined => /^(\d+)(?:\.\d{1,9}0*)?$/.exec(text)?.[1];

const readsAsUsd = (text: string): boolean => wholeDigits(text) !== undefined;

/** Of what reads as an amount. */
function isTooMuch(text: string): boolean {
  const whole = wholeDigits(text);
  return whole !== undefined && (whole.length > wholeDigitsOfMost || readNanoUsd(text) > mostNanoUsd);
}
