/** A whole number as arguments and options take it. */
import { InvalidArgumentError } from 'commander';

export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number.');
}
