import { describe, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { readGoogleAnswer } from './answer.ts';
import { googlePassthrough } from './passthrough.ts';
import { GoogleEventReader } from './read-stream.ts';
import { readGoogleRequest } from './request.ts';
import { call, counts, piece } from './testing/pieces.ts';
import { GoogleEventWriter } from './write-stream.ts';

function read(...pieces: readonly unknown[]): { reader: GoogleEventReader; events: TurnEvent[] } {
  const reader = new GoogleEventReader();
  const events: TurnEvent[] = [];
  for (const one of pieces) reader.read(typeof one === 'string' ? one : JSON.stringify(one), events);
  return { reader, events };
}
const types = (events: readonly TurnEvent[]) => events.map(({ type }) => type);

describe('a generateContent stream', () => {
  test('is complete when its candidate has a reason for the end, and ended when its connection is', () => {
    const { reader, events } = read(piece([{ text: 'a' }]));
    expect(reader.isComplete).toBe(false);
    reader.read(JSON.stringify(piece([{ text: 'b' }], 'STOP', counts)), events);
    expect(reader).toMatchObject({ isComplete: true, isEnded: false });
    reader.finish(events);
    expect(reader.isEnded).toBe(true);
    expect(types(events)).toEqual(['start', 'open', 'delta', 'delta', 'close', 'stop', 'usage', 'end']);
  });

  test('without any candidate is not complete', () => {
    const { reader } = read({ usageMetadata: { promptTokenCount: 3 }, responseId: 'r' }, {});
    expect(reader).toMatchObject({ isComplete: false, complaint: null });
  });

  test('counts that come behind the end are taken, text is not', () => {
    const { events } = read(piece([{ text: 'a' }], 'STOP'), piece([{ text: 'b' }], undefined, counts));
    expect(types(events)).toEqual(['start', 'open', 'delta', 'close', 'stop', 'usage']);
  });

  test('text, thoughts and other parts end each other', () => {
    const { events } = read(
      piece([{ text: 'a', thought: true }, { text: 'b' }, { executableCode: { code: '1' } }, { text: 'c' }]),
      piece([call('f', { x: 1 }), { text: '' }], 'STOP'),
    );
    expect(events.flatMap((event) => (event.type === 'open' ? [event.head] : []))).toEqual([
      { kind: 'thinking' },
      { kind: 'text' },
      { kind: 'text' },
      { kind: 'tool_use', id: 'call_resp-1_0_0', name: 'f', signature: undefined },
    ]);
    expect(events.at(-1)).toEqual({ type: 'stop', choice: 0, stop: { reason: 'tool_use' } });
  });

  test('a text that is signed while it goes on stays one, and is signed behind it', () => {
    const signed = { text: 'Hel', thoughtSignature: 'c2ln' };
    const { events } = read(piece([signed]), piece([{ text: 'lo' }], 'STOP'));
    expect(types(events)).toEqual(['start', 'open', 'delta', 'delta', 'close', 'open', 'close', 'stop']);
    expect(events.flatMap((event) => (event.type === 'open' ? [event.head] : []))).toEqual([
      { kind: 'text' },
      { kind: 'redacted_thinking', signature: { origin: 'google', value: 'c2ln' } },
    ]);
  });

  test('a call that names no function is passed over', () => {
    const { events, reader } = read(piece([{ functionCall: {} }], 'STOP'));
    expect(types(events)).toEqual(['start', 'stop']);
    expect(reader.complaint).toBeNull();
  });

  test.each([
    [{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }, 503],
    [[{ error: { code: 429, message: 'busy', status: 'RESOURCE_EXHAUSTED' } }], 429],
    [{ error: { message: 'busy', status: 'INTERNAL' } }, 500],
  ])('an error in it is a complaint: %j', (error, status) => {
    const { reader, events } = read(piece([{ text: 'a' }]), error);
    expect(reader.complaint).toMatchObject({ message: 'busy', status });
    expect(reader.isComplete).toBe(false);
    expect(types(events)).toEqual(['start', 'open', 'delta']);
  });

  test('a frame that nobody can read is a complaint', () => {
    for (const broken of ['{"candidates":[', '<html>', '7', '[]']) {
      expect(read(broken).reader.complaint).not.toBeNull();
    }
  });

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    'an answer that breaks off with %s is no end but a complaint, whole and streamed',
    (reason) => {
      const broken = piece([], reason, counts);
      const { reader } = read(broken);
      expect(reader).toMatchObject({ isComplete: false, complaint: { code: reason } });
      expect(() => readGoogleAnswer(broken)).toThrow(ComplaintError);
    },
  );
});

describe('a whole answer', () => {
  test('that is no answer cannot be read; an error is a complaint', () => {
    for (const json of [undefined, '<html>', [], {}, { candidates: [] }, { usageMetadata: counts }]) {
      expect(() => readGoogleAnswer(json)).toThrow(UnreadableAnswerError);
    }
    expect(() => readGoogleAnswer({ error: 'no' })).toThrow(ComplaintError);
  });

  test('without counts has none', () => {
    expect(readGoogleAnswer(piece([{ text: 'a' }], 'STOP')).usage).toBeNull();
    expect(readGoogleAnswer(piece([], 'STOP', { trafficType: 'ON_DEMAND' })).usage).toBeNull();
  });

  test('what the vendor’s tools found is input', () => {
    const usage = { promptTokenCount: 9, toolUsePromptTokenCount: 96, candidatesTokenCount: 55 };
    expect(readGoogleAnswer(piece([{ text: 'a' }], 'STOP', usage)).usage).toMatchObject({
      inputTokens: 105,
      outputTokens: 55,
    });
  });

  test('tells when it was made, where the host says', () => {
    const answer = { ...piece([{ text: 'a' }], 'STOP'), createTime: '2026-05-04T20:01:02.264968Z' };
    expect(readGoogleAnswer(answer).createdS).toBe(1_777_924_862);
  });
});

test('calls of answers without ids have one in each answer, whole or streamed', () => {
  const answer = { candidates: [{ content: { parts: [call('f', { x: 1 })] }, finishReason: 'STOP' }] };
  const ids = [1, 2].flatMap(() => [
    ...(readGoogleAnswer(answer).choices[0]?.content ?? []).flatMap((block) =>
      block.type === 'tool_use' ? [block.id] : [],
    ),
    ...read(answer).events.flatMap((event) =>
      event.type === 'open' && event.head.kind === 'tool_use' ? [event.head.id] : [],
    ),
  ]);
  expect(new Set(ids).size).toBe(4);
});

test('a sign of life is a piece without words, in a converted stream as in one that passes', () => {
  const nothing = { content: { parts: [{ text: '' }], role: 'model' }, index: 0 };
  const writer = new GoogleEventWriter({ hidesThoughts: false });
  writer.write(start);
  expect(JSON.parse(writer.idle().slice('data: '.length))).toEqual({ candidates: [nothing], ...head });
  const passing = googlePassthrough.openStream(
    readGoogleRequest('{"contents":[{"parts":[{"text":"hi"}]}]}', { model: 'm', stream: true }),
  );
  expect(String(passing.idle?.())).toBe(`data: ${JSON.stringify({ candidates: [nothing] })}\n\n`);
});

const at = (block: number) => ({ choice: 0, block });
const start: TurnEvent = { type: 'start', id: 'r', model: 'm', createdS: 1_700_000_000, usage: null };
const stop: TurnEvent = { type: 'stop', choice: 0, stop: { reason: 'tool_use' } };

function write(...events: readonly TurnEvent[]): unknown[] {
  const writer = new GoogleEventWriter({ hidesThoughts: false });
  const text = events.map((event) => writer.write(event)).join('');
  return text.split('\n\n').flatMap((frame) => {
    if (frame === '') return [];
    expect(frame.startsWith('data: ')).toBe(true);
    return [JSON.parse(frame.slice('data: '.length))];
  });
}
const head = { modelVersion: 'm', responseId: 'r', createTime: '2023-11-14T22:13:20.000Z' };
const shown = (part: object) => ({
  candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
  ...head,
});

describe('a written generateContent stream', () => {
  test('calls that come in turns go out whole, in the order in which they began', () => {
    const written = write(
      start,
      { type: 'open', ...at(0), head: { kind: 'tool_use', id: 'a', name: 'first' } },
      { type: 'open', ...at(1), head: { kind: 'tool_use', id: 'b', name: 'second' } },
      { type: 'delta', ...at(1), kind: 'input', text: '{}' },
      { type: 'close', ...at(1) },
      { type: 'delta', ...at(0), kind: 'input', text: '{"x":' },
      { type: 'delta', ...at(0), kind: 'input', text: '1}' },
      { type: 'close', ...at(0) },
      stop,
      { type: 'end' },
    );
    expect(written).toEqual([
      shown({ functionCall: { id: 'a', name: 'first', args: { x: 1 } } }),
      shown({ functionCall: { id: 'b', name: 'second', args: {} } }),
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
        ...head,
      },
    ]);
  });

  test('the end of an answer waits for its counts, and is no empty piece, which official clients would not keep', () => {
    const usage = {
      inputTokens: 3,
      cacheReadTokens: 4,
      cacheWrite5mTokens: 1,
      cacheWrite1hTokens: 0,
      outputTokens: 9,
      reasoningTokens: 5,
      estimated: false,
    };
    const end = { content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 };
    expect(write(start, stop, { type: 'usage', usage }, { type: 'end' }).at(-1)).toEqual({
      candidates: [end],
      usageMetadata: {
        promptTokenCount: 8,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 5,
        totalTokenCount: 17,
      },
      ...head,
    });
  });
});
