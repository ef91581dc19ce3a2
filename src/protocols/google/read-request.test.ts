import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { TurnEvent } from '../turn/events.ts';
import { readThoughtSignature, writeThoughtSignature } from './outcome.ts';
import { googleClient } from './protocol.ts';
import { readGoogleTurn } from './read-request.ts';
import { readGoogleCountRequest, readGoogleRequest } from './request.ts';

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const read = (json: object) => readGoogleTurn({ contents, ...json });

describe('a generateContent request', () => {
  test('calls and responses without ids belong together by name and order', () => {
    const turn = read({
      contents: [
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'look', args: { at: 1 } } },
            { functionCall: { name: 'wait' } },
            { functionCall: { name: 'look', args: { at: 2 } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'look', response: { result: 'one' } } },
            { functionResponse: { name: 'look', response: { output: 'two' } } },
            { functionResponse: { name: 'wait', response: { error: 'late' } } },
          ],
        },
      ],
    });
    expect(turn.messages).toMatchObject([
      {
        content: [
          { id: 'call_1', name: 'look', input: '{"at":1}' },
          { id: 'call_2', name: 'wait', input: '' },
          { id: 'call_3', name: 'look', input: '{"at":2}' },
        ],
      },
      {
        content: [
          { toolUseId: 'call_1', content: [{ text: 'one' }], isError: false },
          { toolUseId: 'call_3', content: [{ text: 'two' }], isError: false },
          { toolUseId: 'call_2', content: [{ text: 'late' }], isError: true },
        ],
      },
    ]);
  });

  test('a response of many members is the result itself', () => {
    const response = { temperature: '71 degrees', error: null };
    const parts = [{ functionResponse: { id: 'x', name: 'weather', response } }];
    expect(read({ contents: [{ role: 'user', parts }] }).messages[0]?.content).toMatchObject([
      { toolUseId: 'x', content: [{ text: '{"temperature":"71 degrees","error":null}' }], isError: false },
    ]);
  });

  test('the word for a foreign call is no signature', () => {
    const part = {
      functionCall: { id: 'a', name: 'look' },
      thoughtSignature: 'skip_thought_signature_validator',
    };
    const [message] = read({ contents: [{ role: 'model', parts: [part] }] }).messages;
    expect(message?.content).toEqual([{ type: 'tool_use', id: 'a', name: 'look', input: '' }]);
  });

  test('schemas in the older spelling become JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        type: { type: 'STRING', nullable: true },
        list: { type: 'ARRAY', items: { type: 'INTEGER' } },
      },
      required: ['type'],
    };
    expect(read({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }).tools).toEqual([
      {
        kind: 'function',
        name: 'f',
        schema: {
          type: 'object',
          properties: {
            type: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            list: { type: 'array', items: { type: 'integer' } },
          },
          required: ['type'],
        },
      },
    ]);
  });

  test.each<[object, object | undefined]>([
    [{ thinkingBudget: 0 }, { thinking: 'off' }],
    [{ thinkingBudget: -1 }, { thinking: 'adaptive' }],
    [{ thinkingBudget: 500 }, { thinking: 'on', budgetTokens: 500 }],
    [{ thinkingLevel: 'high' }, { effort: 'high' }],
    [
      { thinkingLevel: 'LOW', includeThoughts: true },
      { effort: 'low', thinking: 'adaptive' },
    ],
    [{ includeThoughts: true }, { thinking: 'adaptive' }],
    [{ includeThoughts: false }, undefined],
  ])('thinkingConfig %j is %j', (thinkingConfig, reasoning) => {
    expect(read({ generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning);
  });

  test('media are told apart by their types, or by their URLs', () => {
    const parts = [
      { fileData: { fileUri: 'https://a.example/b.PNG?x=1' } },
      { fileData: { fileUri: 'https://a.example/b', mimeType: 'image/heic' } },
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
      { fileData: { fileUri: 'gs://bucket/c.jpg' } },
      { inlineData: { mimeType: 'video/mp4', data: 'AA==' } },
    ];
    expect(read({ contents: [{ role: 'user', parts }] }).messages[0]?.content).toEqual([
      { type: 'image', source: { kind: 'url', url: 'https://a.example/b.PNG?x=1' } },
      { type: 'image', source: { kind: 'url', url: 'https://a.example/b' } },
      { type: 'document', source: { kind: 'file', id: 'abc', vendor: 'google' } },
      { type: 'image', source: { kind: 'file', id: 'gs://bucket/c.jpg', vendor: 'google' } },
      { type: 'document', source: { kind: 'base64', mediaType: 'video/mp4', data: 'AA==' } },
    ]);
  });

  test.each([
    [{ contents: [{ role: 'robot', parts: [] }] }, 'the role robot'],
    [{ contents: [{ role: 'user', parts: [{ inlineData: {} }] }] }, 'mimeType and data'],
    [{ contents: [{ role: 'user', parts: [{ fileData: {} }] }] }, 'fileUri'],
    [{ contents: [{ role: 'user', parts: [{ functionResponse: {} }] }] }, 'has no name'],
    [{ tools: [{ functionDeclarations: [{}] }] }, 'has no name'],
  ])('%j cannot be read', (json, reason) => {
    expect(() => read(json)).toThrow(AppError);
    expect(() => read(json)).toThrow(reason);
  });
});

describe('the check of a request', () => {
  const url = { model: 'gemini-x', stream: true };
  test('keeps the text; model and streaming are those of the URL', () => {
    const text = JSON.stringify({ contents });
    expect(readGoogleRequest(text, url)).toEqual({
      text,
      json: { contents },
      model: 'gemini-x',
      stream: true,
      wantsStreamUsage: true,
    });
  });

  test.each([
    ['', 'malformed_json'],
    ['[]', 'malformed_json'],
    ['{}', 'validation_failed'],
    ['{"contents":[]}', 'validation_failed'],
    ['{"contents":[{"parts":[]}]}', 'validation_failed'],
    ['{"contents":[{"role":"assistant","parts":[{"text":"a"}]}]}', 'validation_failed'],
  ])('refuses %p', (text, code) => {
    let thrown: unknown;
    try {
      readGoogleRequest(text, url);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
  });
});

describe('the spelling of a request', () => {
  const target = { model: 'm', stream: false };
  const official = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Say "snake_case": yes' }, { inlineData: { mimeType: 'image/png', data: 'aa' } }],
      },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'f', args: { some_name: 1 } }, thoughtSignature: 'c2ln' }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { other_name: 2 } } }] },
    ],
    tools: [
      {
        functionDeclarations: [
          {
            name: 'f',
            parameters: { type: 'OBJECT', properties: { some_name: { anyOf: [{ type: 'STRING' }] } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: { maxOutputTokens: 5, responseJsonSchema: { some_name: 3 } },
  };
  const asDocumented = {
    system_instruction: { parts: { text: 'Be brief.' } },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Say "snake_case": yes' }, { inline_data: { mime_type: 'image/png', data: 'aa' } }],
      },
      {
        role: 'model',
        parts: { function_call: { name: 'f', args: { some_name: 1 } }, thought_signature: 'c2ln' },
      },
      { role: 'user', parts: { function_response: { name: 'f', response: { other_name: 2 } } } },
    ],
    tools: {
      function_declarations: {
        name: 'f',
        parameters: { type: 'OBJECT', properties: { some_name: { any_of: [{ type: 'STRING' }] } } },
      },
    },
    tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
    generation_config: { max_output_tokens: 5, response_json_schema: { some_name: 3 } },
  };

  test('may be that of the documentation: snake case, and one thing for a list of one', () => {
    const text = JSON.stringify(asDocumented);
    const request = readGoogleRequest(text, target);
    expect(request.json).toEqual(official);
    expect(request.text).toBe(text);
  });

  test('is kept where it is that of the official clients', () => {
    const text = JSON.stringify(official);
    expect(readGoogleRequest(text, target).json).toEqual(official);
    const contents = { parts: { text: 'hi' } };
    expect(readGoogleRequest(JSON.stringify({ contents }), target).json).toEqual({
      contents: [{ parts: [{ text: 'hi' }] }],
    });
  });

  test('costs nothing more for what is nested deeply', () => {
    const nested = `${'{"a_b":'.repeat(150)}1${'}'.repeat(150)}`;
    const text = `{"contents":[{"parts":[{"text":"hi","x":${nested}}]}]}`;
    expect(readGoogleRequest(text, target).text).toBe(text);
  });
});

test('whole numbers in older schemas may be text', () => {
  const parameters = {
    type: 'ARRAY',
    items: { type: 'STRING', maxLength: '8' },
    minItems: '2',
    maxItems: 'many',
  };
  const [tool] = read({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }).tools;
  expect(tool).toMatchObject({
    schema: { type: 'array', items: { type: 'string', maxLength: 8 }, minItems: 2, maxItems: 'many' },
  });
});

test('content that was cached at the vendor is refused, not forgotten', () => {
  expect(() => read({ cachedContent: 'cachedContents/1' })).toThrow(/cannot take content that was cached/);
});

test('a response without an id belongs to the first call by its name that no other response names', () => {
  const call = (id: string) => ({ functionCall: { name: 'f', id } });
  const response = (id?: string) => ({ functionResponse: { name: 'f', id, response: {} } });
  const given = [
    { role: 'model', parts: [call('a'), call('b')] },
    { role: 'user', parts: [response('a'), response()] },
    { role: 'model', parts: [call('a')] },
    { role: 'user', parts: [response()] },
  ];
  const results = readGoogleTurn({ contents: given }).messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : [])),
  );
  expect(results).toEqual(['a', 'b', 'a']);
});

test('a response by an id that no call has belongs to the first call by its name that came without one', () => {
  const call = (name: string, id?: string) => ({ functionCall: { name, id } });
  const response = (name: string, id?: string) => ({ functionResponse: { name, id, response: {} } });
  const given = [
    { role: 'model', parts: [call('f', 'own'), call('f'), call('f'), call('g')] },
    {
      role: 'user',
      parts: [response('f', 'f-1'), response('g', 'g-1'), response('f', 'f-2'), response('f', 'f-3')],
    },
    { role: 'user', parts: [response('f'), response('f', 'own')] },
  ];
  const ids = readGoogleTurn({ contents: given }).messages.flatMap(({ content }) =>
    content.map((block) => ('toolUseId' in block ? block.toolUseId : 'id' in block ? block.id : '')),
  );
  const [, first = '', second = '', other = ''] = ids;
  expect(ids.slice(4)).toEqual([first, other, second, 'f-3', 'own', 'own']);
});

test('enumerations may be numbers, as clients that are made for REST write them', () => {
  const parameters = { type: 6, properties: { at: { type: 5, items: { type: 1 } } } };
  const { tools, toolChoice } = read({
    tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
    toolConfig: { functionCallingConfig: { mode: 3 } },
  });
  expect(toolChoice).toEqual({ type: 'none' });
  expect(tools).toMatchObject([
    { schema: { type: 'object', properties: { at: { type: 'array', items: { type: 'string' } } } } },
  ]);
});

test('one of several words is asked for in words', () => {
  const responseSchema = { type: 'STRING', enum: ['calm', 'rough'] };
  const asked = read({ generationConfig: { responseMimeType: 'text/x.enum', responseSchema } });
  expect(asked.responseFormat).toBeUndefined();
  expect(asked.system.at(-1)?.text).toEndWith('and nothing else: ["calm","rough"]');
});

describe('thoughts', () => {
  const answer: TurnAnswer = {
    id: 'r',
    model: 'm',
    usage: null,
    choices: [
      {
        content: [
          { type: 'thinking', text: 'Hm.' },
          { type: 'thinking', text: 'Yes.', signature: { origin: 'google', value: 'c2ln' } },
          { type: 'text', text: 'To the sea.' },
        ],
        stop: { reason: 'end' },
      },
    ],
  };
  const partsFor = (thinkingConfig?: object) => {
    const text = JSON.stringify({ contents, generationConfig: { thinkingConfig } });
    const request = readGoogleRequest(text, { model: 'm', stream: false });
    return JSON.parse(googleClient.writeAnswer(answer, request)).candidates[0].content.parts;
  };
  const signature = { thought: true, thoughtSignature: 'c2ln' };
  const said = { text: 'To the sea.' };

  test.each([undefined, { includeThoughts: false, thinkingBudget: 9000 }, { thinkingBudget: 0 }])(
    'of who asked for none are left out, but for their signatures: %j',
    (thinkingConfig) => expect(partsFor(thinkingConfig)).toEqual([{ text: '', ...signature }, said]),
  );

  test.each([{ includeThoughts: true }, { include_thoughts: true }, { thinkingLevel: 'LOW' }])(
    'are shown to who wants the model to think: %j',
    (thinkingConfig) =>
      expect(partsFor(thinkingConfig)).toEqual([
        { text: 'Hm.', thought: true },
        { text: 'Yes.', ...signature },
        said,
      ]),
  );

  test('are left out of a stream as well', () => {
    const place = { choice: 0, block: 0 };
    const writer = googleClient.openWriter(
      readGoogleRequest(JSON.stringify({ contents }), { model: 'm', stream: true }),
    );
    const written = [
      { ...place, type: 'open', head: { kind: 'thinking' } },
      { ...place, type: 'delta', kind: 'thinking', text: 'Hm.' },
      { ...place, type: 'close' },
    ] as const satisfies readonly TurnEvent[];
    expect(written.map((event) => writer.write(event)).join('')).toBe('');
  });
});

test('the pieces of a streamed answer that a client gives back are its texts and thoughts', () => {
  const own = {
    role: 'model',
    parts: [
      { text: 'a', thought: true },
      { text: 'b', thought: true },
    ],
  };
  const signed = { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: 'c2ln' }] };
  const texts = ['To', ' the', ' sea.', ''].map((text) => ({ role: 'model', parts: [{ text }] }));
  expect(readGoogleTurn({ contents: [...contents, own, signed, ...texts] }).messages[1]?.content).toEqual([
    { type: 'thinking', text: 'ab', signature: { origin: 'google', value: 'c2ln' } },
    { type: 'text', text: 'To the sea.' },
  ]);
});

test('costs no more than its length for many contents, calls and names', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => at);
  const calls = many.map((at) => ({ functionCall: { name: 'f', id: `c${at}` } }));
  const responses = calls.map(({ functionCall }) => ({
    functionResponse: { ...functionCall, response: {} },
  }));
  const pieces = many.map(() => ({ role: 'model', parts: [{ text: 'x' }] }));
  const asked = { contents: [...pieces, { role: 'model', parts: calls }, { parts: responses.toReversed() }] };
  const { messages } = readGoogleTurn(asked);
  expect(messages.map(({ content }) => content.length)).toEqual([50_001, 50_000]);
  const text = JSON.stringify({ contents: [{ parts: [{ text: 'a_'.repeat(2_000_000) }] }] });
  expect(readGoogleRequest(text, { model: 'm', stream: false }).text).toBe(text);
});

describe('a request to count', () => {
  const bare = { contents: [{ parts: [{ text: 'hi' }] }] };

  test('holds contents alone, or a whole request', () => {
    const text = JSON.stringify(bare);
    expect(readGoogleCountRequest(text, 'm')).toMatchObject({ text, json: bare, model: 'm', stream: false });
    const whole = { model: 'models/other', ...bare, system_instruction: { parts: [{ text: 'a' }] } };
    const counted = readGoogleCountRequest(JSON.stringify({ generate_content_request: whole }), 'm');
    expect(counted.model).toBe('m');
    expect(counted.json).toMatchObject({ ...bare, systemInstruction: { parts: [{ text: 'a' }] } });
    expect(JSON.parse(counted.text)).toEqual(whole);
  });

  test('without contents is no request', () => {
    expect(() => readGoogleCountRequest('{"generateContentRequest":{}}', 'm')).toThrow(
      /contents: is required/,
    );
  });
});

describe('signatures of other vendors towards a client', () => {
  test('are base64, since typed clients decode the field, and come back as they were', () => {
    const signature = { origin: 'anthropic', value: 'EqQBCkYIBRgCKkA=' } as const;
    const thoughtSignature = writeThoughtSignature(signature);
    expect(Buffer.from(thoughtSignature ?? '', 'base64').toString('base64')).toBe(thoughtSignature ?? '');
    expect(readThoughtSignature({ thoughtSignature })).toEqual(signature);
  });

  test('are told apart from the vendor’s own, however those begin', () => {
    const own = Buffer.from('sluice:nobody:x').toString('base64');
    expect(readThoughtSignature({ thoughtSignature: own })).toEqual({ origin: 'google', value: own });
    expect(writeThoughtSignature({ origin: 'google', value: own })).toBe(own);
  });
});
