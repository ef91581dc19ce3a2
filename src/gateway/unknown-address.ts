/** What a request to an address where nothing is probably meant, from the slips that base URLs invite. */
import { findClosest } from '../base/closest.ts';

/** Longer ones are no slip of a hand, and comparing them would cost. */
const longestCompared = 100;

/** @returns a sentence with a space before it, or nothing where nothing is near. */
export function hintFor(pathname: string, known: readonly string[]): string {
  const tidy = pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  if (tidy.startsWith('/v1/v1/')) return ' Leave /v1 out of the base URL: it is there twice.';
  if (tidy !== pathname && known.includes(tidy)) return ` Did you mean ${tidy}, without a slash too many?`;
  const meant = findMeant(tidy, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

function findMeant(path: string, known: readonly string[]): string | undefined {
  if (path.startsWith('/models/')) return `/v1${path.slice(0, longestCompared)}`;
  if (path.length > longestCompared) return undefined;
  const withVersion = `/v1${path}`;
  return (
    known.find((each) => each === withVersion || path.endsWith(each)) ??
    findClosest(path, known) ??
    findClosest(withVersion, known)
  );
}
