/** How the time of something grows while its input doubles. */

export interface GrowthCase {
  /** What the table puts side by side. */
  readonly group: string;
  readonly shape: string;
  /** The size that the first measurement has; what it counts is the case's own business. */
  readonly size: number;
  /** Makes the input, untimed, and what is to be timed. */
  prepare(size: number): () => unknown;
}

export interface Growth {
  readonly group: string;
  readonly shape: string;
  readonly sizes: readonly number[];
  /** CPU time, the least of several tries, which other programs on the machine disturb the least. */
  readonly timesMs: readonly number[];
  /** What the size is raised to: 1 is linear, 2 is quadratic. Zero where all is too quick to tell. */
  readonly exponent: number;
  readonly isBounded: boolean;
}

export interface MeasureOptions {
  readonly doublings: number;
  readonly tries: number;
  /** Leaves out what lies between the smallest and the largest size, which the table alone shows. */
  readonly onlyEnds?: true;
}

/** Between linear with a compiler, a collector and caches in its way, and quadratic. */
export const mostExponent = 1.55;
/** What takes less at its largest size harms nobody and cannot be told from noise. */
const negligibleMs = 8;
/** A time that seems too long is measured again, since a pause of the collector may be in it. */
const mostRounds = 8;

export function measureGrowth(one: GrowthCase, { doublings, tries, onlyEnds }: MeasureOptions): Growth {
  const all = Array.from({ length: doublings + 1 }, (_, at) => one.size * 2 ** at);
  const sizes = all.filter((_, at) => onlyEnds === undefined || at === 0 || at === doublings);
  const [smallest = one.size] = sizes;
  const largest = sizes.at(-1) ?? smallest;
  // Compiled first, so that the first size does not pay for it.
  timeOf(one, smallest, 2);
  let times = sizes.map((size) => timeOf(one, size, tries));
  for (
    let round = 1;
    round < mostRounds && exponentOf(times, { doublings, negligibleMs }) > mostExponent;
    round += 1
  ) {
    const again = [timeOf(one, smallest, 2 * tries), timeOf(one, largest, 2 * tries)] as const;
    times = times.with(0, Math.max(times[0] ?? 0, again[0])).with(-1, Math.min(times.at(-1) ?? 0, again[1]));
  }
  const exponent = exponentOf(times, { doublings, negligibleMs });
  return {
    group: one.group,
    shape: one.shape,
    sizes,
    timesMs: times,
    exponent,
    isBounded: exponent <= mostExponent,
  };
}

/** Of the times at the first and the last size. */
export function exponentOf(
  times: readonly number[],
  { doublings, negligibleMs: negligible }: { doublings: number; negligibleMs: number },
): number {
  const [first = 0] = times;
  const last = times.at(-1) ?? 0;
  if (last < negligible) return 0;
  return Math.log2(last / Math.max(first, negligible / 2 ** (1.5 * doublings))) / doublings;
}

function timeOf({ prepare }: GrowthCase, size: number, tries: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < tries; at += 1) {
    const run = prepare(size);
    const before = process.cpuUsage();
    const startMs = performance.now();
    try {
      run();
    } catch {
      // A refusal takes its time too.
    }
    const { user, system } = process.cpuUsage(before);
    // Other threads, such as the collector's, are in the first and other programs in the second.
    least = Math.min(least, (user + system) / 1000, performance.now() - startMs);
    if (least > longestTryMs) break;
  }
  return least;
}

const longestTryMs = 2000;
