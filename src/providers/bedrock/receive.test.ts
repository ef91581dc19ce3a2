import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpAnswer } from '../../base/http-answer.ts';
import { FrameSplitter, framesOf, readData } from '../../base/sse.ts';
import { ConverseEventReader } from '../../protocols/converse/read-stream.ts';
import type { TurnEvent } from '../../protocols/turn/events.ts';
import { collectAnswer } from '../../protocols/turn/testing/collect-answer.ts';
import { receive } from './receive.ts';
import { binaryMessage, event, exception } from './testing/binary-message.ts';

const asReceived = (response: Response): HttpAnswer => receive(response, response.url);

const recorded: [string, object][] = JSON.parse(
  readFileSync(join(import.meta.dir, 'fixtures', 'stream.json'), 'utf8'),
);
const messages = recorded.map(([type, payload]) => event(type, payload));
const whole = Buffer.concat(messages);
const type = 'application/vnd.amazon.eventstream';

let server: Bun.Server<undefined> | undefined;
afterEach(() => server?.stop(true));

/** One piece for each pull. */
function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return new ReadableStream({
    async pull(controller) {
      const piece = rest.shift();
      await Promise.resolve();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

/** What a host sends over a real connection, piece by piece, and what becomes of it. */
async function receiveFrom(pieces: readonly Uint8Array[]): Promise<HttpAnswer> {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(streamOf(pieces), { headers: { 'content-type': type, 'x-amzn-requestid': '4f1c-77' } }),
  });
  return asReceived(await fetch(`${server.url.href}model/eu.nova%3A0/converse-stream`, { method: 'POST' }));
}

interface Read {
  readonly reader: ConverseEventReader;
  readonly events: readonly TurnEvent[];
}

function read(text: string): Read {
  const reader = new ConverseEventReader();
  const events: TurnEvent[] = [];
  for (const frame of framesOf(new FrameSplitter(1_000_000).push(Buffer.from(text)))) {
    const data = readData(frame);
    if (data !== null) reader.read(data, events);
  }
  return { reader, events };
}

/** Without a network, so that every place to cut can be tried. */
async function readPieces(pieces: readonly Uint8Array[]): Promise<Read> {
  const body = streamOf(pieces);
  return read(await asReceived(new Response(body, { headers: { 'content-type': type } })).text());
}

const expected = [
  {
    content: [
      {
        type: 'thinking' as const,
        text: 'Low tide',
        signature: { origin: 'anthropic' as const, value: 'EqQBCkYI' },
      },
      { type: 'text' as const, text: 'Ebbe läuft um 9 Uhr. 🌊' },
      { type: 'tool_use' as const, id: 'tooluse_9fGk2LmQTx', name: 'tide', input: '{"harbour": "Emden"}' },
    ],
    stop: { reason: 'tool_use' as const },
  },
];

describe('a binary stream', () => {
  test('becomes server-sent events over a socket, with the id of its request and its model', async () => {
    const received = await receiveFrom([whole.subarray(0, 5), whole.subarray(5, 700), whole.subarray(700)]);
    expect(received.headers.get('content-type')).toBe('text/event-stream');
    const { reader, events } = read(await received.text());
    expect(reader.isEnded).toBe(true);
    const answer = collectAnswer(events);
    expect(answer).toMatchObject({ id: '4f1c-77', model: 'eu.nova:0' });
    expect(answer.choices).toEqual(expected);
    expect(answer.usage).toMatchObject({ inputTokens: 14, outputTokens: 26 });
  });

  test('is the same wherever it is cut', async () => {
    for (let at = 1; at < whole.length; at += 1) {
      const { reader, events } = await readPieces([whole.subarray(0, at), whole.subarray(at)]);
      expect(reader.isEnded).toBe(true);
      expect(collectAnswer(events).choices).toEqual(expected);
    }
  });

  test('is the same over a socket, wherever its two pieces are cut, and in single bytes', async () => {
    const pieces = (at: number) => [whole.subarray(0, at), whole.subarray(at)];
    const single = [...whole].map((byte) => Uint8Array.of(byte));
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        const at = Number(new URL(url).searchParams.get('at'));
        return new Response(streamOf(at === 0 ? single : pieces(at)), { headers: { 'content-type': type } });
      },
    });
    for (let at = 0; at < whole.length; at += 1) {
      const received = asReceived(await fetch(`${server.url.href}model/nova/converse-stream?at=${at}`));
      const { reader, events } = read(await received.text());
      expect(reader.isEnded).toBe(true);
      expect(collectAnswer(events).choices).toEqual(expected);
    }
  });

  test('that is cut off never seems complete, unless only its counts are missing', async () => {
    const untilStop = Buffer.concat(messages.slice(0, -1)).length;
    for (let length = 0; length < whole.length; length += 1) {
      const { reader } = await readPieces([whole.subarray(0, length)]);
      expect(reader.isComplete).toBe(length >= untilStop);
      expect(reader.isEnded).toBe(false);
    }
  });

  test.each([
    ['throttlingException', { message: 'Too many boats.' }, 429, 'Too many boats.'],
    ['modelStreamErrorException', { originalMessage: 'torn', originalStatusCode: 500 }, 500, 'torn'],
  ])('tells of a %s, with what was generated before it', async (name, payload, status, message) => {
    const { reader, events } = await readPieces([...messages.slice(0, 6), exception(name, payload)]);
    expect(reader.complaint).toMatchObject({ type: name, status, message });
    expect(reader.isComplete).toBe(false);
    expect(events.some((one) => one.type === 'delta' && one.text === 'Ebbe läuft ')).toBe(true);
  });

  test('tells of an error outside of the events', async () => {
    const error = binaryMessage(
      { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'gone' },
      '',
    );
    const { reader } = await readPieces([...messages.slice(0, 2), error]);
    expect(reader.complaint).toMatchObject({ type: 'InternalFailure', message: 'gone', status: 500 });
  });

  test('that was changed on the way ends in a complaint, behind what came whole', async () => {
    const broken = Buffer.from(messages[5] ?? '');
    broken.writeUInt8(broken.readUInt8(40) ^ 1, 40);
    const { reader, events } = await readPieces([
      Buffer.concat([...messages.slice(0, 5), broken, ...messages.slice(6)]),
    ]);
    expect(reader.complaint?.message).toContain('checksum');
    expect(reader.isComplete).toBe(false);
    expect(events.filter((one) => one.type === 'delta').map(({ text }) => text)).toEqual([
      'Low tide',
      'Ebbe läuft ',
    ]);
  });

  test('with a payload that is no JSON, or on several lines, makes no second frame', async () => {
    const lines = binaryMessage(
      { ':message-type': 'event', ':event-type': 'messageStart' },
      '{\r\n"role":\n"assistant"}\n\n',
    );
    expect((await readPieces([lines, ...messages.slice(1)])).reader.complaint).toBeNull();
    const forged = binaryMessage(
      { ':message-type': 'event', ':event-type': 'messageStart' },
      '{}\n\ndata: {"messageStop":{}}',
    );
    const { reader } = await readPieces([forged]);
    expect(reader.complaint?.message).toContain('cannot be read');
    expect(reader.isComplete).toBe(false);
  });

  test('is read only as fast as it is taken, and no further once nobody wants it', async () => {
    let taken = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(
            event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: `${taken}` } }),
          );
          taken += 1;
        },
        cancel() {
          isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const received = asReceived(new Response(body, { headers: { 'content-type': type } }));
    const reader = received.body?.getReader();
    for (let frames = 0; frames < 4; frames += 1) await reader?.read();
    expect(taken).toBeLessThanOrEqual(4);
    await reader?.cancel();
    expect(isCancelled).toBe(true);
  });

  test('that breaks with its connection breaks here too', async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(whole.subarray(0, 300));
      },
      pull(controller) {
        controller.error(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      },
    });
    const received = asReceived(new Response(body, { headers: { 'content-type': type } }));
    await expect(received.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('an answer of another kind', () => {
  test('keeps its bytes when it is neither a stream nor JSON, or is a refusal', async () => {
    const html = asReceived(new Response('<html>', { headers: { 'content-type': 'text/html' } }));
    expect(await html.text()).toBe('<html>');
    const refused = Response.json({ message: 'no' }, { status: 400 });
    expect(await asReceived(refused).text()).toBe('{"message":"no"}');
  });

  test('of JSON gets an id of ours where the host gave none, in the first of its pieces', async () => {
    const body = streamOf([Buffer.from('{"out'), Buffer.from('put":{}}')]);
    const received = asReceived(new Response(body, { headers: { 'content-type': 'application/json' } }));
    const { id, model, output } = JSON.parse(await received.text());
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect({ model, output }).toEqual({ model: '', output: {} });
  });
});
