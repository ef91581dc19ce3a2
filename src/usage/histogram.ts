/**
 * Histograms that the database sums like any number: twelve decimal digits a bin, the lowest bin in the lowest digits.
 * A bin spans a third of an octave, so what is read from it is wrong by at most an eighth.
 */

const binsAnOctave = 3;
const mostBin = 62;
const digitsABin = 12;

/** An aggregate over rows. @param value an expression that is at least 1 in what can be told apart, such as milliseconds. */
export function histogramOf(value: string, where: string): string {
  const bin = `least(floor(${binsAnOctave} * ln(greatest((${value})::double precision, 1)) / ln(2::double precision)), ${mostBin})`;
  return `sum(('1e' || (${bin} * ${digitsABin})::integer)::numeric) FILTER (WHERE ${where})`;
}

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
}

/** @returns null for a histogram of nothing. */
export function readHistogram(digits: string | null): Spread | null {
  if (digits === null) return null;
  const counts = countsOf(digits);
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count === 0) return null;
  return { count, p50: quantile(counts, count * 0.5), p95: quantile(counts, count * 0.95) };
}

function countsOf(digits: string): readonly number[] {
  const counts: number[] = [];
  for (let end = digits.length; end > 0; end -= digitsABin) {
    counts.push(Number(digits.slice(Math.max(0, end - digitsABin), end)));
  }
  return counts;
}

/** As if what is in a bin were spread evenly over it. */
function quantile(counts: readonly number[], rank: number): number {
  let before = 0;
  let bin = 0;
  for (const count of counts) {
    if (count > 0 && before + count >= rank) return 2 ** ((bin + (rank - before) / count) / binsAnOctave);
    before += count;
    bin += 1;
  }
  return 2 ** (counts.length / binsAnOctave);
}
