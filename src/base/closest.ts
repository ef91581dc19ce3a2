/** Which known name somebody probably meant. */

/** The nearest of those that are at most a slip or two away. */
export function findClosest(name: string, known: Iterable<string>): string | undefined {
  const mostSlips = Math.min(3, Math.ceil(name.length / 3));
  let closest: string | undefined;
  let fewestSlips = mostSlips + 1;
  for (const candidate of known) {
    // Each letter more is a slip.
    if (Math.abs(candidate.length - name.length) >= fewestSlips) continue;
    const slips = countSlips(name.toLowerCase(), candidate.toLowerCase());
    if (slips >= fewestSlips) continue;
    fewestSlips = slips;
    closest = candidate;
  }
  return closest;
}

/** Letters to add, drop or change to make one word of the other (Levenshtein's distance). */
function countSlips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of [...from].entries()) {
    const next = [rowIndex + 1];
    for (const [index, other] of [...to].entries()) {
      const changed = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
