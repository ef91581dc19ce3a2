/** Errors inside streams, over every pair of protocols: they are seen, and nothing of them or behind them gets through. */
import { describe, expect, test } from 'bun:test';
import { framed, frameOf, type PlayedStream, play, whole } from '../testing/play-stream.ts';
import { wordsOfErrors } from '../testing/sound-streams.ts';
import { type StreamPair, streamPairs } from '../testing/stream-pairs.ts';

/** Frame by frame, and all in one piece. */
function playBoth(pair: StreamPair, frames: readonly string[]): readonly PlayedStream[] {
  return [
    play(
      pair,
      frames.map((frame) => Buffer.from(frame)),
    ),
    play(pair, whole(frames.join(''))),
  ];
}

const untilError = (pair: StreamPair, frames: readonly string[]): string =>
  frames.reduce<{ stream: ReturnType<StreamPair['open']>; out: string }>(
    ({ stream, out }, frame) => ({ stream, out: out + Buffer.from(stream.push(Buffer.from(frame))) }),
    { stream: pair.open(), out: '' },
  ).out;

describe.each([...streamPairs])('an error in a stream of %s', (_name, pair) => {
  const { sound } = pair;
  const frames = framed(sound);
  const sane = play(pair, whole(frames.join('')));

  test.each(sound.errors.map((data) => [data]))('%s', (data) => {
    const error = frameOf(data, sound.namesEvents);
    for (let at = 0; at <= frames.length; at += 1) {
      const before = frames.slice(0, at);
      const out = untilError(pair, before);
      for (const played of playBoth(pair, [...before, error, ...frames.slice(at)])) {
        if (at > sound.endsAt) {
          expect(played).toEqual(sane);
          continue;
        }
        expect(played.complaint?.message).toBe(wordsOfErrors);
        expect(played.isComplete).toBe(at > sound.wholeAt);
        expect(played.isClean).toBe(false);
        expect(played.out).toBe(out);
      }
    }
  });

  test('that is the last frame, without its blank line, is seen all the same', () => {
    for (const data of sound.errors) {
      const error = frameOf(data, sound.namesEvents).trimEnd();
      const { complaint, isClean } = play(pair, whole(frames.slice(0, 5).join('') + error));
      expect({ message: complaint?.message, isClean }).toEqual({ message: wordsOfErrors, isClean: false });
    }
  });

  // Where the last frame is all that makes an answer whole, it may be an answer by itself.
  if (sound.endsAt > sound.wholeAt && sound.endsAt < frames.length)
    test('an end with nothing before it is one', () => {
      expect(play(pair, whole(frames.slice(sound.endsAt).join(''))).isClean).toBe(false);
    });

  test('a frame that cannot be read is one too, wherever it comes', () => {
    for (const data of [
      '{',
      '{"type":',
      'null',
      '[]',
      '[{}]',
      '"x"',
      '1e999',
      'true',
      'nothing',
      '[DONE',
      '<html>',
    ]) {
      for (let at = 0; at <= Math.min(sound.endsAt, frames.length); at += 1) {
        const before = frames.slice(0, at);
        const broken = `data: ${data}\n\n`;
        for (const played of playBoth(pair, [...before, broken, ...frames.slice(at)])) {
          expect({ data, at, clean: played.isClean }).toEqual({ data, at, clean: false });
          expect(played.complaint).not.toBeNull();
          expect(played.out).toBe(untilError(pair, before));
        }
      }
    }
  });
});
