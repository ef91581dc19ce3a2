import { describe, expect, test } from 'bun:test';
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
} from '../testing/frames.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { TurnEvent } from '../turn/events.ts';
import { collectAnswer } from '../turn/testing/collect-answer.ts';
import { MessagesEventReader } from './read-stream.ts';

function answerOf(...events: readonly object[]): TurnAnswer {
  const reader = new MessagesEventReader();
  const read: TurnEvent[] = [];
  for (const event of [
    messageStart(),
    ...events,
    messageDelta('tool_use', { output_tokens: 5 }),
    messageStop,
  ]) {
    reader.read(JSON.stringify(event), read);
  }
  expect(reader.complaint).toBeNull();
  return collectAnswer(read);
}

const contentOf = (...events: readonly object[]) => answerOf(...events).choices[0]?.content;
const tool = { type: 'tool_use', id: 't', name: 'look', input: { at: 1 } };

describe('what hosts do differently', () => {
  test('the input of a tool comes with its start, in deltas, or in both places', () => {
    const change = blockDelta(0, { type: 'input_json_delta', partial_json: '{"at":1}' });
    const expected = [{ type: 'tool_use' as const, id: 't', name: 'look', input: '{"at":1}' }];
    expect(contentOf(blockStart(0, tool), blockStop(0))).toEqual(expected);
    expect(contentOf(blockStart(0, { ...tool, input: {} }), change, blockStop(0))).toEqual(expected);
    expect(contentOf(blockStart(0, tool), change, blockStop(0))).toEqual(expected);
  });

  test('text, thinking and its signature come with the start of their block', () => {
    const content = contentOf(
      blockStart(0, { type: 'thinking', thinking: 'hm', signature: 's' }),
      blockStop(0),
      blockStart(1, { type: 'text', text: 'a' }),
      blockDelta(1, { type: 'text_delta', text: 'b' }),
      blockStop(1),
    );
    expect(content).toEqual([
      { type: 'thinking', text: 'hm', signature: { origin: 'anthropic', value: 's' } },
      { type: 'text', text: 'ab' },
    ]);
  });

  test('calls of code that the model wrote come whole with the start, and so does the reason for the end', () => {
    const { type, message } = messageStart({ input_tokens: 8, output_tokens: 20 });
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
    const start = {
      type,
      message: { ...message, content: [{ ...tool, caller }], stop_reason: 'tool_use', stop_sequence: null },
    };
    const readAll = (...frames: readonly object[]) => {
      const reader = new MessagesEventReader();
      const events: TurnEvent[] = [];
      for (const event of frames) reader.read(JSON.stringify(event), events);
      return { reader, events };
    };
    const { reader, events } = readAll(start, messageStop);
    expect(reader.complaint).toBeNull();
    expect(reader.isComplete).toBe(true);
    const { choices, usage } = collectAnswer(events);
    expect(usage).toMatchObject({ inputTokens: 8, outputTokens: 20 });
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(1);
    expect(choices).toEqual([
      {
        content: [{ type: 'tool_use', id: 't', name: 'look', input: '{"at":1}' }],
        stop: { reason: 'tool_use', sequence: undefined },
      },
    ]);
    expect(readAll(start).reader.isComplete).toBe(false);
  });

  test('a block is never closed', () => {
    expect(contentOf(blockStart(0, { type: 'text', text: 'a' }))).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('events and deltas that are not known are passed over', () => {
    const content = contentOf(
      { type: 'something_new', index: 0 },
      blockStart(0, { type: 'text', text: 'a' }),
      blockDelta(0, { type: 'citations_delta', citation: {} }),
      blockStop(0),
      blockStart(1, { type: 'web_search_tool_result', content: [] }),
      blockStop(1),
    );
    expect(content).toEqual([{ type: 'text', text: 'a' }]);
  });
});

test('the counts of the last delta are for the whole answer, and complete those of the start', () => {
  const reader = new MessagesEventReader();
  const events: TurnEvent[] = [];
  const start = messageStart({ input_tokens: 10, cache_read_input_tokens: 40, output_tokens: 1 });
  for (const event of [
    start,
    messageDelta('end_turn', { output_tokens: 9, input_tokens: null }),
    messageStop,
  ]) {
    reader.read(JSON.stringify(event), events);
  }
  expect(collectAnswer(events).usage).toMatchObject({
    inputTokens: 10,
    cacheReadTokens: 40,
    outputTokens: 9,
  });
});
