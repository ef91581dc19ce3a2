import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { googleUpstream } from '../google/protocol.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import { chatFrames, delta } from '../testing/frames.ts';
import { convert } from '../translate/translate.ts';
import { responsesClient } from './protocol.ts';
import { readResponsesTurn } from './read-request.ts';
import { readResponsesRequest } from './request.ts';

const read = (fields: object) => readResponsesTurn({ model: 'm', ...fields });

function refusalOf(fields: object): AppError {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('the conversation', () => {
  test('may be one text', () => {
    expect(read({ instructions: 'Be brief.', input: 'hi' })).toMatchObject({
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    });
  });

  test('has messages in the easy form and in the whole one; instructions from the middle stay there', () => {
    const turn = read({
      input: [
        { role: 'developer', content: 'a' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'b' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'c' }] },
        { role: 'assistant', content: 'd' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'e', annotations: [] },
            { type: 'refusal', refusal: 'f' },
          ],
        },
        { role: 'developer', content: 'g' },
        { role: 'user', content: '' },
      ],
    });
    expect(turn.system.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(turn.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'c' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'd' },
          { type: 'text', text: 'e' },
          { type: 'refusal', text: 'f' },
        ],
      },
      { role: 'system', content: [{ type: 'text', text: 'g' }] },
    ]);
  });

  test('has images and files by URL, as bytes and by id', () => {
    const content = [
      { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'low' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      { type: 'input_image', file_id: 'file-1', detail: 'auto' },
      { type: 'input_file', file_url: 'https://x.example/a.pdf' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
      { type: 'input_file', filename: 'b.pdf', file_data: 'CCCC' },
      { type: 'input_file', filename: 'c.txt', file_data: 'data:text/plain;base64,aGk=' },
      { type: 'input_file', file_id: 'file-2', prompt_cache_breakpoint: { mode: 'explicit' } },
    ];
    const [message] = read({ input: [{ role: 'user', content }] }).messages;
    const pdf = { kind: 'base64', mediaType: 'application/pdf' };
    expect<unknown>(message?.content).toEqual([
      { type: 'image', source: { kind: 'url', url: 'https://x.example/a.png' }, detail: 'low' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { kind: 'file', id: 'file-1', vendor: 'openai' }, detail: 'auto' },
      { type: 'document', source: { kind: 'url', url: 'https://x.example/a.pdf' } },
      { type: 'document', source: { ...pdf, data: 'BBBB' }, title: 'a.pdf' },
      { type: 'document', source: { ...pdf, data: 'CCCC' }, title: 'b.pdf' },
      { type: 'document', source: { kind: 'text', text: 'hi' }, title: 'c.txt' },
      { type: 'document', source: { kind: 'file', id: 'file-2', vendor: 'openai' }, cache: {} },
    ]);
  });

  test('has calls and their results, also of free-text tools, in words and in parts', () => {
    const turn = read({
      input: [
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'look', arguments: '{"at":1}' },
        { type: 'function_call', call_id: 'c2', name: 'now', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'c3', name: 'patch', input: '*** a' },
        { type: 'function_call_output', call_id: 'c1', output: 'seen' },
        {
          type: 'function_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'late' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          ],
        },
        { type: 'custom_tool_call_output', call_id: 'c3', output: '' },
      ],
    });
    expect(turn.messages).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'c1', name: 'look', input: '{"at":1}' },
          { type: 'tool_use', id: 'c2', name: 'now', input: '' },
          { type: 'tool_use', id: 'c3', name: 'patch', input: '*** a', custom: true },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: 'c1', content: [{ type: 'text', text: 'seen' }] },
          { type: 'tool_result', toolUseId: 'c2', content: [{ text: 'late' }, { type: 'image' }] },
          { type: 'tool_result', toolUseId: 'c3', content: [] },
        ],
      },
    ]);
  });

  test('has reasoning with whose signature it is; that of a call goes to the call', () => {
    const summary = [
      { type: 'summary_text', text: 'a' },
      { type: 'summary_text', text: 'b' },
    ];
    const turn = read({
      input: [
        { type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'own' },
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }] },
        { type: 'reasoning', summary: [], encrypted_content: 'sluice:anthropic:sig' },
        { type: 'reasoning', id: 'rs_0', summary: [] },
        { type: 'reasoning', summary: [], encrypted_content: 'sluice-tool:google:a_b:tool' },
        { type: 'function_call', call_id: 'a:b', name: 'n', arguments: '' },
      ],
    });
    expect(turn.messages[0]?.content).toEqual([
      { type: 'thinking', text: 'a\n\nb', signature: { origin: 'openai', value: 'own' } },
      { type: 'thinking', text: 'raw' },
      { type: 'redacted_thinking', signature: { origin: 'anthropic', value: 'sig' } },
      { type: 'tool_use', id: 'a:b', name: 'n', input: '', signature: { origin: 'google', value: 'tool' } },
    ]);
  });

  test('leaves out the traces of tools that the vendor ran', () => {
    const turn = read({
      input: [
        { type: 'web_search_call', id: 'ws' },
        { role: 'user', content: 'hi' },
      ],
    });
    expect(turn.messages).toHaveLength(1);
  });
});

describe('what only a provider of the protocol can honour is refused, with the field', () => {
  test.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: { id: 'c' } }],
    ['prompt', { prompt: { id: 'p' } }],
    ['background', { background: true }],
    ['input', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input', { input: [{ type: 'computer_call_output', call_id: 'c' }] }],
    ['input', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_video' }] }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_file', filename: 'x' }] }] }],
    ['input', { input: [{ role: 'robot', content: 'x' }] }],
    ['input', { input: [{ type: 'function_call_output', output: 'x' }] }],
    ['tool_choice', { tool_choice: { type: 'web_search_preview' } }],
    ['tools', { tools: [{ type: 'function' }] }],
    ['text.format', { text: { format: { type: 'json_schema', name: 'x' } } }],
  ])('%s', (param, fields) => {
    expect(refusalOf({ input: 'hi', ...fields })).toMatchObject({
      code: 'invalid_parameter',
      status: 400,
      param,
    });
  });

  test('but not when it is off', () => {
    const off = { previous_response_id: null, conversation: null, background: false };
    expect(read({ input: 'hi', ...off }).messages).toHaveLength(1);
  });
});

describe('settings', () => {
  test('tools of every kind, also those that came in the middle', () => {
    const { tools } = read({
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        { type: 'function', name: 'g', parameters: null, strict: null },
        { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
        { type: 'web_search', search_context_size: 'low' },
      ],
      input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'later' }] }],
    });
    expect(tools).toEqual([
      { kind: 'function', name: 'f', description: 'd', schema: { type: 'object' }, strict: true },
      { kind: 'function', name: 'g', schema: { type: 'object', properties: {} } },
      {
        kind: 'custom',
        name: 'c',
        format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
      },
      { kind: 'vendor', type: 'web_search', json: { type: 'web_search', search_context_size: 'low' } },
      { kind: 'custom', name: 'later' },
    ]);
  });

  test.each([
    ['auto', undefined],
    ['none', { type: 'none' }],
    ['required', { type: 'required' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'c' },
      { type: 'tool', name: 'c' },
    ],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      { type: 'allowed', names: ['f'], required: true },
    ],
  ])('the tool choice %j', (tool_choice, expected) => {
    expect<unknown>(read({ input: 'hi', tool_choice }).toolChoice).toEqual(expected);
  });

  test('allowed tools that a provider runs are the search, where that is declared, and no others', () => {
    const f = { type: 'function', name: 'f' };
    const search = { type: 'web_search' };
    const code = { type: 'code_interpreter' };
    const tools = [f, search, code];
    const choose = (...allowed: object[]) =>
      read({ input: 'hi', tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed } });
    expect(choose(f, search, code).toolChoice).toMatchObject({ type: 'allowed', names: ['f', 'web_search'] });
    expect(() => choose(code)).toThrow('none of the tools that it allows');
  });

  test('bounds, sampling, effort, format, logprobs, the user', () => {
    const schema = { type: 'object', properties: {} };
    expect(
      read({
        input: 'hi',
        max_output_tokens: 99,
        temperature: 0.5,
        top_p: 0.9,
        parallel_tool_calls: false,
        reasoning: { effort: 'high', summary: 'auto' },
        text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
        top_logprobs: 3,
        user: 'u',
        stream: true,
      }),
    ).toMatchObject({
      maxOutputTokens: 99,
      sampling: { temperature: 0.5, topP: 0.9 },
      parallelToolUse: false,
      reasoning: { effort: 'high' },
      responseFormat: { type: 'json_schema', name: 'n', schema, strict: true },
      logprobs: 3,
      userId: 'u',
      stream: true,
      vendor: {},
    });
    expect(read({ input: 'hi', include: ['message.output_text.logprobs'] }).logprobs).toBe(0);
    expect(read({ input: 'hi', text: { format: { type: 'json_object' } } }).responseFormat).toEqual({
      type: 'json',
    });
  });

  test('fields of the vendor, without what is meant for the gateway', () => {
    const { vendor } = read({
      input: 'hi',
      store: true,
      service_tier: 'flex',
      prompt_cache_key: 'k',
      text: { verbosity: 'low' },
      metadata: { session_id: 's', team: 't' },
      truncation: 'auto',
    });
    expect(vendor.openai).toEqual({
      store: true,
      service_tier: 'flex',
      prompt_cache_key: 'k',
      verbosity: 'low',
      metadata: { team: 't' },
    });
  });
});

const shell = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } };
const find = { type: 'function', name: 'find', parameters: { type: 'object', properties: {} } };
const group = { type: 'namespace', name: 'files', description: 'Files of the project', tools: [find] };
const search = { type: 'web_search', external_web_access: false };

const ask = (fields: object) =>
  readResponsesRequest(JSON.stringify({ model: 'm', input: 'Where is it?', ...fields }));

describe('a request of an agent', () => {
  const upstreams = [
    ['chat completions', chatUpstream()],
    ['messages', messagesUpstream],
    ['google', googleUpstream],
  ] as const;

  test.each(upstreams)(
    'goes to %s with grouped tools under joined names and without hosted ones',
    (_, upstream) => {
      const { writeRequest } = convert({ client: responsesClient(), upstream });
      const written = writeRequest(ask({ tools: [search, shell, group] }), 'model-x');
      expect(written).toContain('"shell"');
      expect(written).toContain('"files__find"');
      expect(written).not.toContain('web_search');
    },
  );

  test.each(upstreams)('is refused by %s when a hosted tool is to be used that it lacks', (_, upstream) => {
    const { writeRequest } = convert({ client: responsesClient(), upstream });
    const forced = ask({ tools: [search, shell], tool_choice: { type: 'web_search' } });
    expect(() => writeRequest(forced, 'model-x')).toThrow(
      /tool type web_search|beside tools that Google runs/,
    );
    const other = ask({ tools: [search, shell], tool_choice: { type: 'file_search' } });
    expect(() => writeRequest(other, 'model-x')).toThrow('tool_choice');
  });

  test('that wants a search alone gets the search of an upstream that has one, and a refusal elsewhere', () => {
    const alone = ask({ tools: [search] });
    const [chat, claude, google] = upstreams.map(([, upstream]) =>
      convert({ client: responsesClient(), upstream }),
    );
    expect(() => chat?.writeRequest(alone, 'model-x')).toThrow('web_search');
    expect(() => claude?.writeRequest(alone, 'model-x')).toThrow('web_search');
    expect(google?.writeRequest(alone, 'gemini-x')).toContain('"tools":[{"googleSearch":{}}]');
  });

  test('keeps the bound of its searches where the upstream takes one, and searches nowhere where none may be', () => {
    const { writeRequest } = convert({ client: responsesClient(), upstream: messagesUpstream });
    const sent = (max_tool_calls: number) =>
      JSON.parse(writeRequest(ask({ tools: [search, shell], max_tool_calls }), 'claude-opus-4-6')).tools;
    expect(sent(2)).toContainEqual({ type: 'web_search_20250305', name: 'web_search', max_uses: 2 });
    expect(sent(0).map(({ name }: { name: string }) => name)).toEqual(['shell']);
  });

  test('finds its calls again in history and choice, and passes over searches for tools', () => {
    const { writeRequest } = convert({ client: responsesClient(), upstream: chatUpstream() });
    const input = [
      { role: 'user', content: 'Where is it?' },
      { type: 'tool_search_call', call_id: 's1', arguments: {} },
      { type: 'tool_search_output', call_id: 's1', tools: [] },
      { type: 'function_call', call_id: 'c1', namespace: 'files', name: 'find', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'here' },
    ];
    const tool_choice = { type: 'function', namespace: 'files', name: 'find' };
    const written = JSON.parse(writeRequest(ask({ tools: [group], input, tool_choice }), 'model-x'));
    expect(written.messages[1].tool_calls[0].function.name).toBe('files__find');
    expect(written.tool_choice.function.name).toBe('files__find');
  });
});

describe('a call of a grouped tool comes back with its group', () => {
  const { readAnswer, openStream } = convert({ client: responsesClient(), upstream: chatUpstream() });
  const request = ask({ tools: [group, shell] });
  const calls = ['files__find', 'shell'].map((name, index) => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  }));
  const expected = [
    { type: 'function_call', namespace: 'files', name: 'find', call_id: 'c0' },
    { type: 'function_call', name: 'shell', call_id: 'c1' },
  ];

  test('in a whole answer', () => {
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const whole = { id: 'x', model: 'm', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    const { output } = JSON.parse(readAnswer(JSON.stringify(whole), request).body);
    expect(output).toMatchObject(expected);
    expect(output[1]).not.toHaveProperty('namespace');
  });

  test('in a stream', () => {
    const stream = openStream({ ...request, stream: true });
    const frames = chatFrames(delta({ tool_calls: calls }), delta({}, 'tool_calls'), '[DONE]');
    const out =
      Buffer.from(stream.push(Buffer.from(frames))).toString() + Buffer.from(stream.end()).toString();
    const completed = out
      .split('\n')
      .findLast((line) => line.includes('"response.completed"') && line.startsWith('data:'));
    expect(JSON.parse(completed?.slice(6) ?? '').response.output).toMatchObject(expected);
  });
});

test.each([
  [{ summary: 'auto' }, { thinking: 'adaptive' }],
  [{ summary: 'detailed', effort: null }, { thinking: 'adaptive' }],
  [{ generate_summary: 'concise' }, { thinking: 'adaptive' }],
  [{ summary: 'auto', effort: 'low' }, { effort: 'low' }],
  [{ summary: 'none' }, undefined],
  [{ summary: null }, undefined],
  [{}, undefined],
] as const)('reasoning of %j is %j', (reasoning, expected) => {
  expect(read({ input: 'hi', reasoning }).reasoning).toEqual(expected);
});
