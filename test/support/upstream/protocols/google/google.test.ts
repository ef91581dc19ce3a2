/** The double as a Gemini host: what it answers, whole and streamed, and what it refuses. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { faultNames, startUpstream, type Upstream } from '../../index.ts';
import { isObject, parseJson, readList, readObject, readText } from '../../json.ts';

let upstream: Upstream;

beforeEach(() => {
  upstream = startUpstream();
});
afterEach(() => upstream.stop());

const user = (text: string) => ({ role: 'user', parts: [{ text }] });
const ask = { contents: [user('Hello')] };
const tide = {
  name: 'tide',
  parameters: { type: 'OBJECT', properties: { harbour: { type: 'STRING' } }, required: ['harbour'] },
};
const tools = [{ functionDeclarations: [tide] }];
const model = 'gemini-3-double';

function post(verb: string, body: object, name = model): Promise<Response> {
  const base = upstream.url.replace(/\/v1$/, '/v1beta');
  return fetch(`${base}/models/${name}:${verb}`, { method: 'POST', body: JSON.stringify(body) });
}

async function whole(body: object, name = model): Promise<unknown> {
  return (await post('generateContent', body, name)).json();
}

async function chunksOf(body: object, name = model): Promise<unknown[]> {
  const text = await (await post('streamGenerateContent?alt=sse', body, name)).text();
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => parseJson(event.slice('data: '.length)));
}

const candidateOf = (answer: unknown): unknown => readList(answer, 'candidates')[0];
const partsOf = (answer: unknown): readonly unknown[] =>
  readList(readObject(candidateOf(answer), 'content'), 'parts');

/** Text put together part by part, and everything else as it came. */
function joined(parts: readonly unknown[]): unknown {
  const texts = (isThought: boolean) =>
    parts
      .filter((part) => isObject(part) && (part['thought'] === true) === isThought)
      .map((part) => readText(part, 'text') ?? '')
      .join('');
  const calls = parts.map((part) => readObject(part, 'functionCall')).filter((call) => 'name' in call);
  const signatures = parts.map((part) => readText(part, 'thoughtSignature')).filter(Boolean);
  return {
    thoughts: texts(true),
    text: texts(false),
    calls: calls.map(({ name, args }) => [name, args]),
    signatures,
  };
}

describe('a made-up answer', () => {
  const thinking = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

  test.each([
    ['text', { nonAscii: true, tokens: 12, promptTokens: 50, cachedTokens: 20 }, {}],
    ['shown thoughts', { showReasoning: true, reasoningTokens: 4, text: 'Yes, it is.' }, thinking],
    ['hidden thoughts', { showReasoning: true, reasoningTokens: 4, text: 'Yes, it is.' }, {}],
    ['calls', { toolCalls: 2 }, { tools }],
    ['a refusal', { refusal: 'That is not for us.' }, {}],
    ['a limit', {}, { generationConfig: { maxOutputTokens: 5 } }],
    ['a stop sequence', { text: 'One two three' }, { generationConfig: { stopSequences: ['three'] } }],
  ])('with %s is the same whole and streamed', async (_name, generate, fields) => {
    upstream.byDefault({ generate });
    const body = { ...ask, ...fields };
    const answer = await whole(body);
    const told = { ...upstream.counts };
    const chunks = await chunksOf(body);
    expect(joined(chunks.flatMap(partsOf))).toEqual(joined(partsOf(answer)));
    expect(readText(candidateOf(chunks.at(-1)), 'finishReason')).toBe(
      readText(candidateOf(answer), 'finishReason') ?? '',
    );
    expect(readObject(chunks.at(-1), 'usageMetadata')).toEqual(readObject(answer, 'usageMetadata'));
    expect(upstream.counts).toMatchObject({
      promptTokens: 2 * told.promptTokens,
      completionTokens: 2 * told.completionTokens,
      contentTokens: 2 * told.contentTokens,
    });
  });

  test('counts thoughts beside the candidates, and the cache inside the prompt', async () => {
    upstream.enqueue({ generate: { promptTokens: 50, cachedTokens: 20, tokens: 9, reasoningTokens: 4 } });
    expect(readObject(await whole(ask), 'usageMetadata')).toMatchObject({
      promptTokenCount: 50,
      cachedContentTokenCount: 20,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 4,
      totalTokenCount: 59,
    });
    expect(upstream.counts).toMatchObject({ promptTokens: 50, cachedTokens: 20, completionTokens: 9 });
  });

  test('shows thoughts only to who asked for them', async () => {
    upstream.byDefault({ generate: { showReasoning: true, reasoningTokens: 2, text: 'Yes.' } });
    expect(joined(partsOf(await whole(ask)))).toMatchObject({ thoughts: '', text: 'Yes.' });
    expect(joined(partsOf(await whole({ ...ask, ...thinking })))).toMatchObject({ thoughts: 'calm rivers' });
  });

  test('is one list when no events are asked for', async () => {
    upstream.enqueue({ generate: { text: 'One two' } });
    const list = await (await post('streamGenerateContent', ask)).json();
    expect(joined(list.flatMap(partsOf))).toMatchObject({ text: 'One two' });
  });

  test('obeys the mode of its functions and a schema', async () => {
    const only = (mode: string) => ({ functionCallingConfig: { mode, allowedFunctionNames: ['tide'] } });
    const called = await whole({ ...ask, tools, toolConfig: only('ANY') });
    expect(joined(partsOf(called))).toMatchObject({ calls: [['tide', { harbour: 'sample' }]] });
    const generationConfig = { responseMimeType: 'application/json', responseSchema: tide.parameters };
    expect(joined(partsOf(await whole({ ...ask, generationConfig })))).toMatchObject({
      text: '{"harbour":"sample"}',
    });
  });
});

describe('a second turn', () => {
  const response = (name: string) => ({ functionResponse: { name, response: { result: 'high' } } });
  const next = (content: unknown, name = model) =>
    post(
      'generateContent',
      { tools, contents: [user('Hi'), content, { role: 'user', parts: [response('tide')] }] },
      name,
    );

  async function firstTurn(name = model): Promise<unknown> {
    upstream.enqueue({ generate: { toolCalls: 1, reasoningTokens: 3 } });
    return readObject(candidateOf(await whole({ ...ask, tools }, name)), 'content');
  }

  const withSignature = (content: unknown, thoughtSignature: unknown) => ({
    role: 'model',
    parts: readList(content, 'parts').map((part) => ({ ...Object(part), thoughtSignature })),
  });

  test('takes its signature back', async () => {
    expect((await next(await firstTurn())).status).toBe(200);
  });

  test.each([
    ['is missing', undefined, 400],
    ['was changed', 'ZG91YmxlCg==', 400],
    ['is the one that stands in for none', 'skip_thought_signature_validator', 200],
  ])('whose signature %s', async (_name, signature, status) => {
    const response = await next(withSignature(await firstTurn(), signature));
    expect(response.status).toBe(status);
  });

  test('of an older model needs no signature, but no wrong one either', async () => {
    const older = 'gemini-2.5-double';
    const first = await firstTurn(older);
    expect((await next(withSignature(first, undefined), older)).status).toBe(200);
    expect((await next(withSignature(first, 'ZG91YmxlCg=='), older)).status).toBe(400);
  });
});

describe('it refuses', () => {
  const call = { functionCall: { name: 'tide', args: {} } };
  const response = { functionResponse: { name: 'tide', response: {} } };
  const modelSays = (part: object) => ({ role: 'model', parts: [part] });
  const userSays = (part: object) => ({ role: 'user', parts: [part] });

  test.each([
    ['no contents', { contents: [] }],
    ['a role of another protocol', { contents: [{ ...user('Hi'), role: 'assistant' }] }],
    ['an unknown field', { max_tokens: 5 }],
    ['an unknown field of a part', { contents: [userSays({ text: 'Hi', type: 'text' })] }],
    [
      'a keyword of JSON Schema that it does not know',
      {
        tools: [
          {
            functionDeclarations: [{ ...tide, parameters: { type: 'OBJECT', additionalProperties: false } }],
          },
        ],
      },
    ],
    ['an empty text', { contents: [user('')] }],
    ['no parts', { contents: [{ role: 'user', parts: [] }] }],
    [
      'an image as a data URL',
      { contents: [userSays({ inlineData: { mimeType: 'image/png', data: 'data:,' } })] },
    ],
    ['a call without a response', { contents: [user('Hi'), modelSays(call), user('And?')] }],
    ['a response without a call', { contents: [user('Hi'), userSays(response)] }],
    [
      'a response of another function',
      {
        contents: [
          user('Hi'),
          modelSays(call),
          userSays({ functionResponse: { name: 'call_1', response: {} } }),
        ],
      },
    ],
    [
      'a response as text',
      {
        contents: [
          user('Hi'),
          modelSays(call),
          userSays({ functionResponse: { name: 'tide', response: 'high' } }),
        ],
      },
    ],
    [
      'names without the mode for them',
      { tools, toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['tide'] } } },
    ],
    ['a schema for prose', { generationConfig: { responseSchema: tide.parameters } }],
    [
      'a budget and a level',
      { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
    ],
  ])('%s', async (_name, fields) => {
    const response = await post('generateContent', { ...ask, ...fields }, 'gemini-2.5-double');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
  });
});

describe('beside generating', () => {
  test('it counts the tokens of contents, and of a whole request', async () => {
    upstream.byDefault({ generate: { promptTokens: 21 } });
    const generateContentRequest = { ...ask, model: `models/${model}`, tools };
    for (const body of [ask, { generateContentRequest }]) {
      expect(await (await post('countTokens', body)).json()).toMatchObject({ totalTokens: 21 });
    }
    expect((await post('countTokens', { ...ask, tools })).status).toBe(400);
    expect((await post('countTokens', { generateContentRequest: ask })).status).toBe(400);
  });

  test('it embeds contents of as many dimensions as asked for', async () => {
    const request = (text: string) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      outputDimensionality: 4,
    });
    const { embeddings } = await (
      await post('batchEmbedContents', { requests: ['a', 'b', 'a'].map(request) })
    ).json();
    expect(embeddings[0].values).toHaveLength(4);
    expect(embeddings[2]).toEqual(embeddings[0]);
    expect(embeddings[1]).not.toEqual(embeddings[0]);
    for (const requests of [[], [{ ...request('a'), model }], [request('')]]) {
      expect((await post('batchEmbedContents', { requests })).status).toBe(400);
    }
  });
});

describe('faults', () => {
  const refusals = faultNames.filter((name) => /^(status_|rate_limited|content_|context_|wrong_)/.test(name));

  test.each(refusals)('%s is an error with its status', async (fault) => {
    upstream.enqueue({ fault });
    const response = await post('generateContent', ask);
    expect(response.ok).toBe(false);
    expect(await response.json()).toMatchObject({ error: { code: response.status } });
  });

  test('too many requests come with a time to wait in the body', async () => {
    upstream.enqueue({ fault: 'rate_limited' });
    const { error } = await (await post('generateContent', ask)).json();
    expect(error).toMatchObject({ status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '7.5s' }] });
  });

  test('a stream breaks, ends early, or tells an error', async () => {
    upstream.enqueue({ fault: 'malformed_chunk' }, { fault: 'truncated_stream' }, { fault: 'in_band_error' });
    expect(await chunksOf(ask)).toContain(undefined);
    const cut = await chunksOf(ask);
    expect(cut.some((chunk) => readText(candidateOf(chunk), 'finishReason') !== undefined)).toBe(false);
    expect((await chunksOf(ask)).at(-1)).toMatchObject({ error: { code: 500, status: 'INTERNAL' } });
    upstream.enqueue({ fault: 'reset_mid_stream' });
    await expect(chunksOf(ask)).rejects.toThrow();
  });
});

test('a recording is replayed, and its counts are read', async () => {
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 3 };
  const chunk = JSON.stringify({ candidates: [{ content: { parts: [{ text: 'Hi' }] } }], usageMetadata });
  upstream.byDefault({ replay: { name: 'short', whole: chunk, events: [`data: ${chunk}`] } });
  expect(joined(partsOf(await whole(ask)))).toMatchObject({ text: 'Hi' });
  expect(await chunksOf(ask)).toHaveLength(1);
  expect(upstream.counts).toMatchObject({ promptTokens: 18, completionTokens: 14, contentTokens: 2 });
});
