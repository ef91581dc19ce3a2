import { describe, expect, test } from 'bun:test';
import { asObjects } from '../json/fields.ts';
import { readMessagesTurn } from '../messages/read-request.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { UpstreamModel } from '../protocol.ts';
import { type ChatDialect, openaiDialect } from './dialect.ts';
import { writeChatTurn } from './write-request.ts';

const user = { role: 'user', content: 'hi' };
const ephemeral = { type: 'ephemeral', ttl: '1h' };

/** A messages request as the chat completions upstream gets it. */
function written(
  fields: object,
  { dialect = {}, model = { id: 'gpt-x' } }: { dialect?: Partial<ChatDialect>; model?: UpstreamModel } = {},
): Record<string, unknown> {
  const request = readMessagesRequest(
    JSON.stringify({ model: 'm', max_tokens: 9, messages: [user], ...fields }),
  );
  return JSON.parse(writeChatTurn(readMessagesTurn(request.json), model, { ...openaiDialect, ...dialect }));
}

const refusalOf = (fields: object) => {
  try {
    written(fields);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
};

const contentOf = (...content: object[]) => written({ messages: [{ role: 'user', content }] })['messages'];

describe('the whole', () => {
  test('has the model, the bound and the request for counts in a stream', () => {
    expect(
      written({ stream: true, stop_sequences: ['END'], metadata: { user_id: 'u', session_id: 's' } }),
    ).toEqual({
      model: 'gpt-x',
      messages: [user],
      max_completion_tokens: 9,
      stop: ['END'],
      user: 'u',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('follows the dialect of the host', () => {
    const fields = { top_k: 5, system: [{ type: 'text', text: 'a', cache_control: ephemeral }] };
    const plain = written(fields);
    expect(plain).not.toHaveProperty('top_k');
    expect(plain['messages']).toEqual([{ role: 'system', content: 'a' }, user]);
    const dialect: Partial<ChatDialect> = { maxTokensFields: ['max_tokens'], cacheMarks: true, topK: true };
    expect(written(fields, { dialect })).toMatchObject({
      max_tokens: 9,
      top_k: 5,
      messages: [{ role: 'system', content: [{ type: 'text', text: 'a', cache_control: ephemeral }] }, user],
    });
  });
});

test('a long name of the caller becomes one of 64 characters', () => {
  const userOf = (user_id: string) => written({ metadata: { user_id } })['user'];
  expect(userOf(`user_${'a'.repeat(150)}`)).toMatch(/^[0-9a-f]{64}$/);
  expect(userOf('b'.repeat(64))).toBe('b'.repeat(64));
});

describe('messages', () => {
  test('system text is one message in front; instructions in the middle stay where they are', () => {
    const messages = [user, { role: 'assistant', content: 'a' }, { role: 'system', content: 'b' }, user];
    expect(written({ system: 's', messages })['messages']).toEqual([
      { role: 'system', content: 's' },
      user,
      { role: 'assistant', content: 'a' },
      { role: 'system', content: 'b' },
      user,
    ]);
  });

  test('results with images, errors and nothing in them stay in the order that is demanded', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const messages = [
      user,
      {
        role: 'assistant',
        content: ['a', 'b', 'c'].map((id) => ({
          type: 'tool_use',
          id,
          name: 'look',
          input: id === 'a' ? {} : { at: 1 },
        })),
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }, image] },
          { type: 'tool_result', tool_use_id: 'b', content: 'broke', is_error: true },
          { type: 'tool_result', tool_use_id: 'c' },
        ],
      },
    ];
    expect(written({ messages })['messages']).toEqual([
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b', 'c'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'look', arguments: id === 'a' ? '{}' : '{"at":1}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: broke' },
      { role: 'tool', tool_call_id: 'c', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'see' },
        ],
      },
    ]);
  });

  test('thinking goes back as it came: plain when nobody signed it, with details when somebody did', () => {
    const assistant = (block: object) => [
      user,
      { role: 'assistant', content: [block, { type: 'text', text: 'a' }] },
      user,
    ];
    const unsigned = { type: 'thinking', thinking: 'hm', signature: '' };
    expect(written({ messages: assistant(unsigned) })['messages']).toMatchObject([
      user,
      { content: 'a', reasoning_content: 'hm' },
      user,
    ]);
    const signed = { type: 'thinking', thinking: 'hm', signature: 'sluice:google:zz' };
    expect(written({ messages: assistant(signed) })['messages']).toMatchObject([
      user,
      { reasoning_details: [{ text: 'hm', signature: 'zz', format: 'google-gemini-v1' }] },
      user,
    ]);
    const silent = written({ messages: assistant(unsigned) }, { dialect: { replay: 'none' } });
    expect(silent['messages']).toEqual([user, { role: 'assistant', content: 'a' }, user]);
  });

  test('documents become files, or text in a frame', () => {
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
    const told = { ...pdf, title: 'Tides', context: 'of 2026' };
    const note = {
      type: 'document',
      title: 'Note',
      source: { type: 'text', media_type: 'text/plain', data: 'hello' },
    };
    const found = {
      type: 'search_result',
      source: 'https://example.test',
      title: 'T',
      content: [{ type: 'text', text: 'x' }],
    };
    expect(contentOf(pdf, told, note, found)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          { type: 'text', text: 'The next part is the document title="Tides" context="of 2026".' },
          { type: 'file', file: { filename: 'Tides', file_data: 'data:application/pdf;base64,AAAA' } },
          { type: 'text', text: '<document title="Note">\nhello\n</document>' },
          { type: 'text', text: '<document title="T" context="https://example.test">\nx\n</document>' },
        ],
      },
    ]);
  });

  test.each([
    ['a document by URL', { type: 'document', source: { type: 'url', url: 'https://example.test/a.pdf' } }],
    ['an image by file id', { type: 'image', source: { type: 'file', file_id: 'f' } }],
    ['an image without a source', { type: 'image' }],
    ['a result of no tool use', { type: 'tool_result', content: 'x' }],
  ])('400 for %s', (_, block) => {
    expect(refusalOf({ messages: [{ role: 'user', content: [block] }] })).toMatchObject({
      status: 400,
      param: 'messages',
    });
  });
});

describe('tools', () => {
  const tools = [
    {
      name: 'look',
      description: 'd',
      input_schema: { type: 'object', properties: {}, additionalProperties: true },
    },
  ];

  test('keep their schema as it is', () => {
    expect(written({ tools })['tools']).toEqual([
      { type: 'function', function: { name: 'look', description: 'd', parameters: tools[0]?.input_schema } },
    ]);
  });

  test.each([
    [{ type: 'auto' }, undefined],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'look' },
      { type: 'function', function: { name: 'look' } },
    ],
  ])('the choice %j is written', (tool_choice, expected) => {
    expect(written({ tools, tool_choice })['tool_choice']).toEqual(expected);
  });

  test('parallel use is forbidden beside the choice', () => {
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true };
    expect(written({ tools, tool_choice })['parallel_tool_calls']).toBe(false);
  });

  test('400 for a tool that the vendor runs', () => {
    expect(refusalOf({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })).toMatchObject({
      status: 400,
      param: 'tools',
    });
  });
});

describe('reasoning', () => {
  test.each([
    [{ output_config: { effort: 'high' } }, 'high'],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 30_000 } }, 'high'],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, undefined],
    [{ thinking: { type: 'adaptive' } }, undefined],
  ])('%j asks for the effort %p', (fields, effort) => {
    expect(written(fields)['reasoning_effort']).toBe(effort);
  });

  test('is not asked of a model that is known not to reason', () => {
    expect(
      written({ output_config: { effort: 'high' } }, { model: { id: 'm', reasons: false } }),
    ).not.toHaveProperty('reasoning_effort');
  });

  test('is asked of models that never do only where the catalogue knows better', () => {
    const asked = { output_config: { effort: 'high' } };
    expect(written(asked, { model: { id: 'gpt-4o' } })).not.toHaveProperty('reasoning_effort');
    expect(written(asked, { model: { id: 'gpt-4o', reasons: true } })).toHaveProperty('reasoning_effort');
  });

  test.each([
    ['gpt-5.1', 'max', 'high'],
    ['gpt-5.5', 'max', 'xhigh'],
    ['some-model', 'max', 'max'],
  ])('of %s is asked with the nearest effort that it knows: %s as %s', (id, effort, expected) => {
    expect(written({ output_config: { effort } }, { model: { id } })['reasoning_effort']).toBe(expected);
  });
});

test('a schema with optional fields is not sent as strict, which the upstream would refuse', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
  expect(written({ output_config: { format: { type: 'json_schema', schema } } })['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict: false },
  });
});

test('a model from before structured output is told of a schema in words', () => {
  const format = { type: 'json_schema', schema: { type: 'object', properties: {} } };
  const sent = (id: string) => written({ output_config: { format } }, { model: { id } });
  for (const id of ['gpt-4-turbo', 'gpt-35-turbo', 'gpt-4']) {
    expect(sent(id)).toMatchObject({ response_format: { type: 'json_object' } });
    expect(JSON.stringify(sent(id)['messages'])).toContain('JSON schema');
  }
  for (const id of ['gpt-4o', 'gpt-4.1-mini', 'gpt-5']) {
    expect(sent(id)).toMatchObject({ response_format: { type: 'json_schema' } });
  }
});

describe('a conversation', () => {
  test('gives pieces of one text back as they were', () => {
    const cited = ['The sky ', 'is blue', '.'].map((text) => ({ type: 'text', text }));
    const messages = [user, { role: 'assistant', content: cited }, user];
    const [, said] = asObjects(written({ messages }, { dialect: { textParts: false } })['messages']);
    expect(said).toMatchObject({ content: 'The sky is blue.' });
  });
});
