/** Faults after the first content, over every pair of protocols: an error in the client's own protocol, no clean end. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { framesOf, readData } from '../../src/base/sse.ts';
import {
  type FaultPair,
  type FaultScene,
  faultPairs,
  startFaultScene,
} from '../support/stream-faults/scene.ts';
import type { Fault } from '../support/upstream/faults/fault.ts';
import { readNumber, readObject, readText } from '../support/upstream/json.ts';

let scene: FaultScene;
// Long enough for a busy machine, on which a sound answer has begun after more than two seconds.
beforeAll(async () => {
  scene = await startFaultScene({
    SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '5000',
    SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000',
  });
});
afterAll(() => scene.stop());
beforeEach(() => scene.sluice.upstream.forget());

/** More events than any protocol needs before its first content. */
const afterEvents = 8;
/** A pause between the pieces, so that the content is read before the connection breaks. */
const shape = { chunkDelayMs: 4 };
const generate = { tokens: 30 };

const breaks: readonly (readonly [Fault, string])[] = [
  [{ name: 'reset_mid_stream', afterEvents }, 'upstream_unreachable'],
  [{ name: 'truncated_stream', afterEvents }, 'upstream_invalid_answer'],
  [{ name: 'truncated_stream', afterEvents, isAbrupt: true }, 'upstream_unreachable'],
  [{ name: 'in_band_error', afterEvents }, 'upstream_failed'],
  [{ name: 'malformed_chunk', afterEvents, events: 4 }, 'upstream_invalid_answer'],
];

const stalls: readonly Fault[] = [
  { name: 'mid_stream_stall', afterEvents },
  { name: 'mid_stream_stall', afterEvents, commentEveryMs: 200 },
];

/** The stream up to its end, of which every frame must be whole. */
async function readFrames({ client, alone }: FaultPair): Promise<readonly unknown[]> {
  const response = await scene.sluice.post(client.path, client.body(alone, true));
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toEndWith('\n\n');
  expect(text).not.toMatch(client.goodEnd);
  return [...framesOf(Buffer.from(text))].flatMap((frame) => {
    const data = readData(frame);
    return data === null ? [] : [JSON.parse(data)];
  });
}

async function expectBreak(pair: FaultPair, code: string): Promise<void> {
  const frames = await readFrames(pair);
  const errors = frames.flatMap((frame) => pair.client.codeOf(frame) ?? []);
  expect({ name: pair.name, code: errors[0] }).toEqual({ name: pair.name, code });
  expect(frames.length).toBeGreaterThan(errors.length + 1);
  if (pair.client.path === '/v1/responses') expectOneResponse(frames);
}

/** The frames that tell of the error are numbered behind those before them, and of the same response. */
function expectOneResponse(frames: readonly unknown[]): void {
  const numbers = frames.map((frame) => readNumber(frame, 'sequence_number') ?? -1);
  // Not one after the other, since pieces that were no JSON are left out.
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  const ids = frames.flatMap((frame) => readText(readObject(frame, 'response'), 'id') ?? []);
  expect(ids.length).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(1);
}

async function expectThrow({ client, alone }: FaultPair): Promise<void> {
  await expect(client.ask(scene.sluice, alone, true)).rejects.toThrow();
}

describe.each(faultPairs.map((pair) => [pair.name, pair] as const))('%s', (_name, pair) => {
  test.each(breaks.map((one) => [...one]))('%j ends in the error %s', async (fault, code) => {
    scene.sluice.upstream.byDefault({ fault, shape, generate });
    await expectBreak(pair, code);
    expect((await scene.sluice.usage()).at(-1)).toMatchObject({
      outcome: 'upstream_failed',
      errorCode: code,
    });
    await expectThrow(pair);
  });

  test.each(['event', 'joined'] as const)(
    'three pieces that are no JSON are dropped (%s)',
    async (writes) => {
      const fault = { name: 'malformed_chunk', afterEvents, events: 3 } as const;
      scene.sluice.upstream.byDefault({ fault, generate, shape: { writes } });
      const response = await scene.sluice.post(pair.client.path, pair.client.body(pair.alone, true));
      const text = await response.text();
      expect(text).toMatch(pair.client.goodEnd);
      for (const frame of framesOf(Buffer.from(text))) {
        const data = readData(frame);
        if (data !== null && data !== '[DONE]') expect(() => JSON.parse(data)).not.toThrow();
      }
      expect((await scene.sluice.usage()).at(-1)).toMatchObject({ outcome: 'complete' });
    },
  );

  test.skipIf(pair.client.path === '/v1/responses')(
    'a piece of a call that is no JSON ends the stream: nobody carries out what has a hole in it',
    async () => {
      const parameters = { type: 'object', properties: { place: { type: 'string', minLength: 200 } } };
      const isMessages = pair.client.path === '/v1/messages';
      const tools = isMessages
        ? [{ name: 'look', input_schema: parameters }]
        : [{ type: 'function', function: { name: 'look', parameters } }];
      const tool_choice = isMessages ? { type: 'any' } : 'required';
      // Where the arguments are: behind more or fewer events of each protocol.
      const behind = pair.upstream === 'chat completions' ? 2 : 6;
      const fault = { name: 'malformed_chunk', afterEvents: behind, events: 1 } as const;
      scene.sluice.upstream.byDefault({ fault });
      const body = { ...pair.client.body(pair.alone, true), tools, tool_choice };
      const response = await scene.sluice.post(pair.client.path, body);
      const text = await response.text();
      expect(text).not.toMatch(pair.client.goodEnd);
      expect((await scene.sluice.usage()).at(-1)).toMatchObject({ errorCode: 'upstream_invalid_answer' });
    },
  );

  test('content and an error in one piece: the content arrives, the provider’s own words do not', async () => {
    const fault = { name: 'in_band_error', afterEvents } as const;
    scene.sluice.upstream.byDefault({ fault, generate, shape: { writes: 'joined' } });
    await expectBreak(pair, 'upstream_failed');
    const response = await scene.sluice.post(pair.client.path, pair.client.body(pair.alone, true));
    expect(await response.text()).not.toContain('of its own making');
  });

  test('an answer in pieces of one byte is whole', async () => {
    scene.sluice.upstream.byDefault({
      generate: { text: 'Grüße 🌊 港' },
      shape: { writes: { everyBytes: 1 } },
    });
    expect(await pair.client.ask(scene.sluice, pair.alone, true)).toBe('Grüße 🌊 港');
  });
});

describe.each(stalls.map((fault) => [fault]))('%j', (fault) => {
  test('ends in the error upstream_timeout for every client over every upstream', async () => {
    scene.sluice.upstream.byDefault({ fault, shape, generate });
    // Binary frames have no comments.
    const pairs = faultPairs.filter(
      ({ upstream }) => !('commentEveryMs' in fault && upstream === 'Converse'),
    );
    await Promise.all(
      pairs.map(async (pair) => {
        await expectBreak(pair, 'upstream_timeout');
        await expectThrow(pair);
      }),
    );
  });
});

/** All but the last event, which only says again that the answer has ended. */
const lastEventLost = { afterEvents: 1000 };

describe.each<[Fault]>([
  [{ name: 'reset_mid_stream', ...lastEventLost }],
  [{ name: 'truncated_stream', ...lastEventLost, isAbrupt: true }],
  [{ name: 'mid_stream_stall', ...lastEventLost }],
])('%j', (fault) => {
  const known = ['chat completions', 'messages'];
  const pairs = faultPairs.filter(({ upstream }) => known.includes(upstream));

  test.each(['always', 'never'] as const)(
    'takes nothing from an answer that has said how it ended, and blames nobody (usage: %s)',
    async (usage) => {
      const recordOf = async ({ client, alone }: FaultPair, broken: Fault) => {
        scene.sluice.upstream.byDefault({ fault: broken, shape, generate: { ...generate, usage } });
        const response = await scene.sluice.post(client.path, client.body(alone, true));
        expect(await response.text()).toMatch(client.goodEnd);
        const { outcome, errorCode, inputTokens, outputTokens, estimated } =
          (await scene.sluice.usage()).at(-1) ?? {};
        return { outcome, errorCode, inputTokens, outputTokens, estimated };
      };
      for (const pair of pairs) {
        const clean = await recordOf(pair, { name: 'truncated_stream', ...lastEventLost });
        expect(clean).toMatchObject({ outcome: 'complete', errorCode: null });
        expect(await recordOf(pair, fault)).toEqual(clean);
      }
    },
  );
});
