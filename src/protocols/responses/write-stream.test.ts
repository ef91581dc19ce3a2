import { describe, expect, test } from 'bun:test';
import type { Clock } from '../../base/clock.ts';
import { clockShowing } from '../../base/testing/manual-clock.ts';
import { asNumber, asObject, asObjects, asText, isJsonObject, type JsonObject } from '../json/fields.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import { responsesClient } from './protocol.ts';
import { readResponsesRequest } from './request.ts';

const clock: Clock = clockShowing(() => 9_000);

const start: TurnEvent = { type: 'start', id: 'chatcmpl-1', model: 'm-1', createdS: 5, usage: null };
const end: TurnEvent = { type: 'end' };
const open = (block: number, head: BlockHead): TurnEvent => ({ type: 'open', choice: 0, block, head });
const tell = (block: number, kind: DeltaEvent['kind'], text: string): TurnEvent => ({
  type: 'delta',
  choice: 0,
  block,
  kind,
  text,
});
const close = (block: number): TurnEvent => ({ type: 'close', choice: 0, block });
const stop = (reason: 'end' | 'tool_use' | 'max_tokens' | 'refusal'): TurnEvent => ({
  type: 'stop',
  choice: 0,
  stop: { reason },
});
const call = (id: string, name = 'look'): Extract<BlockHead, { kind: 'tool_use' }> => ({
  kind: 'tool_use',
  id,
  name,
});

function write(events: readonly TurnEvent[], fields: object = {}): readonly JsonObject[] {
  const request = readResponsesRequest(JSON.stringify({ model: 'm', input: 'hi', ...fields }));
  const writer = responsesClient(clock).openWriter(request);
  const frames = events.map((event) => writer.write(event)).join('');
  return frames
    .trim()
    .split('\n\n')
    .map((frame) => {
      const [name, data = ''] = frame.split('\n');
      const json: unknown = JSON.parse(data.slice('data: '.length));
      if (!isJsonObject(json)) throw new Error('an event that is no object');
      expect(name).toBe(`event: ${json['type']}`);
      return json;
    });
}

const typesOf = (events: readonly JsonObject[]) =>
  events.map(({ type }) => asText(type)?.replace('response.', ''));

/** The item of each event, by its index. */
const places = (events: readonly JsonObject[]) =>
  events.flatMap(({ type, output_index }) =>
    output_index === undefined ? [] : [`${output_index} ${asText(type)?.replace('response.', '')}`],
  );

const outputOf = (events: readonly JsonObject[]): readonly JsonObject[] =>
  asObjects(asObject(events.at(-1)?.['response'])?.['output']);

test('text is told in the whole sequence, numbered, with one id', () => {
  const events = write([
    start,
    open(0, { kind: 'text' }),
    tell(0, 'text', 'Grüß '),
    tell(0, 'text', 'dich'),
    close(0),
    stop('end'),
    end,
  ]);
  expect(typesOf(events)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  expect(events.map(({ sequence_number }) => asNumber(sequence_number))).toEqual(events.map((_, at) => at));
  const id = 'msg_sluice_chatcmpl-1_0';
  const part = { type: 'output_text', text: 'Grüß dich', annotations: [], logprobs: [] };
  expect(events[4]).toMatchObject({ item_id: id, content_index: 0, delta: 'Grüß ', logprobs: [] });
  expect(events[6]).toMatchObject({ item_id: id, text: 'Grüß dich' });
  expect(events[7]).toMatchObject({ item_id: id, part });
  expect(events[8]).toMatchObject({ item: { id, status: 'completed', content: [part] } });
  expect(outputOf(events)).toEqual([
    { type: 'message', id, role: 'assistant', status: 'completed', content: [part] },
  ]);
});

test('the response repeats what was asked, keeps nothing, and tells the counts in the end', () => {
  const usage = {
    inputTokens: 10,
    cacheReadTokens: 40,
    cacheWrite5mTokens: 5,
    cacheWrite1hTokens: 1,
    outputTokens: 9,
    reasoningTokens: 4,
    estimated: false,
  };
  const asked = {
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }],
    tool_choice: 'none',
    temperature: 0.5,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    text: { verbosity: 'low' },
    reasoning: { effort: 'low' },
    truncation: 'auto',
  };
  const events = write([start, { type: 'usage', usage }, stop('end'), end], { ...asked, store: true });
  expect(events[0]?.['response']).toMatchObject({ status: 'in_progress', usage: null, completed_at: null });
  expect(events.at(-1)?.['response']).toEqual({
    id: 'chatcmpl-1',
    object: 'response',
    created_at: 5,
    completed_at: 9,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'm-1',
    output: [],
    usage: {
      input_tokens: 56,
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 6 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 65,
    },
    ...asked,
    reasoning: { effort: 'low', summary: null },
    text: { format: { type: 'text' }, verbosity: 'low' },
    access_programs: null,
    background: false,
    max_output_tokens: null,
    max_tool_calls: null,
    moderation: null,
    previous_response_id: null,
    prompt_cache_key: null,
    prompt_cache_retention: null,
    safety_identifier: null,
    service_tier: null,
    store: false,
    top_logprobs: 0,
    top_p: null,
    user: null,
  });
});

test('neighbouring texts and refusals are parts of one message', () => {
  const events = write([
    start,
    ...[open(0, { kind: 'text' }), tell(0, 'text', 'a'), close(0)],
    ...[open(1, { kind: 'refusal' }), tell(1, 'refusal', 'b'), close(1)],
    ...[open(2, call('c')), close(2)],
    ...[open(3, { kind: 'text' }), tell(3, 'text', 'd'), close(3)],
    stop('tool_use'),
    end,
  ]);
  expect(places(events)).toEqual([
    '0 output_item.added',
    '0 content_part.added',
    '0 output_text.delta',
    '0 output_text.done',
    '0 content_part.done',
    '0 content_part.added',
    '0 refusal.delta',
    '0 refusal.done',
    '0 content_part.done',
    '0 output_item.done',
    '1 output_item.added',
    '1 function_call_arguments.delta',
    '1 function_call_arguments.done',
    '1 output_item.done',
    '2 output_item.added',
    '2 content_part.added',
    '2 output_text.delta',
    '2 output_text.done',
    '2 content_part.done',
    '2 output_item.done',
  ]);
  expect(outputOf(events)).toMatchObject([
    { content: [{ text: 'a' }, { type: 'refusal', refusal: 'b' }] },
    { type: 'function_call', call_id: 'c', arguments: '{}', status: 'completed' },
    { content: [{ text: 'd' }] },
  ]);
});

test('calls that take turns are open at the same time', () => {
  const events = write([
    start,
    ...[open(0, call('c0')), open(1, call('c1', 'now')), tell(0, 'input', '{"a":'), tell(1, 'input', '{')],
    ...[tell(0, 'input', '1}'), close(0), tell(1, 'input', '}'), close(1)],
    stop('tool_use'),
    end,
  ]);
  expect(places(events)).toEqual([
    '0 output_item.added',
    '1 output_item.added',
    '0 function_call_arguments.delta',
    '1 function_call_arguments.delta',
    '0 function_call_arguments.delta',
    '0 function_call_arguments.done',
    '0 output_item.done',
    '1 function_call_arguments.delta',
    '1 function_call_arguments.done',
    '1 output_item.done',
  ]);
  expect(outputOf(events)).toMatchObject([
    { id: 'fc_sluice_chatcmpl-1_0', call_id: 'c0', arguments: '{"a":1}' },
    { id: 'fc_sluice_chatcmpl-1_1', call_id: 'c1', arguments: '{}' },
  ]);
});

describe('an answer that was cut', () => {
  test.each([
    ['max_tokens', 'max_output_tokens'],
    ['refusal', 'content_filter'],
  ] as const)('by %s is incomplete, and so is its last item', (reason, told) => {
    const events = write([
      start,
      ...[open(0, { kind: 'thinking' }), tell(0, 'thinking', 'x'), close(0)],
      ...[open(1, { kind: 'text' }), tell(1, 'text', 'a'), close(1)],
      ...[open(2, call('c')), tell(2, 'input', '{"a'), close(2)],
      stop(reason),
      end,
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: told }, completed_at: null },
    });
    expect(outputOf(events).map(({ status }) => status)).toEqual([undefined, 'completed', 'incomplete']);
  });

  test('is complete when the model itself refused', () => {
    const events = write([
      start,
      ...[open(0, { kind: 'refusal' }), tell(0, 'refusal', 'No.'), close(0)],
      stop('refusal'),
      end,
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });
});

describe('thinking', () => {
  const events: readonly TurnEvent[] = [
    start,
    open(0, { kind: 'thinking' }),
    tell(0, 'thinking', 'Let me '),
    tell(0, 'thinking', 'see.'),
    { type: 'signature', choice: 0, block: 0, signature: { origin: 'anthropic', value: 'sig' } },
    close(0),
    open(1, { kind: 'redacted_thinking', signature: { origin: 'openai', value: 'own' } }),
    close(1),
    open(2, { ...call('a:b'), signature: { origin: 'google', value: 'g' } } as const),
    close(2),
    stop('tool_use'),
    end,
  ];

  test('is a summary for who asked for one', () => {
    const written = write(events, { reasoning: { summary: 'auto' } });
    expect(places(written).slice(0, 7)).toEqual([
      '0 output_item.added',
      '0 reasoning_summary_part.added',
      '0 reasoning_summary_text.delta',
      '0 reasoning_summary_text.delta',
      '0 reasoning_summary_text.done',
      '0 reasoning_summary_part.done',
      '0 output_item.done',
    ]);
    expect(outputOf(written)[0]).toEqual({
      type: 'reasoning',
      id: 'rs_sluice_chatcmpl-1_0',
      summary: [{ type: 'summary_text', text: 'Let me see.' }],
      encrypted_content: 'sluice:anthropic:sig',
    });
  });

  test('is the thinking itself for others, and signatures come along', () => {
    const written = write(events);
    expect(places(written)).toEqual([
      '0 output_item.added',
      '0 content_part.added',
      '0 reasoning_text.delta',
      '0 reasoning_text.delta',
      '0 reasoning_text.done',
      '0 content_part.done',
      '0 output_item.done',
      '1 output_item.added',
      '1 output_item.done',
      '2 output_item.added',
      '2 output_item.done',
      '3 output_item.added',
      '3 function_call_arguments.delta',
      '3 function_call_arguments.done',
      '3 output_item.done',
    ]);
    expect(outputOf(written)).toMatchObject([
      {
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Let me see.' }],
        encrypted_content: 'sluice:anthropic:sig',
      },
      { summary: [], encrypted_content: 'own' },
      { summary: [], encrypted_content: 'sluice-tool:google:a_b:g' },
      { type: 'function_call', call_id: 'a:b' },
    ]);
  });
});

describe('free-text tools', () => {
  const tools = [{ type: 'custom', name: 'patch' }];

  test('of an upstream that has them are told piece by piece', () => {
    const head = { ...call('c', 'patch'), custom: true } as const;
    const events = write(
      [
        start,
        open(0, head),
        tell(0, 'input', '* "a'),
        tell(0, 'input', '"'),
        close(0),
        stop('tool_use'),
        end,
      ],
      { tools },
    );
    expect(places(events)).toEqual([
      '0 output_item.added',
      '0 custom_tool_call_input.delta',
      '0 custom_tool_call_input.delta',
      '0 custom_tool_call_input.done',
      '0 output_item.done',
    ]);
    expect(outputOf(events)).toMatchObject([
      { type: 'custom_tool_call', id: 'ctc_sluice_chatcmpl-1_0', input: '* "a"' },
    ]);
  });

  test.each([
    ['{"input":"* a\\nb"}', '* a\nb'],
    ['{"patch":"* a"}', '* a'],
    ['* a', '* a'],
    ['{"a":"b","c":"d"}', '{"a":"b","c":"d"}'],
  ])('of an upstream that calls with JSON are given back as free text: %s', (written, input) => {
    const events = write(
      [
        start,
        open(0, call('c', 'patch')),
        ...[...written].map((piece) => tell(0, 'input', piece)),
        close(0),
        stop('tool_use'),
        end,
      ],
      { tools },
    );
    const delta = '0 custom_tool_call_input.delta';
    expect(places(events).filter((place) => place !== delta)).toEqual([
      '0 output_item.added',
      '0 custom_tool_call_input.done',
      '0 output_item.done',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
    expect(deltas.map((event) => asText(event['delta'])).join('')).toBe(input);
    expect(outputOf(events)).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input },
    ]);
  });

  test('of an upstream that calls with JSON are told as they come', () => {
    const pieces = ['{"input":"* Begin', '\\', 'n+ a', '"}'];
    const events = write(
      [
        start,
        open(0, call('c', 'patch')),
        ...pieces.map((piece) => tell(0, 'input', piece)),
        close(0),
        stop('tool_use'),
        end,
      ],
      { tools },
    );
    expect(events.flatMap((event) => asText(event['delta']) ?? [])).toEqual(['* Begin', '\n+ a']);
  });
});

test('an answer without an id gets one, the same throughout', () => {
  const events = write([{ type: 'start', id: '', model: 'm', usage: null }, stop('end'), end]);
  const ids = events.map(({ response }) => asText(asObject(response)?.['id']));
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^resp_[0-9a-f]{32}$/);
});

test('ids stay short enough to be taken back', () => {
  const events = write([
    { type: 'start', id: `x/${'y'.repeat(200)}-end`, model: 'm', usage: null },
    ...[open(0, { kind: 'text' }), tell(0, 'text', 'a'), close(0)],
    stop('end'),
    end,
  ]);
  const id = asText(outputOf(events)[0]?.['id']) ?? '';
  expect(id).toMatch(/^msg_sluice_y+-end_0$/);
  expect(id.length).toBeLessThanOrEqual(64);
});
