import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readGoogleTurn } from './read-request.ts';
import { readGoogleRequest } from './request.ts';

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
