/** How answers are cut, paced and dressed on their way out. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Shape, Writes } from './answer.ts';
import { cutPieces } from './delivery/cut-pieces.ts';
import { planSteps } from './delivery/plan-steps.ts';
import { startUpstream, type Upstream } from './index.ts';
import { bodyOf, chatRequest, chunksOf, rawClient } from './raw-client.ts';
import { streamReply, wholeReply } from './reply.ts';

let upstream: Upstream;
beforeEach(() => {
  upstream = startUpstream();
});
afterEach(() => upstream.stop());

const asked = { stream: true, stream_options: { include_usage: true } };
const lastChunk = '\r\n0\r\n\r\n';

async function streamed(shape: Shape): Promise<Buffer> {
  upstream.enqueue({ generate: { tokens: 12, nonAscii: true }, shape });
  const client = await rawClient(upstream.port);
  client.send(chatRequest(asked, 'connection: close\r\n'));
  return (await client.end).bytes;
}

/** Ids differ from answer to answer. */
function withoutIds(body: string): string {
  return body.replaceAll(/chatcmpl-double-\d+/g, 'chatcmpl-double-N');
}

describe('writes', () => {
  test('one an event: each HTTP chunk is one whole event', async () => {
    const chunks = chunksOf(await streamed({}));
    // A role, twelve tokens, a finish, usage and the terminator.
    expect(chunks).toHaveLength(16);
    expect(chunks.every((chunk) => /^data: .*\n\n$/.test(chunk.toString()))).toBe(true);
  });

  test('all in one: a single chunk', async () => {
    expect(chunksOf(await streamed({ writes: 'joined' }))).toHaveLength(1);
  });

  test('every n bytes: characters and events are split, and nothing is lost', async () => {
    const plain = bodyOf(await streamed({}));
    const answer = await streamed({ writes: { everyBytes: 3 } });
    const chunks = chunksOf(answer);
    expect(chunks.slice(0, -1).every((chunk) => chunk.length === 3)).toBe(true);
    expect(chunks.some((chunk) => !Buffer.from(chunk.toString()).equals(chunk))).toBe(true);
    expect(withoutIds(bodyOf(answer))).toBe(withoutIds(plain));
    const request = upstream.requests.at(-1);
    expect(request).toMatchObject({ eventsSent: 16, tokensSent: 12, outcome: 'answered' });
    expect(request?.usage?.completionTokens).toBe(12);
  });

  test('by seed: the same seed cuts alike, another seed otherwise', async () => {
    const sizes = async (seed: number): Promise<number[]> =>
      chunksOf(await streamed({ writes: { seed } })).map((chunk) => chunk.length);
    const first = await sizes(1);
    expect(first.slice(0, 50)).toEqual((await sizes(1)).slice(0, 50));
    expect(first.slice(0, 50)).not.toEqual((await sizes(2)).slice(0, 50));
  });

  test('a whole answer can be split too, under one stated length', () => {
    const reply = wholeReply(200, 'application/json', {
      text: '{"a":"größer"}',
      tokens: 2,
      usage: undefined,
    });
    const steps = planSteps(reply, { writes: { everyBytes: 5 } });
    const sizes = steps.flatMap((step) => (step.kind === 'write' ? [step.bytes.length] : []));
    expect(sizes.slice(1)).toEqual([5, 5, 5, 1]);
  });

  test('pieces cut in any way join to the same bytes and the same counts', () => {
    const piece = fc.record({
      bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
      tokens: fc.nat(3),
    });
    const writes = fc.oneof(
      fc.constantFrom<Writes>('event', 'joined'),
      fc.record({ everyBytes: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ seed: fc.integer(), maxBytes: fc.integer({ min: 1, max: 50 }) }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), writes, (drafts, how) => {
        const pieces = drafts.map((draft) => ({ ...draft, events: 1, usage: undefined }));
        const cut = cutPieces(pieces, how);
        const sum = (key: 'tokens' | 'events', of: typeof cut): number =>
          of.reduce((all, one) => all + one[key], 0);
        expect(Buffer.concat(cut.map((one) => one.bytes))).toEqual(
          Buffer.concat(pieces.map((one) => one.bytes)),
        );
        expect(sum('tokens', cut)).toBe(sum('tokens', pieces));
        expect(sum('events', cut)).toBe(pieces.length);
      }),
    );
  });
});

describe('dress', () => {
  test('line ends can be CRLF', async () => {
    const body = bodyOf(await streamed({ lineEnds: 'crlf' }));
    expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(body).toEndWith('data: [DONE]\r\n\r\n');
  });

  test('comments stand between events and are not counted as such', async () => {
    const events = bodyOf(await streamed({ comment: 'still here' })).split('\n\n');
    expect(events.filter((event) => event === ': still here')).toHaveLength(16);
    expect(upstream.requests.at(-1)?.eventsSent).toBe(16);
  });

  test('events can be named', async () => {
    const events = bodyOf(await streamed({ eventName: 'chunk' }))
      .trim()
      .split('\n\n');
    expect(events.every((event) => event.startsWith('event: chunk\ndata: '))).toBe(true);
  });

  test('headers can be added and replaced', async () => {
    upstream.enqueue({ headers: { 'content-type': 'application/json; charset=latin1', 'x-odd': 'yes' } });
    const client = await rawClient(upstream.port);
    client.send(chatRequest());
    const text = (await client.until('x-odd: yes\r\n')).toString();
    expect(text).toContain('content-type: application/json; charset=latin1\r\n');
    client.leave();
  });
});

describe('pace', () => {
  const event = (text: string) => ({ lines: [`data: ${text}`], tokens: 1, usage: undefined });
  const kinds = (shape: Shape): (string | number)[] =>
    planSteps(streamReply([event('1'), event('2'), event('3')]), shape).map((step) =>
      step.kind === 'wait' ? step.delayMs : step.kind,
    );

  test('waits stand before the headers, before the first piece and before each further one', () => {
    expect(kinds({ headerDelayMs: 1, firstDelayMs: 2, chunkDelayMs: 3 })).toEqual([
      1,
      'write',
      2,
      'write',
      3,
      'write',
      3,
      'write',
      'complete',
    ]);
  });

  test('no delay, no wait', () => {
    expect(kinds({ chunkDelayMs: 0 })).toEqual(['write', 'write', 'write', 'write', 'complete']);
  });

  test('a delayed answer lets a later one pass, and still comes whole', async () => {
    let hasPassed = false;
    // On a busy machine the later one may take longer than the first is delayed: then that is delayed for longer.
    for (let headerDelayMs = 50; !hasPassed && headerDelayMs <= 5000; headerDelayMs *= 10) {
      upstream.forget();
      upstream.enqueue({ shape: { headerDelayMs, firstDelayMs: 1, chunkDelayMs: 1 } });
      const slow = await rawClient(upstream.port);
      slow.send(chatRequest(asked));
      await upstream.received(1);
      const fast = await rawClient(upstream.port);
      fast.send(chatRequest(asked));
      await fast.until(lastChunk);
      hasPassed = slow.bytes.length === 0;
      expect(bodyOf(await slow.until(lastChunk))).toContain('[DONE]');
      slow.leave();
      fast.leave();
    }
    expect(hasPassed).toBe(true);
  });
});
