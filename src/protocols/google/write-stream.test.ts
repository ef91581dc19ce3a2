import { describe, expect, test } from 'bun:test';
import type { TurnEvent } from '../turn/events.ts';
import { GoogleEventWriter } from './write-stream.ts';

const at = (block: number) => ({ choice: 0, block });
const start: TurnEvent = { type: 'start', id: 'r', model: 'm', createdS: 1_700_000_000, usage: null };
const stop: TurnEvent = { type: 'stop', choice: 0, stop: { reason: 'tool_use' } };

function write(...events: readonly TurnEvent[]): unknown[] {
  const writer = new GoogleEventWriter();
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
      { candidates: [{ content: { parts: [], role: 'model' }, finishReason: 'STOP', index: 0 }], ...head },
    ]);
  });

  test('counts that come last get a piece of their own', () => {
    const usage = {
      inputTokens: 3,
      cacheReadTokens: 4,
      cacheWrite5mTokens: 1,
      cacheWrite1hTokens: 0,
      outputTokens: 9,
      reasoningTokens: 5,
      estimated: false,
    };
    expect(write(start, stop, { type: 'usage', usage }, { type: 'end' }).at(-1)).toEqual({
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
