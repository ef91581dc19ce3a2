import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readChatTurn } from '../chat-completions/read-request.ts';
import { asObject, asObjects, type JsonObject } from '../json/fields.ts';
import { readMessagesTurn } from '../messages/read-request.ts';
import type { ModelFacts } from '../turn/request.ts';
import { writeGoogleTurn } from './write-request.ts';

const user = { role: 'user', content: 'hi' };

function write(turn: Parameters<typeof writeGoogleTurn>[0], id: string, facts: ModelFacts = {}): JsonObject {
  return asObject(JSON.parse(writeGoogleTurn(turn, { ...facts, id }))) ?? {};
}
const fromChat = (json: object, id = 'gemini-2.5-flash', facts?: ModelFacts): JsonObject =>
  write(readChatTurn({ messages: [user], ...json }), id, facts);
const fromMessages = (json: object, id = 'gemini-2.5-flash'): JsonObject =>
  write(readMessagesTurn({ max_tokens: 9, messages: [user], ...json }), id);

const configOf = (written: JsonObject): JsonObject => asObject(written['generationConfig']) ?? {};
const partsOf = (written: JsonObject): readonly JsonObject[] =>
  asObjects(written['contents']).flatMap((content) => asObjects(content['parts']));

describe('how much to think', () => {
  const newest = 'gemini-3.8-flash';
  test.each([
    ['gemini-3-flash-preview', 'minimal', 'MINIMAL'],
    ['gemini-3.5-flash', 'minimal', 'MINIMAL'],
    ['gemini-3.1-flash-lite', 'minimal', 'MINIMAL'],
    [newest, 'minimal', 'LOW'],
    [newest, 'medium', 'MEDIUM'],
    [newest, 'max', 'HIGH'],
    ['gemini-3-pro-preview', 'minimal', 'LOW'],
    ['gemini-3-pro-preview', 'medium', 'HIGH'],
    ['gemini-3.1-pro-preview', 'medium', 'MEDIUM'],
    ['gemini-3.1-pro-preview', 'xhigh', 'HIGH'],
  ])('%s is told an effort of %s as the level %s', (model, effort, thinkingLevel) => {
    const written = fromChat({ reasoning_effort: effort }, model);
    expect(configOf(written)['thinkingConfig']).toEqual({ thinkingLevel, includeThoughts: true });
  });

  test.each([
    ['gemini-3-flash-preview', { thinkingLevel: 'MINIMAL' }],
    [newest, { thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', { thinkingLevel: 'LOW' }],
    ['gemini-2.5-flash', { thinkingBudget: 0 }],
    ['gemini-2.5-pro', { thinkingBudget: 128 }],
  ])('%s is told not to think as far as it can', (model, thinkingConfig) => {
    expect(configOf(fromChat({ reasoning_effort: 'none' }, model))['thinkingConfig']).toEqual(thinkingConfig);
    const thinking = { type: 'disabled' };
    expect(configOf(fromMessages({ thinking }, model))['thinkingConfig']).toEqual(thinkingConfig);
  });

  test.each([
    ['gemini-2.5-flash', 5000, 5000],
    ['gemini-2.5-flash', 30_000, 24_576],
    ['gemini-2.5-flash-lite', 100, 512],
    ['gemini-2.5-pro', 1, 128],
    ['gemini-2.5-pro', 50_000, 32_768],
    ['gemini-flash-latest', 5000, 5000],
  ])('%s is told a budget of %d as %d', (model, budget_tokens, thinkingBudget) => {
    const written = fromMessages({ max_tokens: 90_000, thinking: { type: 'enabled', budget_tokens } }, model);
    expect(configOf(written)['thinkingConfig']).toEqual({ thinkingBudget, includeThoughts: true });
  });

  test('a budget that stands for an effort leaves half of the bound to the answer', () => {
    const told = (fields: object, model: string) =>
      configOf(fromChat({ reasoning_effort: 'high', ...fields }, model))['thinkingConfig'];
    expect(told({ max_tokens: 1000 }, 'gemini-2.5-flash')).toMatchObject({ thinkingBudget: 500 });
    expect(told({ max_tokens: 100 }, 'gemini-2.5-pro')).toMatchObject({ thinkingBudget: 128 });
    const named = fromMessages(
      { max_tokens: 1000, thinking: { type: 'enabled', budget_tokens: 999 } },
      'gemini-2.5-flash',
    );
    expect(configOf(named)['thinkingConfig']).toMatchObject({ thinkingBudget: 999 });
  });

  test('a budget becomes a level, and thinking without a bound is left to the model', () => {
    const enabled = (budget_tokens: number) =>
      configOf(fromMessages({ thinking: { type: 'enabled', budget_tokens } }, newest))['thinkingConfig'];
    expect(enabled(4096)).toEqual({ thinkingLevel: 'LOW', includeThoughts: true });
    expect(enabled(4097)).toEqual({ thinkingLevel: 'MEDIUM', includeThoughts: true });
    expect(enabled(20_000)).toEqual({ thinkingLevel: 'HIGH', includeThoughts: true });
    const thinking = { type: 'adaptive' };
    expect(configOf(fromMessages({ thinking }, newest))['thinkingConfig']).toEqual({ includeThoughts: true });
    expect(configOf(fromMessages({ thinking }))['thinkingConfig']).toEqual({
      thinkingBudget: -1,
      includeThoughts: true,
    });
  });

  test('models that cannot think are not told', () => {
    const effort = { reasoning_effort: 'high' };
    expect(fromChat(effort, 'gemini-2.0-flash')).not.toHaveProperty('generationConfig');
    expect(fromChat(effort, 'gemini-2.5-flash-image')).not.toHaveProperty('generationConfig');
    expect(fromChat(effort, 'gemma-3-27b-it')).not.toHaveProperty('generationConfig');
    expect(fromChat(effort, newest, { reasons: false })).not.toHaveProperty('generationConfig');
  });
});

describe('sampling', () => {
  test('everything has its place; penalties only where the model takes them', () => {
    const sampling = {
      temperature: 1.5,
      top_p: 0.5,
      top_k: 40,
      seed: 7,
      presence_penalty: 0.25,
      frequency_penalty: 0.5,
      stop: ['a', 'b'],
      max_tokens: 99,
    };
    const common = { temperature: 1.5, topP: 0.5, topK: 40, seed: 7, stopSequences: ['a', 'b'] };
    expect(configOf(fromChat(sampling))).toEqual({ ...common, maxOutputTokens: 99 });
    expect(configOf(fromChat(sampling, 'gemini-2.0-flash'))).toEqual({
      ...common,
      maxOutputTokens: 99,
      presencePenalty: 0.25,
      frequencyPenalty: 0.5,
    });
  });

  test.each([
    ['gemini-2.0-flash', 2, { responseLogprobs: true, logprobs: 2 }],
    ['gemini-2.0-flash', 0, { responseLogprobs: true }],
    ['gemini-2.5-pro', 2, undefined],
    ['gemini-3.5-flash', 2, undefined],
    ['another-model', 2, undefined],
  ])('%s is asked for logprobs of %p alternatives: %j', (id, top_logprobs, config) => {
    const turn = readChatTurn({ messages: [{ role: 'user', content: 'hi' }], logprobs: true, top_logprobs });
    expect(JSON.parse(writeGoogleTurn(turn, { id }))['generationConfig']).toEqual(config);
  });

  test('a seed of more than 32 bits is folded, the same way each time', () => {
    const seed = configOf(fromChat({ seed: 2 ** 40 + 5 }))['seed'];
    expect(seed).toBe(5);
  });

  test('five stop sequences go to the model; with a sixth, several answers are refused', () => {
    const six = { stop: ['1', '2', '3', '4', '5', '6'] };
    expect(configOf(fromChat(six))['stopSequences']).toEqual(['1', '2', '3', '4', '5']);
    expect(() => fromChat({ ...six, n: 2 })).toThrow(AppError);
    expect(() => fromChat({ ...six, n: 2 })).toThrow('more than 5 stop sequences');
  });
});

describe('tools', () => {
  const tool = (name: string, strict?: boolean) => ({
    type: 'function',
    function: { name, description: 'd', parameters: { properties: { at: { const: 1 } } }, strict },
  });

  test('schemas go as JSON Schema, and say that arguments are an object', () => {
    expect(fromChat({ tools: [tool('look')] })['tools']).toEqual([
      {
        functionDeclarations: [
          {
            name: 'look',
            description: 'd',
            parametersJsonSchema: { type: 'object', properties: { at: { const: 1 } } },
          },
        ],
      },
    ]);
  });

  test('tools of the vendor go alone; functions beside them and tools of others are refused', () => {
    const own = { type: 'googleSearch', googleSearch: { timeRangeFilter: {} } };
    expect(fromChat({ tools: [own, { type: 'codeExecution' }] })['tools']).toEqual([
      { googleSearch: { timeRangeFilter: {} } },
      { codeExecution: {} },
    ]);
    expect(() => fromChat({ tools: [tool('look'), own] })).toThrow('functions beside tools that Google runs');
    expect(() => fromChat({ tools: [{ type: 'file_search' }] })).toThrow('the tool type file_search');
  });

  const allowed = (mode: string, ...names: readonly string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
  });
  test.each<[unknown, object | undefined]>([
    ['auto', undefined],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'a' } },
      { mode: 'ANY', allowedFunctionNames: ['a'] },
    ],
    [allowed('required', 'a', 'b'), { mode: 'ANY', allowedFunctionNames: ['a', 'b'] }],
    [allowed('auto', 'a'), { mode: 'VALIDATED', allowedFunctionNames: ['a'] }],
  ])('the choice %j is %j', (choice, functionCallingConfig) => {
    const written = fromChat({ tools: [tool('a'), tool('b'), tool('c')], tool_choice: choice });
    expect(asObject(written['toolConfig'])?.['functionCallingConfig']).toEqual(functionCallingConfig);
  });

  test('a strict tool holds the model to the schemas', () => {
    expect(fromChat({ tools: [tool('a', true)] })['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'VALIDATED' },
    });
  });

  test('a choice without tools is left out', () => {
    expect(fromChat({ tool_choice: 'required' })).not.toHaveProperty('toolConfig');
  });
});

describe('calls of another model', () => {
  const called = (id: string) => ({
    role: 'assistant',
    tool_calls: [
      { id: `${id}1`, type: 'function', function: { name: 'look', arguments: '{}' } },
      { id: `${id}2`, type: 'function', function: { name: 'look', arguments: '{}' } },
    ],
  });
  const answered = (id: string) => [
    { role: 'tool', tool_call_id: `${id}1`, content: 'x' },
    { role: 'tool', tool_call_id: `${id}2`, content: 'y' },
  ];
  const foreign = 'skip_thought_signature_validator';
  const spoken = { role: 'assistant', content: 'done' };
  const messages = [
    ...[user, called('a'), ...answered('a'), spoken],
    ...[user, called('b'), ...answered('b'), called('c')],
  ];
  const signatures = (model: string, conversation: readonly object[] = messages) =>
    partsOf(fromChat({ messages: conversation }, model))
      .filter((part) => part['functionCall'] !== undefined)
      .map((part) => part['thoughtSignature']);

  test.each(['gemini-3-flash-preview', 'gemini-pro-latest'])(
    'go to %s with the vendor’s word for that, on the first call of each step of the current turn',
    (model) => {
      expect(signatures(model)).toEqual([undefined, undefined, foreign, undefined, foreign, undefined]);
    },
  );

  test('a question that comes together with results does not begin a turn', () => {
    const conversation = [user, called('a'), ...answered('a'), user, called('b')];
    expect(signatures('gemini-3-flash-preview', conversation)).toEqual([
      foreign,
      undefined,
      foreign,
      undefined,
    ]);
  });

  test('go as they are to models that do not ask', () => {
    expect(signatures('gemini-2.5-pro').every((signature) => signature === undefined)).toBe(true);
  });
});

describe('what the user says', () => {
  test('instructions of all places go to the head', () => {
    const messages = [{ role: 'system', content: 'a' }, user, { role: 'system', content: 'b' }, user];
    const written = fromChat({ messages });
    expect(written['systemInstruction']).toEqual({ parts: [{ text: 'a' }, { text: 'b' }] });
    expect(written['contents']).toEqual([{ role: 'user', parts: [{ text: 'hi' }, { text: 'hi' }] }]);
  });

  test('instructions alone become what the user says; nothing at all is refused', () => {
    expect(fromChat({ messages: [{ role: 'system', content: 'a' }] })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
    });
    expect(() => fromChat({ messages: [] })).toThrow('they hold nothing to answer');
  });

  test('documents tell their title and context', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'cGRm' };
    const content = [
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 'log' },
      { type: 'document', source: pdf, title: 'map', context: 'of the harbour' },
    ];
    expect(partsOf(fromMessages({ messages: [{ role: 'user', content }] }))).toEqual([
      { text: '<document title="log">\nwords\n</document>' },
      { text: 'The next part is the document title="map" context="of the harbour".' },
      { inlineData: { mimeType: 'application/pdf', data: 'cGRm' } },
    ]);
  });

  const withPicture = [
    user,
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'shoot', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 't',
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
            { type: 'text', text: 'two' },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          ],
        },
        { type: 'text', text: 'well?' },
      ],
    },
  ];
  const bytes = { inlineData: { mimeType: 'image/png', data: 'aW1n' } };
  const link = { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } };
  const result = { id: 't', name: 'shoot', response: { result: 'one\ntwo' } };
  const attachment = { text: 'Attached to the result of shoot:' };

  test('pictures of a result stay in it where the model takes them, as bytes', () => {
    expect(partsOf(fromMessages({ messages: withPicture }, 'gemini-3-flash-preview')).slice(2)).toEqual([
      { functionResponse: { ...result, parts: [bytes] } },
      attachment,
      link,
      { text: 'well?' },
    ]);
  });

  test('with older models they go behind it', () => {
    expect(partsOf(fromMessages({ messages: withPicture })).slice(2)).toEqual([
      { functionResponse: result },
      attachment,
      bytes,
      link,
      { text: 'well?' },
    ]);
  });

  test('an id that is used once more means the call before it', () => {
    const turn = (name: string) => [
      { role: 'assistant', tool_calls: [{ id: '1', type: 'function', function: { name, arguments: '' } }] },
      { role: 'tool', tool_call_id: '1', content: name },
    ];
    const written = fromChat({ messages: [user, ...turn('first'), ...turn('second')] });
    const names = partsOf(written).flatMap((part) => asObject(part['functionResponse'])?.['name'] ?? []);
    expect(names).toEqual(['first', 'second']);
  });

  test('files of other vendors are refused', () => {
    const content = [{ type: 'file', file: { file_id: 'file-1' } }];
    expect(() => fromChat({ messages: [{ role: 'user', content }] })).toThrow('another vendor');
  });
});

describe('a format beside tools', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const json_schema = { name: 'n', schema };
  const tools = [{ type: 'function', function: { name: 'look' } }];

  test.each([
    ['gemini-3-flash-preview', true],
    ['gemini-2.5-flash', false],
    ['gemini-2.0-flash', false],
  ])('goes to %s as a format: %p; older models are told in words', (model, isFormat) => {
    for (const response_format of [{ type: 'json_schema', json_schema }, { type: 'json_object' }]) {
      const written = fromChat({ tools, response_format }, model);
      expect(configOf(written)['responseMimeType']).toBe(isFormat ? 'application/json' : undefined);
      expect(JSON.stringify(written['systemInstruction'] ?? '').includes('one JSON object')).toBe(!isFormat);
      const alone = fromChat({ response_format }, model);
      expect(configOf(alone)['responseMimeType']).toBe('application/json');
    }
  });
});
