/** Streams with one thing wrong in them: nothing throws or grows, and what writers rely on stays as it is. */
import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../testing/check-events.ts';
import { framed, frameOf, play, whole } from '../testing/play-stream.ts';
import { type SoundStream, soundStreams } from '../testing/sound-streams.ts';
import { spoilOrder, spoilValues } from '../testing/spoiled-frames.ts';
import { streamPairs } from '../testing/stream-pairs.ts';
import { CuttingReader } from './stop-cutter.ts';

/** With every value that can be wrong, one at a time, and in every other order. */
function* spoiled({ frames }: SoundStream): Generator<readonly string[]> {
  for (const [at, data] of frames.entries()) {
    for (const wrong of spoilValues(data)) yield frames.with(at, wrong);
  }
  yield* spoilOrder(frames);
}

/** The rules that a reader breaks, each once. */
function brokenRules(check: (frames: readonly string[]) => void, sound: SoundStream): readonly string[] {
  const broken = new Set<string>();
  for (const frames of spoiled(sound)) {
    try {
      check(frames);
    } catch (error) {
      broken.add(String(error));
    }
  }
  return [...broken];
}

describe.each(soundStreams.map((sound) => [sound.upstream.name, sound] as const))(
  'a reader of %s',
  (_name, sound) => {
    const { upstream } = sound;

    test('keeps the order of events, whatever one thing is wrong', () => {
      expect(brokenRules((frames) => checkEvents(upstream.openReader(), frames), sound)).toEqual([]);
    });

    if (upstream.stopSequences === 'none')
      test('keeps it when the answer is cut at a stop sequence', () => {
        const open = (sequence: string) => new CuttingReader(upstream.openReader(), [sequence]);
        for (const sequence of ['oin', '時。\n', 'never met'])
          expect(brokenRules((frames) => checkEvents(open(sequence), frames), sound)).toEqual([]);
      });
  },
);

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

/** A call whose arguments are an object instead of its text, or an object as they ought to be, nested without measure. */
const deepCalls: Readonly<Record<string, string>> = {
  'chat-completions': `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":${deep}}}]}}]}`,
  messages: `{"type":"content_block_start","index":9,"content_block":{"type":"tool_use","name":"f","input":{"a":${deep}}}}`,
  google: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":${deep}}}}]}}]}`,
};

describe.each([...streamPairs])('a stream of %s', (_name, pair) => {
  const { sound, passesThrough } = pair;
  const frames = framed(sound);
  const sane = play(pair, whole(frames.join('')));

  test('is as it was with frames in it that nobody knows', () => {
    const stray = frameOf('{"weather":{"wind":9,"index":1000000000}}', false);
    for (let at = 0; at <= frames.length; at += 1) {
      const played = play(pair, whole(frames.toSpliced(at, 0, stray).join('')));
      expect({ at, isClean: played.isClean }).toEqual({ at, isClean: true });
      expect(passesThrough ? played.out.replace(stray, '') : played.out).toBe(sane.out);
    }
  });

  test('does not grow with the numbers in it', () => {
    const numbers = /("(?:\w*index|contentBlockIndex|sequence_number)":)\d+/gi;
    const huge = sound.frames.map((data) => frameOf(data.replace(numbers, '$11000000000'), false));
    expect(play(pair, whole(huge.join(''))).told.length).toBeLessThan(2 * sane.told.length);
  });

  const deepCall = deepCalls[sound.upstream.name];
  if (deepCall !== undefined && !passesThrough)
    test('breaks off at what is nested too deep', () => {
      const { complaint, isClean } = play(
        pair,
        whole(frames.with(2, frameOf(deepCall ?? '', false)).join('')),
      );
      expect({ isClean, message: complaint?.message }).toEqual({
        isClean: false,
        message: 'The provider sent a piece of its answer that cannot be read.',
      });
    });
});
