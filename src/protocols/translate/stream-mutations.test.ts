/** Streams with anything wrong in them, over every pair of protocols: an answer or an error, and nothing else. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkEvents } from '../testing/check-events.ts';
import { mutatedFrames } from '../testing/mutations.ts';
import { officialReaders } from '../testing/official-readers.ts';
import { dataOf, framed, frameOf, play, whole } from '../testing/play-stream.ts';
import { soundStreams } from '../testing/sound-streams.ts';
import { streamPairs } from '../testing/stream-pairs.ts';

describe.each(soundStreams.map((sound) => [sound.upstream.name, sound] as const))(
  'a reader of %s',
  (_name, { upstream, frames }) => {
    test('keeps the order of events whatever is wrong', () => {
      fc.assert(
        fc.property(mutatedFrames(frames), (mutated) => checkEvents(upstream.openReader(), mutated)),
        { numRuns: 1000 },
      );
    });
  },
);

describe.each([...streamPairs])('a stream of %s', (_name, pair) => {
  const { sound, client, passesThrough } = pair;
  const read = officialReaders[client.protocol.name];
  if (read === undefined) throw new Error('there is no official client');
  const mostBytes = 20 * framed(sound).join('').length;

  test('is what the official client takes for an answer', async () => {
    expect(await read(play(pair, whole(framed(sound).join(''))).told)).toBeObject();
  });

  test('with anything wrong in it becomes whole frames, and an answer or an error', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedFrames(sound.frames), async (frames) => {
        const { told, isClean, hasContent } = play(
          pair,
          whole(frames.map((data) => frameOf(data, false)).join('')),
        );
        expect(told.length).toBeLessThan(mostBytes);
        if (!passesThrough) expect(() => dataOf(told)).not.toThrow();
        if (!hasContent) return;
        const error = await errorOf(read(told));
        if (!isClean) expect(error).not.toBeNull();
        else if (!passesThrough && error !== null) expect(String(error)).toMatch(modelsOwnFault);
      }),
      { numRuns: 80 },
    );
  });
});

/** Arguments that are no JSON, and ids that are used twice, are not for us to mend: clients see them as they are. */
const modelsOwnFault = /JSON|duplicate output item/;

async function errorOf(reading: Promise<unknown>): Promise<unknown> {
  try {
    await reading;
    return null;
  } catch (error) {
    return error;
  }
}
