/** What is written where a host differs from OpenAI, and what is refused because it could not be written. */
import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import type { UpstreamModel } from '../protocol.ts';
import type { Reasoning, TurnRequest } from '../turn/request.ts';
import { type ChatDialect, hostDialect, openaiDialect, type ReasoningDialect } from './dialect.ts';
import { writeChatTurn } from './write-request.ts';

const schema = { type: 'object', properties: {}, additionalProperties: false };
const look = { kind: 'function', name: 'look', schema } as const;
const ring = { kind: 'function', name: 'ring', schema } as const;

const base: TurnRequest = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
};

function written(
  fields: Partial<TurnRequest>,
  dialect: Partial<ChatDialect> = {},
  model: UpstreamModel = { id: 'm' },
): Record<string, unknown> {
  return JSON.parse(writeChatTurn({ ...base, ...fields }, model, { ...hostDialect, ...dialect }));
}

function refusal(fields: Partial<TurnRequest>, dialect: Partial<ChatDialect>, model?: UpstreamModel): string {
  try {
    written(fields, dialect, model);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_parameter')
      return `${error.param}: ${error.message}`;
    throw error;
  }
  throw new Error('it was written');
}

describe('what the host cannot take', () => {
  test.each<[string, Partial<TurnRequest>, Partial<ChatDialect>, string]>([
    ['several answers', { choices: 2 }, { severalChoices: false }, 'n: '],
    [
      'stop sequences for several answers',
      { stopSequences: ['END'], choices: 2 },
      { plainModels: /./ },
      'stop: ',
    ],
    [
      'an image by its URL',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { kind: 'url', url: 'https://x.test/a.png' } }],
          },
        ],
      },
      { imageUrls: false },
      'messages: ',
    ],
    [
      'that a tool must be used',
      { tools: [look], toolChoice: { type: 'required' } },
      { toolChoices: [] },
      'tool_choice: ',
    ],
    [
      'that one tool must be used, where none can be made to',
      { tools: [look], toolChoice: { type: 'tool', name: 'look' } },
      { toolChoices: ['none'] },
      'tool_choice: ',
    ],
    [
      'the choice of a tool that is not declared',
      { tools: [look], toolChoice: { type: 'allowed', names: ['dig'], required: false } },
      {},
      'tool_choice: ',
    ],
  ])('is refused: %s', (_what, fields, dialect, place) => {
    expect(refusal(fields, dialect)).toStartWith(place);
  });

  test('is left out where the request means the same without', () => {
    const fields: Partial<TurnRequest> = {
      sampling: { topK: 3, seed: 4, frequencyPenalty: 0.5, presencePenalty: 0.5 },
      logprobs: 2,
      userId: 'u',
      tools: [{ ...look, strict: true }],
      parallelToolUse: false,
      vendor: { openai: { store: true, prompt_cache_key: 'k' } },
    };
    const dialect: Partial<ChatDialect> = {
      seedField: null,
      penalties: false,
      logprobs: false,
      user: false,
      strictTools: false,
      parallelToolCalls: false,
      vendorFields: ['prompt_cache_key'],
    };
    expect(written(fields, dialect)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
      prompt_cache_key: 'k',
    });
  });
});

describe('sampling', () => {
  const sampling = { temperature: 0.2, topP: 0.5, topK: 3, seed: 4, frequencyPenalty: 1, presencePenalty: 1 };

  test('is left out for models that have theirs fixed', () => {
    const fixed = written({ sampling }, { topK: true, fixedSampling: /^still/ }, { id: 'still-1' });
    expect(fixed).toEqual({ model: 'still-1', messages: [{ role: 'user', content: 'hi' }], seed: 4 });
    expect(written({ sampling }, { fixedSampling: /^still/ })).toMatchObject({
      temperature: 0.2,
      top_p: 0.5,
    });
  });

  test.each(['o3', 'o4-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5-2025-08-07', 'openai/gpt-5', 'gpt-5-codex'])(
    'is that of OpenAI’s %s',
    (id) => {
      expect(written({ sampling }, openaiDialect, { id })).not.toHaveProperty('temperature');
    },
  );

  test.each(['gpt-4o', 'gpt-5.2', 'gpt-5-chat-latest', 'gpt-oss-120b'])('can be set for %s', (id) => {
    expect(written({ sampling }, openaiDialect, { id })).toHaveProperty('temperature', 0.2);
  });

  test('has logprobs and penalties only for models that take them', () => {
    const told = (id: string, effort?: 'none' | 'low') =>
      Object.keys(written({ sampling, logprobs: 1, reasoning: { effort } }, openaiDialect, { id }));
    expect(told('gpt-4o')).toContain('presence_penalty');
    expect(told('gpt-4o')).toContain('logprobs');
    expect(told('gpt-5.5', 'none')).toContain('logprobs');
    expect(told('gpt-5.5', 'none')).not.toContain('presence_penalty');
    expect(told('gpt-5.1', 'low')).not.toContain('logprobs');
  });

  test('has no penalties and no stop sequences for models that take neither', () => {
    const plain = written({ sampling }, { plainModels: /^plain/ }, { id: 'plain-2' });
    expect(plain).toMatchObject({ temperature: 0.2, seed: 4 });
    expect(plain).not.toHaveProperty('presence_penalty');
    const stopSequences = ['.'];
    expect(written({ stopSequences }, { plainModels: /^plain/ }, { id: 'plain-2' })).not.toHaveProperty(
      'stop',
    );
    for (const id of ['o3', 'gpt-5-mini'])
      expect(written({ stopSequences }, {}, { id })).not.toHaveProperty('stop');
    expect(written({ stopSequences: ['1', '2', '3', '4', '5'] }, {}, { id: 'gpt-4o' })['stop']).toHaveLength(
      4,
    );
  });
});

describe('tools', () => {
  const tools = [look, ring];

  test.each<[TurnRequest['toolChoice'], ChatDialect['toolChoices'], string[], unknown]>([
    [{ type: 'none' }, [], [], undefined],
    [{ type: 'tool', name: 'ring' }, ['required'], ['ring'], 'required'],
    [{ type: 'allowed', names: ['look'], required: true }, ['required'], ['look'], 'required'],
    [{ type: 'allowed', names: ['look'], required: false }, [], ['look'], undefined],
    [{ type: 'required' }, ['required'], ['look', 'ring'], 'required'],
  ])('say the choice %j as far as %j can', (toolChoice, toolChoices, names, choice) => {
    const { tools: left, tool_choice } = written({ tools, toolChoice }, { toolChoices });
    expect(left ?? []).toEqual(
      names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    );
    expect(tool_choice).toEqual(choice);
  });

  test('that are not there are not chosen among', () => {
    const toolChoice = { type: 'tool', name: 'look' } as const;
    expect(written({ toolChoice }, { toolChoices: [] })).not.toHaveProperty('tool_choice');
  });

  test('get short ids where the host wants them, the same for a call and its result', () => {
    const messages: TurnRequest['messages'] = [
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_long', name: 'look', input: '' },
          { type: 'tool_use', id: 'AbCdEf123', name: 'ring', input: '' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: 'toolu_long', content: [], isError: false },
          { type: 'tool_result', toolUseId: 'AbCdEf123', content: [], isError: false },
        ],
      },
    ];
    const text = JSON.stringify(written({ messages }, { shortToolIds: true })['messages']);
    const ids = [...text.matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map(([, id]) => id ?? '');
    expect(ids).toEqual([ids[0] ?? '', 'AbCdEf123', ids[0] ?? '', 'AbCdEf123']);
    expect(ids[0]).toMatch(/^[a-z0-9]{9}$/);
  });
});

test('a schema that the host cannot hold is told to the model in words', () => {
  const responseFormat = {
    type: 'json_schema',
    schema: { type: 'object', title: 'Tide' },
    strict: true,
  } as const;
  const { messages, response_format } = written({ responseFormat }, { jsonSchema: false });
  expect(response_format).toEqual({ type: 'json_object' });
  expect(JSON.stringify(messages)).toContain('{\\"type\\":\\"object\\",\\"title\\":\\"Tide\\"}');
});

test('fields of the host’s own are in every request that is converted', () => {
  expect(written({}, { extra: { reasoning_split: true } })).toHaveProperty('reasoning_split', true);
});

test('texts become one string for hosts that take no parts of text', () => {
  const system = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ] as const;
  expect(written({ system })['messages']).toMatchObject([{ content: 'a\n\nb' }, {}]);
  expect(written({ system }, { textParts: true })['messages']).toMatchObject([{ content: system }, {}]);
});

describe('earlier thinking', () => {
  const spoken = [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'yes' },
      ],
    },
  ] as const;
  const called = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: '' }] },
  ] as const;

  test.each<[ChatDialect['replay'], object]>([
    ['none', { role: 'assistant', content: 'yes' }],
    ['reasoning_content', { role: 'assistant', content: 'yes', reasoning_content: 'hm' }],
    ['reasoning', { role: 'assistant', content: 'yes', reasoning: 'hm' }],
    [
      'reasoning_details',
      {
        role: 'assistant',
        content: 'yes',
        reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }],
      },
    ],
    [
      'content',
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'yes' },
        ],
      },
    ],
  ])('goes back as %p', (replay, message) => {
    expect(written({ messages: spoken }, { replay })['messages']).toEqual([message]);
  });

  test('that is lost is made up for beside calls, where the host insists', () => {
    const dialect = { replay: 'reasoning_content', emptyThinking: ' ' } as const;
    expect(written({ messages: called }, dialect)['messages']).toMatchObject([{ reasoning_content: ' ' }]);
    const without = written({ messages: called }, { replay: 'reasoning_content' });
    expect(JSON.stringify(without)).not.toContain('reasoning_content');
  });
});

describe('thinking is asked for', () => {
  const words = { low: 'low', medium: 'high', high: 'high' };
  const effort: ReasoningDialect = { style: 'effort', words, off: 'none' };
  const thinking: ReasoningDialect = { style: 'thinking', on: 'enabled', canStop: true, words };
  const always: ReasoningDialect = { style: 'thinking', on: 'adaptive', canStop: false };
  const object: ReasoningDialect = { style: 'object', words };
  const enabled: ReasoningDialect = { style: 'enabled', words };

  test.each<[ReasoningDialect, Reasoning, object]>([
    [{ style: 'none' }, { effort: 'high' }, {}],
    [effort, { effort: 'medium' }, { reasoning_effort: 'high' }],
    [effort, { effort: 'max' }, {}],
    [effort, { budgetTokens: 2000 }, { reasoning_effort: 'low' }],
    [effort, { thinking: 'off' }, { reasoning_effort: 'none' }],
    [effort, { thinking: 'adaptive' }, {}],
    [thinking, { effort: 'low' }, { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
    [thinking, { thinking: 'off' }, { thinking: { type: 'disabled' } }],
    [thinking, { effort: 'none' }, { thinking: { type: 'disabled' } }],
    [always, { thinking: 'on' }, { thinking: { type: 'adaptive' } }],
    [always, { thinking: 'off' }, {}],
    [
      { style: 'enable_thinking' },
      { thinking: 'on', budgetTokens: 5000 },
      { enable_thinking: true, thinking_budget: 5000 },
    ],
    [{ style: 'enable_thinking' }, { thinking: 'off' }, { enable_thinking: false }],
    [enabled, { thinking: 'off' }, { reasoning: { enabled: false } }],
    [enabled, { thinking: 'on' }, { reasoning: { enabled: true } }],
    [enabled, { effort: 'medium' }, { reasoning_effort: 'high' }],
    [object, { effort: 'medium', budgetTokens: 9 }, { reasoning: { effort: 'high' } }],
    [object, { thinking: 'on', budgetTokens: 9000 }, { reasoning: { max_tokens: 9000 } }],
    [object, { thinking: 'adaptive' }, { reasoning: { enabled: true } }],
    [object, { effort: 'none' }, { reasoning: { enabled: false } }],
  ])('in the words of %j for %j', (reasoning, asked, fields) => {
    const { model: _, messages: __, ...rest } = written({ reasoning: asked }, { reasoning });
    expect(rest).toEqual({ ...fields });
  });

  test.each([
    ['gpt-5-mini', 'minimal'],
    ['gpt-5.5', 'none'],
    ['o3', 'low'],
    ['gpt-5.2', undefined],
    ['gpt-5.1-chat', undefined],
    ['gpt-4o', undefined],
  ])('of %s that is to think no more than it must: %p', (id, reasoning_effort) => {
    const { reasoning } = openaiDialect;
    const sent = written({ reasoning: { thinking: 'off', effort: 'high' } }, { reasoning }, { id });
    expect(sent['reasoning_effort']).toBe(reasoning_effort);
  });

  test('as the model wants it, where models of one host differ', () => {
    const dialect: Partial<ChatDialect> = {
      reasoning: thinking,
      reasoningByModel: [{ models: /^deep/, reasoning: effort }],
    };
    const asked = { reasoning: { effort: 'low' } } as const;
    expect(written(asked, dialect, { id: 'deep-1' })).not.toHaveProperty('thinking');
    expect(written(asked, dialect, { id: 'flat-1' })).toHaveProperty('thinking', { type: 'enabled' });
    expect(written(asked, dialect, { id: 'flat-1', reasons: false })).not.toHaveProperty('thinking');
  });
});

describe('the bound on the output', () => {
  test.each(['gpt-5-mini', 'openai/gpt-5.2', 'o3', 'gpt-6-luna'])(
    'has its newer name for %s everywhere',
    (id) => {
      expect(written({ maxOutputTokens: 9 }, {}, { id })).toHaveProperty('max_completion_tokens', 9);
    },
  );

  test.each(['gpt-4o', 'gpt-oss-120b', 'openai/gpt-oss-20b', 'glm-5'])('has the host’s name for %s', (id) => {
    expect(written({ maxOutputTokens: 9 }, {}, { id })).toHaveProperty('max_tokens', 9);
  });
});
