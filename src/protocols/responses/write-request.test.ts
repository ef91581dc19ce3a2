import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { readGoogleTurn } from '../google/read-request.ts';
import type { TurnRequest } from '../turn/request.ts';
import { writeResponsesTurn } from './write-request.ts';

const turn: TurnRequest = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
};

const write = (fields: Partial<TurnRequest>, id = 'gpt-5', reasons?: boolean) =>
  JSON.parse(writeResponsesTurn({ ...turn, ...fields }, { id, reasons }));

function refusalOf(fields: Partial<TurnRequest>): AppError {
  try {
    write(fields);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

test('a plain request stores nothing and asks for the thinking that it must bring back', () => {
  expect(write({ system: [{ type: 'text', text: 'Be brief.' }], stream: true })).toEqual({
    model: 'gpt-5',
    instructions: 'Be brief.',
    input: [{ role: 'user', content: 'hi' }],
    include: ['reasoning.encrypted_content'],
    store: false,
    stream: true,
  });
});

describe('thinking', () => {
  test.each([
    ['gpt-4o-mini', undefined, false],
    ['gpt-5-chat-latest', undefined, false],
    ['azure/gpt-4.1', undefined, false],
    ['o4-mini', undefined, true],
    ['gpt-5.1-codex', undefined, true],
    ['grok-4', undefined, true],
    ['gpt-5', false, false],
    ['gpt-4o', true, true],
  ])('is asked for from %s (known to reason: %p): %p', (id, reasons, asked) => {
    const written = write({ reasoning: { effort: 'high' } }, id, reasons);
    expect(written.include).toEqual(asked ? ['reasoning.encrypted_content'] : undefined);
    expect(written.reasoning).toEqual(asked ? { effort: 'high' } : undefined);
  });

  test('need not be brought back when the caller has the answer stored', () => {
    const written = write({ vendor: { openai: { store: true } } });
    expect(written).toMatchObject({ store: true });
    expect(written).not.toHaveProperty('include');
  });

  test.each([
    [{ effort: 'low' as const }, { effort: 'low' }],
    [{ thinking: 'adaptive' as const }, { summary: 'auto' }],
    [
      { thinking: 'on' as const, budgetTokens: 2000 },
      { effort: 'low', summary: 'auto' },
    ],
    [
      { thinking: 'on' as const, budgetTokens: 9000 },
      { effort: 'medium', summary: 'auto' },
    ],
    [
      { thinking: 'on' as const, budgetTokens: 30_000 },
      { effort: 'high', summary: 'auto' },
    ],
    [{ thinking: 'off' as const, effort: 'high' as const }, { effort: 'minimal' }],
  ])('%j is asked for as %j', (reasoning, expected) => {
    expect(write({ reasoning }).reasoning).toEqual(expected);
  });

  test.each([
    ['gpt-5.1', 'none', { effort: 'none' }],
    ['gpt-5.1', 'max', { effort: 'high', summary: 'auto' }],
    ['gpt-5.1-codex', 'minimal', { effort: 'low', summary: 'auto' }],
    ['grok-4', 'max', { effort: 'max', summary: 'auto' }],
  ] as const)('%s is asked for the effort %s as %j', (id, effort, expected) => {
    expect(write({ reasoning: { thinking: 'adaptive', effort } }, id).reasoning).toEqual(expected);
  });

  test('goes back as what the vendor encrypted, without an id; nothing else is taken', () => {
    const openai = { origin: 'openai', value: 'enc' } as const;
    const { input } = write({
      messages: [
        ...turn.messages,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Look.', signature: openai },
            { type: 'redacted_thinking', signature: openai },
            { type: 'thinking', text: 'unsigned' },
            { type: 'thinking', text: 'x', signature: { origin: 'anthropic', value: 'sig' } },
            { type: 'text', text: 'Wait.' },
            { type: 'refusal', text: 'No.' },
            { type: 'tool_use', id: 'c1', name: 'look', input: '' },
            { type: 'text', text: 'Done.' },
          ],
        },
      ],
    });
    expect(input.slice(1)).toEqual([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Look.' }],
        encrypted_content: 'enc',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'enc' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Wait.', annotations: [] },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
      },
    ]);
  });
});

describe('the conversation', () => {
  test('instructions in pieces, or alone, are part of the input', () => {
    const system = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ] as const;
    const parts = [
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
    ];
    expect(write({ system }).input[0]).toEqual({ role: 'system', content: parts });
    expect(write({ system: [system[0]], messages: [] })).toMatchObject({
      input: [{ role: 'system', content: 'a' }],
    });
    expect(refusalOf({ messages: [] })).toMatchObject({ code: 'invalid_parameter' });
  });

  test('results go before what else the user says, with media; those of free-text tools in their own type', () => {
    const { input } = write({
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c1', name: 'p', input: '* a', custom: true }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', toolUseId: 'c1', content: [{ type: 'text', text: 'ok' }], isError: false },
            {
              type: 'tool_result',
              toolUseId: 'c2',
              content: [
                { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
                { type: 'text', text: 'broke' },
              ],
              isError: true,
            },
            { type: 'tool_result', toolUseId: 'c3', content: [], isError: true },
            { type: 'text', text: 'go on' },
          ],
        },
      ],
    });
    expect(input).toEqual([
      { type: 'custom_tool_call', call_id: 'c1', name: 'p', input: '* a' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_text', text: 'Error: broke' },
        ],
      },
      { type: 'function_call_output', call_id: 'c3', output: 'Error: no details' },
      { role: 'user', content: 'go on' },
    ]);
  });

  test('documents as bytes, by URL, by id, and as text in a frame', () => {
    const source = { kind: 'text', text: 'body' } as const;
    const { input } = write({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' } },
            { type: 'document', source: { kind: 'url', url: 'https://x.example/a' }, context: 'c' },
            { type: 'document', source: { kind: 'file', id: 'file-1', vendor: 'openai' }, title: 't' },
            { type: 'document', source, title: 'A "b"', context: 'c' },
            {
              type: 'document',
              source: {
                kind: 'content',
                content: [
                  { type: 'text', text: 'x' },
                  { type: 'image', source: { kind: 'url', url: 'https://x.example/i' } },
                ],
              },
            },
          ],
        },
      ],
    });
    expect(input[0].content).toEqual([
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      { type: 'input_text', text: 'The next part is the document context="c".' },
      { type: 'input_file', file_url: 'https://x.example/a' },
      { type: 'input_text', text: 'The next part is the document title="t".' },
      { type: 'input_file', file_id: 'file-1' },
      { type: 'input_text', text: '<document title="A \\"b\\"" context="c">\nbody\n</document>' },
      { type: 'input_text', text: '<document>\nx\n</document>' },
      { type: 'input_image', image_url: 'https://x.example/i' },
    ]);
  });
});

describe('settings', () => {
  test('tools say that they are not strict, since the upstream would be by itself', () => {
    const schema = { type: 'object' };
    const grammar = { syntax: 'lark', definition: 'start: "a"' };
    const written = write({
      tools: [
        { kind: 'function', name: 'f', schema },
        { kind: 'custom', name: 'c', format: { type: 'grammar', grammar } },
        { kind: 'vendor', type: 'web_search', json: { type: 'web_search' } },
      ],
      toolChoice: { type: 'allowed', names: ['f', 'c'], required: false },
      parallelToolUse: false,
    });
    expect(written).toMatchObject({
      tools: [
        { type: 'function', name: 'f', parameters: schema, strict: false },
        { type: 'custom', name: 'c', format: { type: 'grammar', ...grammar } },
        { type: 'web_search' },
      ],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'f' },
          { type: 'custom', name: 'c' },
        ],
      },
      parallel_tool_calls: false,
    });
  });

  test('a choice costs no more than its length and that of the tools', () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `f${at}`);
    const tools = names.map((name) => ({ kind: 'custom', name }) as const);
    const toolChoice = { type: 'allowed', names: names.toReversed(), required: false } as const;
    expect(write({ tools, toolChoice }).tool_choice.tools).toHaveLength(names.length);
  });

  test('a bound that is too small becomes the least', () => {
    expect(write({ maxOutputTokens: 1 }).max_output_tokens).toBe(16);
    expect(write({ maxOutputTokens: 17 }).max_output_tokens).toBe(17);
  });

  test('a tool is strict only where its schema can be, and has properties', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    const [first, second] = write({
      tools: [
        { kind: 'function', name: 'a', schema: closed, strict: true },
        { kind: 'function', name: 'b', schema: { type: 'object' }, strict: true },
      ],
    }).tools;
    expect(first).toEqual({ type: 'function', name: 'a', parameters: closed, strict: true });
    const parameters = { type: 'object', properties: {} };
    expect(second).toEqual({ type: 'function', name: 'b', parameters, strict: false });
  });

  const sampling = { temperature: 0.2, topP: 0.5 };
  test.each([
    ['gpt-5-codex', undefined, false],
    ['gpt-5.1', 'low', false],
    ['gpt-5.1', 'none', true],
    ['gpt-5.1', undefined, true],
    ['gpt-4o', undefined, true],
  ] as const)('sampling of %s with the effort %p can be set: %p', (id, effort, isFree) => {
    const written = write({ sampling, logprobs: 1, reasoning: effort && { effort } }, id);
    expect([written.temperature, written.top_p, written.top_logprobs]).toEqual(
      isFree ? [0.2, 0.5, 1] : [undefined, undefined, undefined],
    );
  });

  test('a long name of the caller becomes one of 64 characters, the same each time', () => {
    const userId = `user_${'a'.repeat(150)}`;
    expect(write({ userId }).user).toMatch(/^[0-9a-f]{64}$/);
    expect(write({ userId }).user).toBe(write({ userId }).user);
    expect(write({ userId }).user).not.toBe(write({ userId: `${userId}b` }).user);
    expect(write({ userId: 'b'.repeat(64) }).user).toBe('b'.repeat(64));
  });

  test('format and verbosity stand in one field, logprobs in two', () => {
    const open = { type: 'object', properties: { a: {} } };
    const written = write(
      {
        responseFormat: { type: 'json_schema', schema: open, strict: true },
        vendor: { openai: { verbosity: 'low', prompt_cache_key: 'k' } },
        logprobs: 2,
      },
      'gpt-5.1',
    );
    expect(written).toMatchObject({
      text: {
        format: { type: 'json_schema', name: 'answer', schema: open, strict: false },
        verbosity: 'low',
      },
      prompt_cache_key: 'k',
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      top_logprobs: 2,
    });
    expect(written).not.toHaveProperty('verbosity');
  });
});

describe('what it cannot do without is refused', () => {
  const shown = (content: TurnRequest['messages'][number]) => ({ messages: [content] });
  test.each<[string, Partial<TurnRequest>]>([
    ['n', { choices: 2 }],
    ['stop', { stopSequences: ['x'] }],
    ['tools', { tools: [{ kind: 'vendor', type: 'bash_20250124', json: {} }] }],
    [
      'messages',
      shown({
        role: 'user',
        content: [{ type: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: 'AA' } }],
      }),
    ],
    [
      'messages',
      shown({
        role: 'user',
        content: [{ type: 'image', source: { kind: 'file', id: 'f', vendor: 'anthropic' } }],
      }),
    ],
  ])('%s', (param, fields) => {
    expect(refusalOf(fields)).toMatchObject({ code: 'invalid_parameter', param });
  });
});

describe('JSON that Gemini’s clients ask for without words', () => {
  const asked = (fields: object) =>
    readGoogleTurn({
      contents: [{ role: 'user', parts: [{ text: 'List three colours.' }] }],
      generationConfig: { responseMimeType: 'application/json' },
      ...fields,
    });
  const systemInstruction = (text: string) => ({ systemInstruction: { parts: [{ text }] } });
  const sentence = 'Answer with one JSON object and nothing else.';

  test('is asked for in the input of responses, where the upstream looks for the word', () => {
    const sent = (fields: object) => JSON.parse(writeResponsesTurn(asked(fields), { id: 'gpt-5.2' }));
    expect(sent({})).toMatchObject({
      input: [
        { role: 'system', content: sentence },
        { role: 'user', content: 'List three colours.' },
      ],
      text: { format: { type: 'json_object' } },
    });
    const told = sent(systemInstruction('Answer in json.'));
    expect(told).not.toHaveProperty('instructions');
    expect(told.input[0].content).toBe('Answer in json.');
    const contents = [{ role: 'user', parts: [{ text: 'As JSON, please.' }] }];
    expect(sent({ contents, ...systemInstruction('Be brief.') })).toMatchObject({
      instructions: 'Be brief.',
      input: [{ role: 'user' }],
    });
  });

  test('is asked for in the messages of chat completions', () => {
    const sent = (fields: object) =>
      JSON.parse(chatUpstream().writeRequest(asked(fields), { id: 'gpt-5.2' }));
    expect(JSON.stringify(sent({}).messages)).toContain(sentence);
    expect(JSON.stringify(sent(systemInstruction('Answer in json.')).messages)).not.toContain(sentence);
    expect(JSON.stringify(sent({ generationConfig: {} }).messages)).not.toContain(sentence);
  });
});
