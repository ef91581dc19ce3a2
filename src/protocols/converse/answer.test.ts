import { describe, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { readConverseAnswer } from './answer.ts';
import { readConverseComplaint } from './errors.ts';

const answer = (content: readonly object[], more: object = {}) => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
  usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 },
  metrics: { latencyMs: 120 },
  ...more,
});

describe('whole answers', () => {
  test('hold every kind of block that another protocol can show', () => {
    const { choices } = readConverseAnswer(
      answer([
        { reasoningContent: { reasoningText: { text: 'hm' } } },
        { reasoningContent: { redactedContent: 'AAAA' } },
        { citationsContent: { content: [{ text: 'one ' }, { text: 'two' }], citations: [{ title: 't' }] } },
        { guardContent: { text: { text: 'x' } } },
        { toolUse: { toolUseId: 's', name: 'search', input: {}, type: 'server_tool_use' } },
        { toolUse: { toolUseId: 't', name: 'look', input: { at: 1 } } },
      ]),
    );
    expect(choices[0]?.content).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'redacted_thinking', signature: { origin: 'anthropic', value: 'AAAA' } },
      { type: 'text', text: 'one two', citations: [{ source: { kind: 'document', title: 't' } }] },
      { type: 'tool_use', id: 't', name: 'look', input: '{"at":1}' },
    ]);
  });

  test.each([
    [
      'apart by lifetime',
      [
        { ttl: '1h', inputTokens: 30 },
        { ttl: '5m', inputTokens: 20 },
      ],
      20,
      30,
    ],
    ['all for five minutes when nothing is said', undefined, 50, 0],
  ])('count cache writes %s, beside the input', (_, cacheDetails, cacheWrite5mTokens, cacheWrite1hTokens) => {
    const usage = {
      inputTokens: 10,
      outputTokens: 4,
      cacheReadInputTokens: 7,
      cacheWriteInputTokens: 50,
      cacheDetails,
    };
    expect(readConverseAnswer(answer([], { usage })).usage).toEqual({
      inputTokens: 10,
      cacheReadTokens: 7,
      cacheWrite5mTokens,
      cacheWrite1hTokens,
      outputTokens: 4,
      reasoningTokens: 0,
      estimated: false,
    });
  });

  test('without counts have none', () => {
    expect(readConverseAnswer(answer([], { usage: undefined })).usage).toBeNull();
  });

  test('that are errors, failures or something else are not taken for answers', () => {
    expect(() => readConverseAnswer({ message: 'no' })).toThrow(ComplaintError);
    expect(() => readConverseAnswer(answer([], { stopReason: 'malformed_tool_use' }))).toThrow(
      ComplaintError,
    );
    for (const json of [undefined, [], {}, { output: {} }]) {
      expect(() => readConverseAnswer(json)).toThrow(UnreadableAnswerError);
    }
  });
});

describe('refusals', () => {
  test('say their sentence; their status is that of the answer', () => {
    expect(readConverseComplaint('{"message":"The provided model identifier is invalid."}')).toEqual({
      message: 'The provided model identifier is invalid.',
      code: null,
      type: null,
      param: null,
      status: null,
    });
    expect(readConverseComplaint('{"Message":"no access"}')?.message).toBe('no access');
  });

  test('do not tell the account that resource names hold', () => {
    const message = 'The model arn:aws:bedrock:eu-west-1:111122223333:inference-profile/x is not there.';
    expect(readConverseComplaint(JSON.stringify({ message }))?.message).toBe(
      'The model [removed] is not there.',
    );
  });

  test('say their type where the service does, without the namespace', () => {
    const body = '{"__type":"com.amazon.coral.availability#ThrottlingException","message":"slow down"}';
    expect(readConverseComplaint(body)).toMatchObject({ type: 'ThrottlingException', status: 429 });
  });

  test.each([
    'The model returned the following errors: Input is too long for requested model.',
    'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum',
    'The model returned the following errors: input length and `max_tokens` exceed context limit: 1 + 2 > 2',
  ])('know a context that is too long: %s', (message) => {
    expect(readConverseComplaint(JSON.stringify({ message }))?.code).toBe('context_length_exceeded');
  });

  test('are not seen in an answer, nor in what is no JSON', () => {
    for (const body of [JSON.stringify(answer([])), '<html>', '', '[]', '{}']) {
      expect(readConverseComplaint(body)).toBeNull();
    }
  });
});
