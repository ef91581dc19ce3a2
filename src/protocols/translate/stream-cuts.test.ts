/** Streams that are split, joined, dressed differently and cut short, over every pair of protocols. */
import { describe, expect, test } from 'bun:test';
import { cutAt, cutPlayer, dataOf, framed, play, singleBytes, whole } from '../testing/play-stream.ts';
import { dressings } from '../testing/stream-dressings.ts';
import { streamPairs } from '../testing/stream-pairs.ts';

describe.each([...streamPairs])('a stream of %s', (_name, pair) => {
  const { sound, passesThrough } = pair;
  const frames = framed(sound);
  const text = frames.join('');
  const bytes = Buffer.from(text);
  const expected = play(
    pair,
    frames.map((frame) => Buffer.from(frame)),
  );

  test('is clean, and says all that it has to say', () => {
    expect(expected.complaint).toBeNull();
    expect(expected.isClean).toBe(true);
    for (const said of ['Moin 🌊', '満潮は九時。', 'Grüße 👩‍🚀', 'tide'])
      expect(expected.out).toContain(said);
    if (passesThrough) expect(expected.out).toBe(text);
  });

  test('is the same wherever its bytes are split, in single bytes, and in one piece', () => {
    const playCut = cutPlayer(pair);
    for (let at = 0; at <= bytes.length; at += 1) {
      const split = playCut(cutAt(bytes, at));
      if (split.out !== expected.out || !split.isClean) expect({ at, ...split }).toEqual({ at, ...expected });
    }
    expect(play(pair, singleBytes(bytes))).toEqual(expected);
    expect(play(pair, [bytes])).toEqual(expected);
  });

  test('is the same with any frames joined', () => {
    for (let at = 0; at <= frames.length; at += 1) {
      const pieces = [...whole(frames.slice(0, at).join('')), ...whole(frames.slice(at).join(''))];
      expect(play(pair, pieces)).toEqual(expected);
    }
  });

  test.each([...dressings])('says the same in %s', (_dressing, dress) => {
    const dressed = Buffer.from(dress(sound));
    const said = dataOf(expected.out);
    for (const pieces of [[dressed], singleBytes(dressed)]) {
      const { out, isClean } = play(pair, pieces);
      expect(isClean).toBe(true);
      expect(dataOf(out)).toEqual(said);
      if (!passesThrough) expect(out).toBe(expected.out);
    }
  });

  test('that is cut after any byte is clean only where its answer was whole', () => {
    const wholeFrom = Buffer.byteLength(frames.slice(0, sound.wholeAt + 1).join('')) - '\n\n'.length;
    const playCut = cutPlayer(pair);
    let before: unknown;
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = playCut([bytes.subarray(0, length)]);
      const { isClean, out } = cut;
      if (isClean !== length >= wholeFrom) expect(`${length}: ${isClean}`).toBe(`${length}: ${!isClean}`);
      if (cut === before) continue;
      before = cut;
      expect(() => dataOf(out)).not.toThrow();
      if (!isClean) expect(expected.out).toStartWith(out.replace(/\n+$/, ''));
    }
  });
});
