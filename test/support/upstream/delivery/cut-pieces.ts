/** Cuts a body's bytes into the writes a shape asks for, keeping count of what each write completes. */
import type { Writes } from '../answer.ts';
import type { Usage } from '../usage.ts';

export interface Piece {
  readonly bytes: Uint8Array;
  /** Events, tokens and usage statements whose last byte lies in this piece. */
  readonly events: number;
  readonly tokens: number;
  readonly usage: Usage | undefined;
}

const usualMostBytes = 24;

export function cutPieces(pieces: readonly Piece[], writes: Writes): readonly Piece[] {
  if (writes === 'event' || pieces.length === 0) return pieces;
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  const ends = writes === 'joined' ? [bytes.length] : cutPlaces(bytes.length, writes);
  const source = pieces.values();
  let current = source.next();
  let sourceEnd = current.value?.bytes.length ?? 0;
  let start = 0;
  return ends.map((end) => {
    let [events, tokens] = [0, 0];
    let usage: Usage | undefined;
    while (current.value !== undefined && sourceEnd <= end) {
      events += current.value.events;
      tokens += current.value.tokens;
      usage = current.value.usage ?? usage;
      current = source.next();
      sourceEnd += current.value?.bytes.length ?? 0;
    }
    const piece = { bytes: bytes.subarray(start, end), events, tokens, usage };
    start = end;
    return piece;
  });
}

function cutPlaces(length: number, writes: Exclude<Writes, string>): number[] {
  const nextSize = sizes(writes);
  const places: number[] = [];
  for (let place = 0; place < length; ) {
    place = Math.min(length, place + nextSize());
    places.push(place);
  }
  return places;
}

function sizes(writes: Exclude<Writes, string>): () => number {
  if ('everyBytes' in writes) return () => Math.max(1, writes.everyBytes);
  const most = writes.maxBytes ?? usualMostBytes;
  let state = writes.seed >>> 0;
  return () => {
    // A linear congruential step: the same seed must give the same cuts on every run.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * most);
  };
}
