import { describe, expect, test } from 'bun:test';
import { readMessagesTurn } from '../messages/read-request.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { UpstreamModel } from '../protocol.ts';
import { readConverseRequest } from './testing/request.ts';
import { writeConverseTurn } from './write-request.ts';

const claude46 = { id: 'eu.anthropic.claude-opus-4-6-v1' };
const claude37 = { id: 'anthropic.claude-3-7-sonnet-20250219-v1:0' };
const claude47 = { id: 'anthropic.claude-opus-4-7' };
const nova = { id: 'amazon.nova-pro-v1:0' };
const llama = { id: 'us.meta.llama4-maverick-17b-instruct-v1:0' };
const mistral = { id: 'mistral.mistral-large-2407-v1:0' };
const own = { id: 'arn:aws:bedrock:eu-west-1:111122223333:application-inference-profile/ab12' };

const user = { role: 'user', content: 'hi' };

/** A messages request as the Converse upstream gets it; what is written always passes the protocol's own check. */
function written(fields: object, model: UpstreamModel = claude46): Record<string, unknown> {
  const asked = JSON.stringify({ model: 'm', max_tokens: 900, messages: [user], ...fields });
  const text = writeConverseTurn(
    readMessagesTurn(readMessagesRequest(asked).json),
    model,
    new Set(['shelf']),
  );
  readConverseRequest(text);
  return JSON.parse(text);
}

const contentOf = (content: unknown, model?: UpstreamModel) =>
  written({ messages: [{ role: 'user', content }] }, model)['messages'];

const refusalOf = (fields: object) => {
  try {
    written(fields);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
};

const mark = { type: 'ephemeral', ttl: '1h' };
const pdf = (title?: string) => ({
  type: 'document',
  title,
  source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
});
const tools = ['look', 'find'].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));
const used = [
  user,
  { role: 'assistant', content: [{ type: 'tool_use', id: 't.1', name: 'look', input: { at: 1 } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't.1', content: 'seen', is_error: true }] },
];

describe('content', () => {
  test('an image in bytes, one in a bucket, and a sound have their format', () => {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 's3://shelf/cat.JPG' } },
    ];
    expect(contentOf(content)).toEqual([
      {
        role: 'user',
        content: [
          { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
          { image: { format: 'jpeg', source: { s3Location: { uri: 's3://shelf/cat.JPG' } } } },
        ],
      },
    ]);
  });

  test.each([
    ['an image by URL', { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } }],
    ['an image by id', { type: 'image', source: { type: 'file', file_id: 'f' } }],
    [
      'an image of a rare kind',
      { type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AAAA' } },
    ],
    ['a file without an ending', { type: 'document', source: { type: 'url', url: 's3://shelf/b' } }],
    [
      'a file in a bucket that is not open',
      { type: 'document', source: { type: 'url', url: 's3://vault/b.pdf' } },
    ],
    ['a bucket without a file', { type: 'image', source: { type: 'url', url: 's3://shelf' } }],
    [
      'a document of a rare kind',
      { type: 'document', source: { type: 'base64', media_type: 'application/zip', data: 'AAAA' } },
    ],
  ])('400 for %s', (_, block) => {
    expect(refusalOf({ messages: [{ role: 'user', content: [block] }] })).toMatchObject({
      code: 'invalid_parameter',
      status: 400,
      param: 'messages',
    });
  });

  test('names of documents keep to the characters that are allowed, and each is there once', () => {
    const documents = [pdf('Plan_2024.pdf'), pdf('Plan_2024.pdf'), pdf('計画'), pdf(), pdf('a  b (c) [d]')];
    const names = JSON.stringify(contentOf([...documents, { type: 'text', text: 'x' }])).matchAll(
      /"name":"([^"]*)"/g,
    );
    expect([...names].map(([, name]) => name)).toEqual([
      'Plan-2024-pdf',
      'Plan-2024-pdf (2)',
      'document',
      'document (2)',
      'a b (c) [d]',
    ]);
  });

  test('a document that stands alone gets words beside it', () => {
    const shown = JSON.stringify(contentOf([pdf('a')]));
    expect(shown).toContain('{"document":{"format":"pdf","source":{"bytes":"AAAA"},"name":"a"}},{"text":"');
    expect(JSON.stringify(contentOf([pdf('a'), { type: 'text', text: 'x' }]))).not.toContain(
      '},{"text":"See',
    );
  });

  test('text as a document is a text file; pictures in it follow', () => {
    const inner = [
      { type: 'text', text: 'one' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'BBBB' } },
      { type: 'text', text: 'two' },
    ];
    const content = [{ type: 'document', title: 'n', source: { type: 'content', content: inner } }, inner[0]];
    expect(contentOf(content)).toEqual([
      {
        role: 'user',
        content: [
          { document: { format: 'txt', source: { bytes: btoa('one\n\ntwo') }, name: 'n' } },
          { image: { format: 'png', source: { bytes: 'BBBB' } } },
          { text: 'one' },
        ],
      },
    ]);
  });

  test('a conversation that the assistant begins has a user in front', () => {
    const greeting = { role: 'assistant', content: 'What may I do?' };
    expect(written({ messages: [greeting, user] })).toMatchObject({
      messages: [
        { role: 'user', content: [{ text: 'Hello.' }] },
        { role: 'assistant', content: [{ text: 'What may I do?' }] },
        { role: 'user', content: [{ text: 'hi' }] },
      ],
    });
  });

  test('what is blank stays here, and messages that it leaves empty with it', () => {
    const messages = [
      user,
      { role: 'assistant', content: '\n\n' },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'go' },
        ],
      },
    ];
    expect(written({ messages, system: ' ' })).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'hi' }, { text: 'go' }] }],
    });
    expect(written({ messages, system: ' ' })).not.toHaveProperty('system');
    expect(refusalOf({ messages: [{ role: 'user', content: ' ' }] })).toMatchObject({ status: 400 });
  });

  test('ids of tool uses are the same in call and result, in the form that the model takes', () => {
    const idsIn = (model: UpstreamModel, id: string) => {
      const text = JSON.stringify(
        written({ messages: JSON.parse(JSON.stringify(used).replaceAll('t.1', id)), tools }, model),
      );
      return [...text.matchAll(/"toolUseId":"([^"]*)"/g)].map(([, found]) => found ?? '');
    };
    expect(idsIn(claude46, 'tooluse_a-1')).toEqual(['tooluse_a-1', 'tooluse_a-1']);
    for (const id of ['t.1', 'x'.repeat(100)]) {
      const [call = '', result] = idsIn(claude46, id);
      expect(result).toBe(call);
      expect(call).toMatch(/^[\w-]{1,64}$/);
    }
    expect(idsIn(claude46, 't.1')).not.toEqual(idsIn(claude46, 't_1'));
    expect(idsIn(mistral, 'tooluse_a1')).not.toEqual(idsIn(mistral, 'tooluse_b1'));
    expect(idsIn(mistral, 'tooluse_a1').every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
  });

  test('results say when they are errors', () => {
    expect(written({ messages: used, tools })['messages']).toMatchObject([
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ toolUse: { name: 'look', input: { at: 1 } } }] },
      { role: 'user', content: [{ toolResult: { content: [{ text: 'seen' }], status: 'error' } }] },
    ]);
  });
});

describe('cache points', () => {
  const marked = {
    system: [{ type: 'text', text: 's', cache_control: mark }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'a', cache_control: mark }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't',
            content: [{ type: 'text', text: 'seen', cache_control: { type: 'ephemeral' } }],
          },
        ],
      },
    ],
    tools: [{ ...tools[0], cache_control: mark }],
  };
  const point = (ttl?: string) => ({
    cachePoint: { type: 'default', ...(ttl === undefined ? {} : { ttl }) },
  });

  test('stand behind what they mark; inside a result there is no place for one', () => {
    const { system, messages, toolConfig } = written(marked);
    expect(system).toEqual([{ text: 's' }, point('1h')]);
    expect(messages).toEqual([
      { role: 'user', content: [{ text: 'a' }, point('1h')] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'look', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: 'seen' }] } }, point()] },
    ]);
    expect(toolConfig).toMatchObject({ tools: [{ toolSpec: { name: 'look' } }, point('1h')] });
  });

  test.each([
    ['an older Claude', claude37, 4, 0],
    ['Nova, not behind tools', nova, 3, 0],
    ['a model that takes none', llama, 0, 0],
    ['a profile that does not tell its model', own, 0, 0],
  ])('as far as the model takes them: %s', (_, model, points, lifetimes) => {
    const text = JSON.stringify(written(marked, model));
    expect(text.split('cachePoint')).toHaveLength(points + 1);
    expect(text.split('"ttl"')).toHaveLength(lifetimes + 1);
  });
});

describe('tools', () => {
  const choiceOf = (fields: object, model?: UpstreamModel) => {
    const { toolConfig, additionalModelRequestFields } = written({ tools, ...fields }, model);
    return { api: Reflect.get(Object(toolConfig), 'toolChoice'), extra: additionalModelRequestFields };
  };

  test.each([
    [{ type: 'auto' }, undefined],
    [{ type: 'any' }, { any: {} }],
    [{ type: 'tool', name: 'find' }, { tool: { name: 'find' } }],
  ])('the choice %j is the API’s own', (tool_choice, api) => {
    expect(choiceOf({ tool_choice })).toEqual({ api, extra: undefined });
    expect(choiceOf({ tool_choice }, nova)).toEqual({ api, extra: undefined });
  });

  test.each([
    [{ type: 'none' }, { type: 'none' }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [
      { type: 'tool', name: 'find', disable_parallel_tool_use: true },
      { type: 'tool', name: 'find', disable_parallel_tool_use: true },
    ],
  ])('the choice %j is told to Claude in its own field, and only there', (tool_choice, expected) => {
    expect(choiceOf({ tool_choice })).toEqual({ api: undefined, extra: { tool_choice: expected } });
  });

  test('none takes the tools away where no field can say it, unless the conversation has used some', () => {
    const none = { tools, tool_choice: { type: 'none' } };
    expect(written(none, nova)).not.toHaveProperty('toolConfig');
    const after = written({ ...none, messages: used }, nova);
    expect(after).toMatchObject({ toolConfig: { tools: [{}, {}] } });
    expect(after).not.toHaveProperty('additionalModelRequestFields');
  });

  test('a conversation that used tools names them when none are offered any more', () => {
    const { toolConfig, additionalModelRequestFields } = written({ messages: used });
    expect(toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }],
    });
    expect(additionalModelRequestFields).toEqual({ tool_choice: { type: 'none' } });
  });

  test.each([
    ['anthropic.claude-haiku-4-5-20251001-v1:0', true],
    ['global.anthropic.claude-sonnet-4-6', true],
    ['anthropic.claude-sonnet-4-20250514-v1:0', undefined],
    ['anthropic.claude-opus-4-7', undefined],
    ['anthropic.claude-opus-5', undefined],
    ['amazon.nova-pro-v1:0', undefined],
  ])('strictness is told to %s: %p', (id, strict) => {
    const { toolConfig } = written({ tools: [{ ...tools[0], strict: true }] }, { id });
    const schema = { type: 'object', properties: {}, ...(strict ? { additionalProperties: false } : {}) };
    expect(toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'look', inputSchema: { json: schema }, strict } }],
    });
  });
});

describe('fields that only Claude has', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 };

  test('newer models think adaptively, older ones within a budget', () => {
    const asked = { thinking, output_config: { effort: 'high' }, max_tokens: 9000 };
    expect(written(asked)['additionalModelRequestFields']).toEqual({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
    expect(written(asked, claude37)['additionalModelRequestFields']).toEqual({ thinking });
  });

  test('a budget without a bound gets one that leaves room for the answer', () => {
    const turn = readMessagesTurn({ messages: [user], thinking });
    const boundFor = (model: UpstreamModel) =>
      JSON.parse(writeConverseTurn(turn, model)).inferenceConfig.maxTokens;
    expect(boundFor(claude37)).toBe(2000 + 8192);
    expect(boundFor({ ...claude37, maxOutputTokens: 64_000 })).toBe(64_000);
  });

  test('a budget without a bound stays below the most that the model can write', () => {
    const turn = { ...readMessagesTurn({ messages: [user] }), reasoning: { effort: 'max' } as const };
    const model = { ...claude37, maxOutputTokens: 32_000 };
    expect(JSON.parse(writeConverseTurn(turn, model))).toMatchObject({
      inferenceConfig: { maxTokens: 32_000 },
      additionalModelRequestFields: { thinking: { budget_tokens: 16_000 } },
    });
  });

  test('an answer that was begun is gone on with without thinking, and without a blank at its end', () => {
    const messages = [user, { role: 'assistant', content: 'Once ' }];
    const sent = written({ thinking, max_tokens: 9000, messages }, claude37);
    expect(sent).not.toHaveProperty('additionalModelRequestFields');
    expect(sent).toMatchObject({ messages: [{}, { content: [{ text: 'Once' }] }] });
  });

  test.each([
    ['of another vendor', nova],
    ['that cannot reason', { ...claude46, reasons: false }],
    ['that nobody can tell', own],
  ])('a model %s is not asked to think', (_, model) => {
    expect(JSON.stringify(written({ thinking }, model))).not.toContain('thinking');
  });

  test('top k is one of them; temperature and top p are the API’s', () => {
    expect(written({ temperature: 0.5, top_k: 5 })).toMatchObject({
      inferenceConfig: { maxTokens: 900, temperature: 0.5 },
      additionalModelRequestFields: { top_k: 5 },
    });
    const fields = { temperature: 0.5, top_p: 0.4, top_k: 5 };
    expect(written(fields, nova)['inferenceConfig']).toEqual({ maxTokens: 900, temperature: 0.5, topP: 0.4 });
    expect(written(fields, nova)).not.toHaveProperty('additionalModelRequestFields');
    expect(written(fields, claude47)['inferenceConfig']).toEqual({ maxTokens: 900 });
  });

  test('the sequence that was met is asked of Claude', () => {
    const asked = { stop_sequences: ['END', '\n'] };
    expect(written(asked)).toMatchObject({
      inferenceConfig: { stopSequences: ['END'] },
      additionalModelResponseFieldPaths: ['/delta/stop_sequence'],
    });
    expect(written(asked, nova)).not.toHaveProperty('additionalModelResponseFieldPaths');
  });
});

test('a choice that names none of the tools is a 400', () => {
  const turn = {
    ...readMessagesTurn({ messages: [user], tools: [{ name: 'look', input_schema: { type: 'object' } }] }),
    toolChoice: { type: 'allowed', names: ['gone'], required: true } as const,
  };
  expect(() => writeConverseTurn(turn, claude46)).toThrow('names no tool that the request declares');
});

describe('what else a request says', () => {
  test('a schema for the answer is closed, and is text', () => {
    const schema = { type: 'object', properties: { age: { type: 'integer', maximum: 9 } } };
    const responseFormat = {
      type: 'json_schema',
      schema,
      name: 'n',
      description: 'd',
      strict: false,
    } as const;
    const turn = { ...readMessagesTurn({ messages: [user] }), responseFormat };
    const { textFormat } = JSON.parse(writeConverseTurn(turn, claude46)).outputConfig;
    const { schema: text, ...named } = textFormat.structure.jsonSchema;
    expect(textFormat.type).toBe('json_schema');
    expect(named).toEqual({ name: 'n', description: 'd' });
    expect(JSON.parse(text)).toEqual({
      type: 'object',
      properties: { age: { type: 'integer', description: '(maximum: 9)' } },
      additionalProperties: false,
    });
  });

  test.each([
    [claude46, true],
    [{ id: 'qwen.qwen3-235b-a22b-2507-v1:0' }, true],
    [claude47, false],
    [claude37, false],
    [nova, false],
    [llama, false],
  ])('%p is held to a schema: %p; others are told of it in words', (model, isHeld) => {
    const format = { type: 'json_schema', schema: { type: 'object', properties: { a: {} } } };
    const sent = written({ output_config: { format } }, model);
    expect(sent['outputConfig'] !== undefined).toBe(isHeld);
    expect(JSON.stringify(sent['system'] ?? []).includes('JSON schema')).toBe(!isHeld);
  });

  test('the caller’s user goes into the account’s log, where the API takes what it is called', () => {
    expect(written({ metadata: { user_id: 'team-7' } })['requestMetadata']).toEqual({ user_id: 'team-7' });
    for (const user_id of ['{"a":1}', 'x'.repeat(300)]) {
      expect(written({ metadata: { user_id } })).not.toHaveProperty('requestMetadata');
    }
  });
});
