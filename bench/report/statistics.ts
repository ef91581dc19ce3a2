/** The middle and the spread of a few numbers. */

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Undefined for no numbers. */
export function spreadOf(numbers: readonly number[]): Spread | undefined {
  const sorted = [...numbers].sort((one, other) => one - other);
  const median = quantile(sorted, 0.5);
  const least = sorted[0];
  const most = sorted.at(-1);
  if (median === undefined || least === undefined || most === undefined) return undefined;
  return { median, least, most };
}

/** Of ascending numbers, between neighbours in proportion; undefined for none. */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (place - Math.floor(place));
}
