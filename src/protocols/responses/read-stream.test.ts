import { describe, expect, test } from 'bun:test';
import type { TurnEvent } from '../turn/events.ts';
import { collectAnswer } from '../turn/testing/collect-answer.ts';
import { readResponsesAnswer } from './answer.ts';
import { ResponsesEventReader } from './read-stream.ts';
import {
  added,
  call,
  completed,
  created,
  done,
  message,
  type StreamedEvent,
  textDelta,
  usage,
  whole,
} from './testing/frames.ts';

function readAll(...stream: readonly StreamedEvent[]) {
  const reader = new ResponsesEventReader();
  const events: TurnEvent[] = [];
  for (const event of stream) reader.read(JSON.stringify(event), events);
  return { reader, events };
}

const contentOf = (...stream: readonly StreamedEvent[]) =>
  collectAnswer(readAll(...stream).events).choices[0]?.content;

const reasoning = (fields: object = {}) => ({ type: 'reasoning', id: 'rs', summary: [], ...fields });
const summaryDelta = (delta: string, summary_index = 0) => ({
  type: 'response.reasoning_summary_text.delta',
  output_index: 0,
  summary_index,
  delta,
});

describe('items', () => {
  test('of every kind become blocks, several at a time', () => {
    const { events, reader } = readAll(
      created,
      added(0, reasoning()),
      summaryDelta('Let '),
      summaryDelta('me.'),
      summaryDelta('See.', 1),
      done(0, reasoning({ summary: [{ type: 'summary_text', text: 'x' }], encrypted_content: 'enc' })),
      added(1, { ...message(), content: [] }),
      textDelta(1, ''),
      textDelta(1, 'Grüß '),
      textDelta(1, 'dich'),
      added(2, call('c2', 'look', '')),
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a":' },
      { type: 'response.refusal.delta', output_index: 1, content_index: 1, delta: 'No.' },
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '1}' },
      done(1, message('Grüß dich')),
      done(2, call('c2', 'look', '{"a":1}')),
      added(3, { type: 'custom_tool_call', id: 'ct', call_id: 'c3', name: 'patch', input: '' }),
      { type: 'response.custom_tool_call_input.delta', output_index: 3, delta: '* a' },
      done(3, { type: 'custom_tool_call', id: 'ct', call_id: 'c3', name: 'patch', input: '* a' }),
      completed(),
    );
    expect(collectAnswer(events)).toEqual({
      id: 'resp_1',
      model: 'gpt-x',
      createdS: 5,
      choices: [
        {
          content: [
            { type: 'thinking', text: 'Let me.\n\nSee.', signature: { origin: 'openai', value: 'enc' } },
            { type: 'text', text: 'Grüß dich' },
            { type: 'tool_use', id: 'c2', name: 'look', input: '{"a":1}' },
            { type: 'refusal', text: 'No.' },
            { type: 'tool_use', id: 'c3', name: 'patch', input: '* a', custom: true },
          ],
          stop: { reason: 'tool_use' },
        },
      ],
      usage: {
        inputTokens: 10,
        cacheReadTokens: 40,
        cacheWrite5mTokens: 0,
        cacheWrite1hTokens: 0,
        outputTokens: 9,
        reasoningTokens: 4,
        estimated: false,
      },
    });
    expect(reader).toMatchObject({ isComplete: true, isEnded: true, complaint: null });
  });

  test('that are told at once, or only in the end, are not lost', () => {
    const atOnce = [
      done(0, reasoning({ content: [{ type: 'reasoning_text', text: 'raw' }] })),
      done(1, message('a', 'b')),
      done(2, call('c', 'look', '{}')),
    ];
    const expected = [
      { type: 'thinking', text: 'raw' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'tool_use', id: 'c', name: 'look', input: '' },
    ];
    expect<unknown>(contentOf(created, ...atOnce, completed())).toEqual(expected);
    expect<unknown>(contentOf(completed(atOnce.map(({ item }) => item)))).toEqual(expected);
  });

  test('whose deltas never came are told by what closes them', () => {
    expect<unknown>(
      contentOf(
        created,
        added(0, { ...message(), content: [] }),
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'said' },
        added(1, { type: 'function_call', call_id: 'c', arguments: '' }),
        done(1, call('c', 'look', '{"a":1}')),
        completed(),
      ),
    ).toEqual([
      { type: 'text', text: 'said' },
      { type: 'tool_use', id: 'c', name: 'look', input: '{"a":1}' },
    ]);
  });

  test.each<[string, object, readonly object[], string]>([
    ['nothing of it', call('c', 'look', '{"a":1}'), [], '{"a":1}'],
    ['what is in it', call('c', 'look', '{"a":1}'), [call('c', 'look', '{"a":2}')], '{"a":2}'],
    ['nothing, of one under way,', { ...call('c', 'look', '{"a":1}'), status: 'in_progress' }, [], '{"a":1}'],
    ['nothing, of one without arguments,', call('c', 'look', ''), [], ''],
  ])('that only begin are shown, where the end tells %s too', (_, begun, output, input) => {
    const expected = [{ type: 'tool_use', id: 'c', name: 'look', input }];
    const { events } = readAll(created, added(0, begun), completed(output));
    expect<unknown>(collectAnswer(events).choices).toMatchObject([
      { content: expected, stop: { reason: 'tool_use' } },
    ]);
  });

  test('that the vendor ran by itself are left out; hidden thinking is kept', () => {
    expect<unknown>(
      contentOf(
        created,
        added(0, { type: 'web_search_call', id: 'ws' }),
        { type: 'response.web_search_call.searching', output_index: 0 },
        done(0, { type: 'web_search_call', id: 'ws' }),
        added(1, reasoning({ encrypted_content: 'half' })),
        done(1, reasoning({ encrypted_content: 'whole' })),
        added(2, reasoning()),
        done(2, reasoning()),
        done(3, message('found')),
        completed([message('found')]),
      ),
    ).toEqual([
      { type: 'redacted_thinking', signature: { origin: 'openai', value: 'whole' } },
      { type: 'text', text: 'found' },
    ]);
  });
});

test('messages that follow each other are told apart, whole and streamed', () => {
  const expected = [
    { type: 'text', text: 'First.' },
    { type: 'text', text: '\n\nSecond.' },
  ];
  const messages = [message('First.'), { ...message('Second.'), id: 'm2' }];
  expect(
    contentOf(
      created,
      added(0, { ...message(), content: [] }),
      textDelta(0, 'First.'),
      done(0, messages[0] ?? {}),
      added(1, { ...message(), content: [] }),
      textDelta(1, 'Sec'),
      textDelta(1, 'ond.'),
      done(1, messages[1] ?? {}),
      completed(),
    ),
  ).toMatchObject(expected);
  const answer = readResponsesAnswer({ id: 'r', status: 'completed', output: messages });
  expect(answer.choices[0]?.content).toMatchObject(expected);
});

describe('the end', () => {
  const incomplete = (reason: string) => ({
    type: 'response.incomplete',
    response: { ...whole([]), status: 'incomplete', incomplete_details: { reason }, usage },
  });

  test.each([
    ['max_output_tokens', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['max_messages', 'max_tokens'],
  ])('%s is %s', (reason, expected) => {
    const { events } = readAll(created, added(0, message()), textDelta(0, 'a'), incomplete(reason));
    expect(String(collectAnswer(events).choices[0]?.stop.reason)).toBe(expected);
  });

  test('after a refusal is one', () => {
    const refused = { ...message(), content: [{ type: 'refusal', refusal: 'No.' }] };
    const { events } = readAll(created, done(0, refused), completed());
    expect(collectAnswer(events).choices[0]?.stop).toEqual({ reason: 'refusal' });
  });

  test('is not there until it is said, and nothing follows it', () => {
    const { reader, events } = readAll(
      created,
      added(0, message()),
      textDelta(0, 'a'),
      done(0, message('a')),
    );
    expect(reader.isComplete).toBe(false);
    reader.read(JSON.stringify(completed()), events);
    const { length } = events;
    reader.read('[DONE]', events);
    reader.read(JSON.stringify(textDelta(0, 'late')), events);
    reader.finish(events);
    expect(events).toHaveLength(length);
  });
});

test('signs of life before the start are no start', () => {
  const { events } = readAll({ type: 'keepalive' }, created, done(0, message('a')), completed());
  expect(collectAnswer(events)).toMatchObject({ id: 'resp_1', model: 'gpt-x' });
});

describe('an error', () => {
  test.each([
    ['nested', { type: 'error', error: { message: 'no', code: 'server_error' } }],
    ['flat', { type: 'error', message: 'no', code: 'server_error' }],
    [
      'of the response',
      { type: 'response.failed', response: { error: { message: 'no', code: 'server_error' } } },
    ],
  ])('%s is a complaint', (_, event) => {
    const { reader } = readAll(created, event);
    expect(reader).toMatchObject({ isComplete: false, complaint: { message: 'no', status: 500 } });
  });

  test('without a type, and a frame that cannot be read, are complaints too', () => {
    for (const data of ['{"error":{"message":"no"}}', '{"type":"response.outp', '[]', '"x"']) {
      const reader = new ResponsesEventReader();
      reader.read(data, []);
      expect(reader.complaint).not.toBeNull();
    }
  });
});
