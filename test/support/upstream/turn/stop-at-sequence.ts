/** Ends a text where a stop sequence begins. */

/** The pieces before the first stop sequence; the piece it begins in is cut. */
export function stopAtSequence(
  pieces: readonly string[],
  sequences: readonly string[],
): { pieces: readonly string[]; stopSequence: string | null } {
  const text = pieces.join('');
  const places = sequences
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  const [first] = places;
  if (first === undefined) return { pieces, stopSequence: null };
  const kept: string[] = [];
  let left = first.at;
  for (const piece of pieces) {
    if (left <= 0) break;
    kept.push(piece.slice(0, left));
    left -= piece.length;
  }
  return { pieces: kept, stopSequence: first.sequence };
}
