import { describe, expect, test } from 'bun:test';
import type { TurnAnswer } from '../turn/answer.ts';
import type { TurnEvent } from '../turn/events.ts';
import { collectAnswer } from '../turn/testing/collect-answer.ts';
import { ConverseEventReader } from './read-stream.ts';

const start = { messageStart: { role: 'assistant', p: 'abcd' } };
const toolStart = (contentBlockIndex: number, toolUse: object) => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse } },
});
const delta = (contentBlockIndex: number, change: object) => ({
  contentBlockDelta: { contentBlockIndex, delta: change, p: 'ab' },
});
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
const end = (stopReason = 'end_turn', more: object = {}) => ({ messageStop: { stopReason, ...more } });
const counts = { metadata: { usage: { inputTokens: 3, outputTokens: 5 }, metrics: { latencyMs: 9 } } };

function read(...frames: readonly object[]): { reader: ConverseEventReader; events: TurnEvent[] } {
  const reader = new ConverseEventReader();
  const events: TurnEvent[] = [];
  for (const frame of frames) reader.read(JSON.stringify(frame), events);
  return { reader, events };
}

function answerOf(...frames: readonly object[]): TurnAnswer {
  const { reader, events } = read(start, ...frames, counts);
  expect(reader.complaint).toBeNull();
  expect(reader.isEnded).toBe(true);
  return collectAnswer(events);
}

describe('blocks', () => {
  test('of text and thinking begin with their first piece, those of tools are announced', () => {
    const { choices } = answerOf(
      delta(0, { reasoningContent: { text: 'I must ' } }),
      delta(0, { reasoningContent: { text: 'look.' } }),
      delta(0, { reasoningContent: { signature: 's==' } }),
      stop(0),
      delta(1, { reasoningContent: { redactedContent: 'AAAA' } }),
      stop(1),
      delta(2, { text: 'Wait' }),
      delta(2, { text: '.' }),
      stop(2),
      toolStart(3, { toolUseId: 't', name: 'look' }),
      delta(3, { toolUse: { input: '' } }),
      delta(3, { toolUse: { input: '{"at":' } }),
      delta(3, { toolUse: { input: '1}' } }),
      stop(3),
      toolStart(4, { toolUseId: 'u', name: 'now' }),
      stop(4),
      end('tool_use'),
    );
    expect(choices).toEqual([
      {
        content: [
          { type: 'thinking', text: 'I must look.', signature: { origin: 'anthropic', value: 's==' } },
          { type: 'redacted_thinking', signature: { origin: 'anthropic', value: 'AAAA' } },
          { type: 'text', text: 'Wait.' },
          { type: 'tool_use', id: 't', name: 'look', input: '{"at":1}' },
          { type: 'tool_use', id: 'u', name: 'now', input: '' },
        ],
        stop: { reason: 'tool_use' },
      },
    ]);
  });

  test('that only the vendor understands are passed over, and so are events and pieces that are not known', () => {
    const { choices } = answerOf(
      { somethingNew: { a: 1 } },
      toolStart(0, { toolUseId: 's', name: 'search', type: 'server_tool_use' }),
      delta(0, { toolUse: { input: '{}' } }),
      stop(0),
      { contentBlockStart: { contentBlockIndex: 1, start: { toolResult: { toolUseId: 's' } } } },
      delta(1, { toolResult: [{ text: 'x' }] }),
      stop(1),
      delta(2, { citation: { location: {} } }),
      delta(2, { text: 'a' }),
      stop(2),
      end(),
    );
    expect(choices[0]?.content).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('that are never closed are closed by the end', () => {
    expect(answerOf(delta(0, { text: 'a' }), end()).choices[0]?.content).toEqual([
      { type: 'text', text: 'a' },
    ]);
  });
});

describe('the end', () => {
  test('is complete with the reason, and ended with the counts that follow it', () => {
    const { reader, events } = read(start, delta(0, { text: 'a' }), end());
    expect([reader.isComplete, reader.isEnded]).toEqual([true, false]);
    reader.read(JSON.stringify(counts), events);
    expect([reader.isComplete, reader.isEnded]).toEqual([true, true]);
    expect(collectAnswer(events).usage).toMatchObject({ inputTokens: 3, outputTokens: 5 });
  });

  test('comes without counts when the upstream breaks off in front of them', () => {
    const { reader, events } = read(start, delta(0, { text: 'a' }), end());
    reader.finish(events);
    expect(collectAnswer(events).usage).toBeNull();
  });

  test.each([
    ['end_turn', 'end'],
    ['max_tokens', 'max_tokens'],
    ['stop_sequence', 'stop_sequence'],
    ['guardrail_intervened', 'refusal'],
    ['content_filtered', 'refusal'],
    ['model_context_window_exceeded', 'context_window'],
    ['a_new_one', 'end'],
  ])('%s is %s', (word, reason) => {
    expect(String(answerOf(end(word)).choices[0]?.stop.reason)).toBe(reason);
  });

  test('tells the sequence that was met, where the model does', () => {
    const more = { additionalModelResponseFields: { delta: { stop_sequence: 'END' } } };
    expect(answerOf(end('stop_sequence', more)).choices[0]?.stop).toEqual({
      reason: 'stop_sequence',
      sequence: 'END',
    });
  });
});

describe('complaints', () => {
  test.each([
    ['throttlingException', 429],
    ['serviceUnavailableException', 503],
    ['internalServerException', 500],
    ['modelStreamErrorException', 500],
    ['validationException', 400],
    ['somethingNewException', 500],
  ])('%s has the status %d', (type, status) => {
    const { reader } = read(start, { exception: { type, message: 'why' } });
    expect(reader.complaint).toEqual({ message: 'why', code: null, type, param: null, status });
    expect(reader.isComplete).toBe(false);
  });

  test.each(['malformed_model_output', 'malformed_tool_use'])('%s is a failure, not an end', (reason) => {
    const { reader, events } = read(start, delta(0, { text: 'a' }), end(reason));
    expect(reader.complaint).toMatchObject({ code: reason, status: 500 });
    expect(reader.isComplete).toBe(false);
    expect(events.some(({ type }) => type === 'stop')).toBe(false);
  });

  test.each([
    ['what is no JSON', ['{"messageStart":']],
    ['what is no event', ['[]']],
    ['an event without a payload', ['{"messageStart":1}']],
    ['a piece before the start', [JSON.stringify(delta(0, { text: 'a' }))]],
    ['a second start', [JSON.stringify(start), JSON.stringify(start)]],
  ])('%s cannot be read', (_, frames) => {
    const reader = new ConverseEventReader();
    for (const frame of frames) reader.read(frame, []);
    expect(reader.complaint?.message).toContain('cannot be read');
  });
});
