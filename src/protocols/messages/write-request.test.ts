import { describe, expect, test } from 'bun:test';
import { readChatTurn } from '../chat-completions/read-request.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import type { UpstreamModel } from '../protocol.ts';
import { writeMessagesTurn } from './write-request.ts';

const user = { role: 'user', content: 'hi' };

/** A chat completion request as the messages upstream gets it. */
function written(fields: object, model: UpstreamModel = { id: 'claude-opus-4-6' }): Record<string, unknown> {
  const request = readChatRequest(JSON.stringify({ model: 'm', messages: [user], ...fields }));
  return JSON.parse(writeMessagesTurn(readChatTurn(request.json), model));
}

const refusalOf = (fields: object) => {
  try {
    written(fields);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
};

const tools = ['look', 'find'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));

describe('the bound of the output', () => {
  test('is the caller’s, else the model’s, else a constant', () => {
    expect(written({ max_completion_tokens: 7, max_tokens: 9 })['max_tokens']).toBe(7);
    expect(written({}, { id: 'claude-x-5', maxOutputTokens: 64_000 })['max_tokens']).toBe(64_000);
    expect(written({})['max_tokens']).toBe(8192);
  });
});

describe('blank text', () => {
  test('stays here, wherever it stands, and messages that it leaves empty with it', () => {
    const calls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '' } }];
    const messages = [
      { role: 'system', content: ' \n' },
      user,
      { role: 'assistant', content: '\n\n' },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'go' },
        ],
      },
      { role: 'assistant', content: ' ', tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: '\n' },
    ];
    const sent = written({ messages });
    expect(sent['system']).toBeUndefined();
    expect(sent['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: 'go' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ]);
  });
});

test('a conversation that the assistant begins has a user in front', () => {
  const greeting = { role: 'assistant', content: 'What may I do?' };
  const opening = { role: 'user', content: 'Hello.' };
  expect(written({ messages: [greeting, user] })['messages']).toEqual([opening, greeting, user]);
  expect(written({ messages: [{ role: 'user', content: ' ' }, greeting, user] })['messages']).toEqual([
    opening,
    greeting,
    user,
  ]);
});

describe('roles', () => {
  test('system and developer messages become system text, wherever they stand', () => {
    const messages = [
      { role: 'developer', content: 'a' },
      user,
      { role: 'system', content: 'b' },
      { role: 'user', content: 'go' },
    ];
    expect(written({ messages })).toMatchObject({
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      messages: [{ role: 'user', content: [{ text: 'hi' }, { text: 'go' }] }],
    });
  });

  test('tool messages and what the user says next are one message, results first', () => {
    const calls = ['a.1', 'b'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: '' },
    }));
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'a.1', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'y' }] },
      user,
    ];
    expect(written({ messages })['messages']).toEqual([
      user,
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a_1', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a_1', content: 'x' },
          { type: 'tool_result', tool_use_id: 'b', content: 'y' },
          { type: 'text', text: 'hi' },
        ],
      },
    ]);
  });

  test('instructions alone become what the user says; nothing at all is a 400', () => {
    expect(written({ messages: [{ role: 'system', content: 'a' }] })).toMatchObject({
      messages: [{ role: 'user', content: 'a' }],
    });
    expect(refusalOf({ messages: [{ role: 'user', content: '' }] })).toMatchObject({
      code: 'invalid_parameter',
      param: 'messages',
    });
  });
});

describe('content', () => {
  test('images come as URLs, as data URLs and with cache marks', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'https://example.test/a.png', detail: 'low' } },
      {
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,AAAA' },
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ];
    expect(written({ messages: [{ role: 'user', content }] })['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
            cache_control: { type: 'ephemeral', ttl: '1h' },
          },
        ],
      },
    ]);
  });

  test('a cache mark is kept in either spelling, on a part or on its message', () => {
    const marked = [
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
    ];
    const part = { type: 'text', text: 'hi', prompt_cache_breakpoint: { mode: 'explicit' } };
    expect(written({ messages: [{ role: 'user', content: [part] }] })['messages']).toEqual(marked);
    expect(written({ messages: [{ ...user, cache_control: { type: 'ephemeral' } }] })['messages']).toEqual(
      marked,
    );
  });

  test('files become documents', () => {
    const pdf = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } };
    const note = {
      type: 'file',
      file: { filename: 'n', file_data: `data:text/plain;base64,${btoa('hello')}` },
    };
    expect(written({ messages: [{ role: 'user', content: [pdf, note] }] })['messages']).toMatchObject([
      {
        content: [
          {
            type: 'document',
            title: 'a.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
          },
          { type: 'document', title: 'n', source: { type: 'text', media_type: 'text/plain', data: 'hello' } },
        ],
      },
    ]);
  });

  test.each([
    ['audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }],
    ['a file by id', { type: 'file', file: { file_id: 'f' } }],
    ['a kind that is not known', { type: 'video_url', video_url: { url: 'https://example.test' } }],
    ['an image without a URL', { type: 'image_url' }],
  ])('400 for %s', (_, part) => {
    expect(refusalOf({ messages: [{ role: 'user', content: [part] }] })).toMatchObject({
      status: 400,
      param: 'messages',
    });
  });

  test('arguments that are no JSON keep what they are', () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"a": "cut' } };
    expect(
      written({ messages: [user, { role: 'assistant', tool_calls: [call] }] })['messages'],
    ).toMatchObject([user, { content: [{ input: { INVALID_JSON: '{"a": "cut' } }] }]);
  });
});

describe('tools', () => {
  test.each([
    ['auto', undefined],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'look' } },
      { type: 'tool', name: 'look' },
    ],
  ])('the choice %j is written', (tool_choice, expected) => {
    expect(written({ tools, tool_choice })['tool_choice']).toEqual(expected);
  });

  test('parallel calls are forbidden within the choice', () => {
    expect(written({ tools, parallel_tool_calls: false })['tool_choice']).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
  });

  test('a choice among some leaves the others out', () => {
    const tool_choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'find' } }] },
    };
    expect(written({ tools, tool_choice })).toMatchObject({
      tools: [{ name: 'find' }],
      tool_choice: { type: 'any' },
    });
  });

  test('a choice that names none of them is a 400', () => {
    const tool_choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'gone' } }] },
    };
    expect(refusalOf({ tools, tool_choice })).toMatchObject({
      code: 'invalid_parameter',
      param: 'tool_choice',
    });
  });

  test('a tool without parameters has an empty schema, and a strict one a closed schema', () => {
    const strict = {
      name: 's',
      strict: true,
      parameters: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
    };
    expect(
      written({
        tools: [
          { type: 'function', function: { name: 'a' } },
          { type: 'function', function: strict },
        ],
      })['tools'],
    ).toEqual([
      { name: 'a', input_schema: { type: 'object', properties: {} } },
      {
        name: 's',
        strict: true,
        input_schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '(minimum: 1)' } },
          additionalProperties: false,
        },
      },
    ]);
  });

  test.each([['several choices', { n: 2 }, 'n']])('400 for %s', (_, fields, param) => {
    expect(refusalOf(fields)).toMatchObject({ code: 'invalid_parameter', status: 400, param });
  });
});

describe('sampling', () => {
  test('temperature goes up to one and stands alone', () => {
    const { temperature, top_p } = written({ temperature: 1.7, top_p: 0.5 });
    expect({ temperature, top_p }).toEqual({ temperature: 1, top_p: undefined });
    expect(written({ top_p: 0.5 })['top_p']).toBe(0.5);
  });

  test.each(['claude-opus-4-7', 'claude-fable-5', 'claude-opus-5-5'])('%s gets none', (id) => {
    expect(written({ temperature: 0.5 }, { id })).not.toHaveProperty('temperature');
  });

  test('blank stop sequences stay here', () => {
    expect(written({ stop: ['\n', 'END'] })['stop_sequences']).toEqual(['END']);
    expect(written({ stop: '\n' })).not.toHaveProperty('stop_sequences');
  });
});

describe('reasoning', () => {
  test('newer models think adaptively, with an effort', () => {
    expect(written({ reasoning_effort: 'minimal' })).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
    expect(written({ reasoning_effort: 'none' })['thinking']).toEqual({ type: 'disabled' });
  });

  test('older ones within a budget that the bound of the output leaves room for', () => {
    const older = { id: 'claude-sonnet-4-5-20250929' };
    expect(written({ reasoning_effort: 'high' }, older)).toMatchObject({
      max_tokens: 8192 + 16_384,
      thinking: { type: 'enabled', budget_tokens: 16_384 },
    });
    expect(written({ reasoning_effort: 'high', max_tokens: 4000 }, older)['thinking']).toMatchObject({
      budget_tokens: 2000,
    });
    expect(written({ reasoning_effort: 'high', max_tokens: 500 }, older)).not.toHaveProperty('thinking');
  });

  test('no thinking where the upstream would refuse it', () => {
    expect(written({ reasoning_effort: 'high', tools, tool_choice: 'required' })).not.toHaveProperty(
      'thinking',
    );
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };
    const messages = [
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ];
    const older = { id: 'claude-sonnet-4-5' };
    expect(written({ reasoning_effort: 'high', tools, messages }, older)).not.toHaveProperty('thinking');
    // What the client says beside a result continues the turn.
    const reminded = [...messages, { role: 'user', content: 'Mind the time.' }];
    expect(written({ reasoning_effort: 'high', tools, messages: reminded }, older)).not.toHaveProperty(
      'thinking',
    );
    const next = [...messages, { role: 'assistant', content: 'Done.' }, user];
    expect(written({ reasoning_effort: 'high', tools, messages: next }, older)).toHaveProperty('thinking');
  });
});

describe('structured output', () => {
  test('the schema is closed and its bounds are told in words', () => {
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer', maximum: 9, description: 'years' } },
    };
    expect(
      written({ response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } })[
        'output_config'
      ],
    ).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { age: { type: 'integer', description: 'years (maximum: 9)' } },
          additionalProperties: false,
        },
      },
    });
  });
});

describe('who asks', () => {
  const named = (user: string) => (written({ user })['metadata'] as { user_id: string }).user_id;

  test.each(['team-7', '0f8fad5b-d9cb-469f-a165-70867728950e', 'user_1@acme', '{"device":"a"}', '12345'])(
    'is told as %p',
    (user) => {
      expect(named(user)).toBe(user);
    },
  );

  test.each([
    'ada@example.com',
    'Ada <ada@example.com>',
    '+49 (170) 123-4567',
    '01701234567',
    'x'.repeat(257),
  ])('is told as the hash of %p', (user) => {
    expect(named(user)).toMatch(/^[0-9a-f]{64}$/);
    expect(named(user)).toBe(named(user));
  });
});
