/** POST /v1/embeddings over real sockets: what clients ask, what upstreams of several kinds get, and what it costs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { countTexts } from '../../src/protocols/token-count/count-texts.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';
import { unitEndpointCases } from '../support/unit-endpoint.cases.ts';
import type { FaultName } from '../support/upstream/index.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

const path = '/v1/embeddings';
const tokens = { poor: newToken(), locked: newToken(), limited: newToken() };
const password = 'a long enough password';

/** 0.0130005 USD per million: no multiple of a nano-USD a token, so that rounding shows. */
const costOf = (inputTokens: number): bigint => (BigInt(inputTokens) * 13_000_500n + 500_000n) / 1_000_000n;

const embeddingModel = (id: string, ...providers: readonly string[]) => ({
  id,
  type: 'embedding',
  owned_by: 'doubles',
  prices: { input: '0.0130005' },
  providers: providers.map((provider) => ({ provider, upstream_id: `${id}-at-${provider}` })),
});

const file = (urls: { upstream: string; cohere: string; odd: string }) => ({
  users: [
    { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
    { email: 'poor@example.test', password, role: 'member' },
  ],
  providers: [
    usualProvider(urls.upstream),
    { ...usualProvider(urls.cohere), name: 'cohere', kind: 'cohere' },
    { ...usualProvider(urls.odd), name: 'odd' },
  ],
  models: [
    usualModel,
    { ...embeddingModel('embed', 'main'), aliases: ['vectors'] },
    embeddingModel('embed-cohere', 'cohere'),
    embeddingModel('embed-odd', 'odd'),
    embeddingModel('main-then-cohere', 'main', 'cohere'),
    embeddingModel('cohere-then-main', 'cohere', 'main'),
    embeddingModel('odd-then-main', 'odd', 'main'),
    { ...embeddingModel('free', 'main'), prices: { input: 0 } },
    { ...embeddingModel('unpriced', 'main'), prices: undefined },
  ],
  keys: [
    { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
    { name: 'locked', owner, token: tokens.locked, allowed_models: ['free'] },
    { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1, tokens_per_minute: 5000 },
  ],
});

/** Its vectors hold the number in a text, so that a vector at the wrong place shows. */
const numberIn = (text: unknown): number => Number(/\d+/.exec(String(text))?.[0] ?? 0);

/** Cohere, second version: no more than 96 texts, vectors by their type, tokens in the meta. */
function answerAsCohere(body: Record<string, unknown>): Response {
  const { texts, embedding_types: types } = body;
  if (!Array.isArray(texts) || texts.length > 96) {
    return Response.json({ message: 'At most 96 texts fit in here.' }, { status: 400 });
  }
  const vectors = texts.map((text) => [numberIn(text), 0.5]);
  const isBase64 = Array.isArray(types) && types.includes('base64');
  return Response.json({
    id: 'e-1',
    embeddings: isBase64
      ? { base64: vectors.map((vector) => Buffer.from(Float32Array.from(vector).buffer).toString('base64')) }
      : { float: vectors },
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: texts.length * 3 } },
  });
}

/** OpenAI's form, as somebody writes it who takes liberties with it. */
function answerAsOpenai(
  body: Record<string, unknown>,
  change: (data: object[]) => object[] = (data) => data,
): Response {
  const inputs = Array.isArray(body['input']) ? body['input'] : [];
  const data = inputs.map((input, index) => ({
    object: 'embedding',
    index,
    embedding: [numberIn(input), 0.5],
  }));
  const usage = { prompt_tokens: 1000, total_tokens: 1000 };
  return Response.json({ object: 'list', data: change(data), model: 'm', usage });
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

describe('embeddings', () => {
  let sluice: TestSluice;
  let cohere: Vendor;
  let odd: Vendor;

  beforeAll(async () => {
    cohere = serveVendor();
    odd = serveVendor();
    sluice = await startTestSluice({
      file: (upstream) => file({ upstream, cohere: cohere.url, odd: odd.url }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    cohere.stop();
    odd.stop();
  });
  beforeEach(() => {
    sluice.upstream.forget();
    for (const vendor of [cohere, odd]) vendor.requests.length = 0;
    cohere.answer = answerAsCohere;
    odd.answer = (body) => answerAsOpenai(body);
  });

  const post = (body: unknown, headers?: Record<string, string>) => sluice.post(path, body, headers);

  async function recordOf({ headers }: Response) {
    const records = await sluice.usage();
    const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
    if (record === undefined) throw new Error('the request was not recorded');
    return record;
  }

  /** What the upstream itself answers. */
  async function vectorsOf(input: unknown, fields: object = {}): Promise<number[][]> {
    const response = await fetch(`${sluice.upstream.url}/embeddings`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', input, ...fields }),
    });
    const { data } = await response.json();
    return data.map(({ embedding }: { embedding: number[] }) => embedding);
  }

  async function refusal(body: OpenAI.EmbeddingCreateParams, apiKey = sluice.token): Promise<APIError> {
    try {
      await sluice.client({ apiKey }).embeddings.create(body);
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error('it was answered');
  }

  describe('the official client', () => {
    test('asks for base64 unless told otherwise, and decodes the very vectors of the upstream', async () => {
      const input = ['the river', 'the mill', 'Fährmann 渡し守'];
      const answer = await sluice.client().embeddings.create({ model: 'embed', input });
      const [received] = sluice.upstream.requests;
      expect(received?.body).toEqual({ model: 'embed-at-main', input, encoding_format: 'base64' });
      expect(received?.headers['authorization']).toBe('Bearer upstream-secret');
      expect(answer.data.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(answer.data.map(({ embedding }) => [...embedding])).toEqual(await vectorsOf(input));
    });

    test('gets base64 also of an upstream that answers in numbers', async () => {
      const answer = await sluice.client().embeddings.create({ model: 'embed-odd', input: numbered(3) });
      expect(odd.bodies[0]).toMatchObject({ encoding_format: 'base64' });
      expect(answer.data.map(({ embedding }) => [...embedding])).toEqual([
        [0, 0.5],
        [1, 0.5],
        [2, 0.5],
      ]);
    });

    test('gets numbers when it asks for them', async () => {
      const answer = await sluice
        .client()
        .embeddings.create({ model: 'embed', input: 'the river', encoding_format: 'float' });
      expect(answer.data[0]?.embedding).toEqual((await vectorsOf('the river'))[0] ?? []);
    });

    test('chooses the number of dimensions, and passes its user on', async () => {
      const answer = await sluice
        .client()
        .embeddings.create({ model: 'embed', input: 'the river', dimensions: 3, user: 'u-7' });
      expect(answer.data[0]?.embedding).toHaveLength(3);
      expect(sluice.upstream.requests[0]?.body).toMatchObject({ dimensions: 3, user: 'u-7' });
    });
  });

  test('the shape of answers, with numbers unless base64 is asked for', async () => {
    const response = await post({ model: 'vectors', input: ['one', 'two'] });
    const answer = await response.json();
    const [first, second] = await vectorsOf(['one', 'two']);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(answer).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: first },
        { object: 'embedding', index: 1, embedding: second },
      ],
      model: 'vectors',
      usage: { prompt_tokens: 2, total_tokens: 2 },
    });
  });

  test('base64 holds little-endian floats of 32 bits', async () => {
    const { data } = await (await post({ model: 'embed', input: 'one', encoding_format: 'base64' })).json();
    const bytes = Buffer.from(data[0].embedding, 'base64');
    const numbers = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
    expect(numbers).toEqual((await vectorsOf('one'))[0] ?? []);
  });

  test.each([
    ['a string', 'one river', ['one river']],
    ['strings', ['one', 'two'], ['one', 'two']],
    ['the ids of tokens', [1, 2, 3], [[1, 2, 3]]],
    [
      'several lists of ids',
      [
        [1, 2],
        [3, 4, 5],
      ],
      [
        [1, 2],
        [3, 4, 5],
      ],
    ],
  ])('the input may be %s', async (_name, input, sent) => {
    const response = await post({ model: 'embed', input });
    expect(response.status).toBe(200);
    expect((await response.json()).data).toHaveLength(sent.length);
    expect(sluice.upstream.requests[0]?.body).toEqual({ model: 'embed-at-main', input: sent });
  });

  test('vectors stand in the order of the inputs, in whatever order the upstream sends them', async () => {
    odd.answer = (body) => answerAsOpenai(body, (data) => data.toReversed());
    const { data } = await (await post({ model: 'embed-odd', input: numbered(50) })).json();
    expect(data).toEqual(
      Array.from({ length: 50 }, (_, index) => ({ object: 'embedding', index, embedding: [index, 0.5] })),
    );
  });

  describe('the bound of 2,048 tokens for each input', () => {
    /** Each word is one token. */
    const words = (count: number) => `river${' river'.repeat(count - 1)}`;
    const ids = (count: number) => Array.from({ length: count }, (_, index) => index);

    test.each([
      ['words', [words(2048)]],
      ['token ids', [ids(2048)]],
      ['bytes that nobody needs to count', ['🚤'.repeat(512)]],
      ['inputs', numbered(2048)],
    ])('holds 2,048 %s', async (_name, input) => {
      expect((await post({ model: 'embed', input })).status).toBe(200);
    });

    test.each([
      [words(2049), 'input', ['input']],
      [ids(2049), 'input', ['input']],
      [['short', words(2048), words(2049), words(3000)], 'input[2]', ['input', 2]],
      [[ids(1), ids(2049)], 'input[1]', ['input', 1]],
      [['short', words(100_000)], 'input[1]', ['input', 1]],
    ])('refuses more with 422 and names the input (case %#)', async (input, param, loc) => {
      const response = await post({ model: 'embed', input });
      expect(response.status).toBe(422);
      const { error, detail } = await response.json();
      expect(error).toMatchObject({ code: 'validation_failed', param, fields: [{ loc }] });
      expect(detail).toBe(error.message);
      expect(detail).toContain('2048 tokens');
      expect(sluice.upstream.counts.requests).toBe(0);
    });
  });

  describe('more inputs than the upstream takes at once', () => {
    test('are asked for in several calls and answered as one, with the sum of their tokens', async () => {
      const response = await post({ model: 'embed-cohere', input: numbered(200) });
      const { data, usage } = await response.json();
      expect(cohere.bodies.map(({ texts }) => (Array.isArray(texts) ? texts.length : 0))).toEqual([
        96, 96, 8,
      ]);
      expect(data).toEqual(
        Array.from({ length: 200 }, (_, index) => ({ object: 'embedding', index, embedding: [index, 0.5] })),
      );
      expect(usage).toEqual({ prompt_tokens: 600, total_tokens: 600 });
      expect(await recordOf(response)).toMatchObject({
        provider: 'cohere',
        upstreamModel: 'embed-cohere-at-cohere',
        attempts: 1,
        inputTokens: 600,
        outputTokens: 0,
        estimated: false,
        costNanoUsd: costOf(600),
      });
    });

    test('go elsewhere together when one call fails again and again, and only the answer is paid for', async () => {
      cohere.answer = (body, call) => (call >= 2 ? new Response('', { status: 500 }) : answerAsCohere(body));
      const response = await post({ model: 'cohere-then-main', input: numbered(200) });
      expect(response.headers.get('x-sluice-provider')).toBe('main');
      expect(cohere.bodies).toHaveLength(4);
      expect((await response.json()).data).toHaveLength(200);
      const { inputTokens, costNanoUsd, attempts } = await recordOf(response);
      expect({ inputTokens, costNanoUsd, attempts }).toEqual({
        inputTokens: sluice.upstream.counts.promptTokens,
        costNanoUsd: costOf(sluice.upstream.counts.promptTokens),
        attempts: 2,
      });
    });
  });

  describe('Cohere, as another kind of upstream', () => {
    test('gets texts in its own words, and the client base64 as it came', async () => {
      const answer = await sluice.client().embeddings.create({ model: 'embed-cohere', input: numbered(2) });
      expect(answer.data.map(({ embedding }) => [...embedding])).toEqual([
        [0, 0.5],
        [1, 0.5],
      ]);
      expect(cohere.bodies).toEqual([
        {
          model: 'embed-cohere-at-cohere',
          texts: ['text 0', 'text 1'],
          input_type: 'search_document',
          embedding_types: ['base64'],
        },
      ]);
    });

    test('is told that the input is a query', async () => {
      await post({ model: 'embed-cohere', input: 'where to?', input_type: 'query', dimensions: 2 });
      expect(cohere.bodies[0]).toMatchObject({ input_type: 'search_query', output_dimension: 2 });
    });

    test('cannot take the ids of tokens: the next provider does, and 400 says so when there is none', async () => {
      const response = await post({ model: 'cohere-then-main', input: [1, 2, 3] });
      expect(response.headers.get('x-sluice-provider')).toBe('main');
      const alone = await post({ model: 'embed-cohere', input: [1, 2, 3] });
      expect(alone.status).toBe(400);
      expect((await alone.json()).error).toMatchObject({ code: 'invalid_parameter', param: 'input' });
      expect(cohere.bodies).toHaveLength(0);
      expect(await recordOf(alone)).toMatchObject({ outcome: 'refused', chargedNanoUsd: 0n });
    });
  });

  describe('an upstream that fails', () => {
    const faults: readonly [FaultName, number, string][] = [
      ['reset_before_headers', 502, 'upstream_unreachable'],
      ['truncated_stream', 502, 'upstream_unreachable'],
      ['malformed_chunk', 502, 'upstream_invalid_answer'],
      ['error_in_200', 502, 'upstream_failed'],
      ['html_answer', 502, 'upstream_failed'],
      ['empty_body', 502, 'upstream_invalid_answer'],
      ['rate_limited', 503, 'upstream_rate_limited'],
      ['status_401', 502, 'upstream_rejected_credentials'],
      ['status_500', 502, 'upstream_failed'],
      ['status_503', 503, 'upstream_overloaded'],
      ['wrong_model', 502, 'upstream_model_unavailable'],
    ];

    test.each(faults)('by %s is told as %d %s, free of charge', async (fault, status, code) => {
      sluice.upstream.byDefault({ fault });
      const response = await post({ model: 'embed', input: 'one' });
      const text = await response.text();
      expect(response.status).toBe(status);
      expect(JSON.parse(text).error.code).toBe(code);
      expect(text).not.toContain('upstream-secret');
      expect(await recordOf(response)).toMatchObject({ outcome: 'upstream_failed', chargedNanoUsd: 0n });
    });

    test.each(faults)('by %s is followed by a provider of another kind', async (fault) => {
      sluice.upstream.byDefault({ fault });
      const answer = sluice.client().embeddings.create({ model: 'main-then-cohere', input: numbered(2) });
      const { data, response } = await answer.withResponse();
      expect(response.headers.get('x-sluice-provider')).toBe('cohere');
      expect([...(data.data[1]?.embedding ?? [])]).toEqual([1, 0.5]);
      expect(await recordOf(response)).toMatchObject({
        provider: 'cohere',
        upstreamModel: 'main-then-cohere-at-cohere',
        inputTokens: 6,
        chargedNanoUsd: costOf(6),
      });
    });

    test.each([
      ['too few vectors', (data: object[]) => data.slice(1)],
      ['too many vectors', (data: object[]) => [...data, { index: data.length, embedding: [1, 1] }]],
      ['two vectors of one index', (data: object[]) => data.map((entry) => ({ ...entry, index: 0 }))],
      [
        'a vector without numbers',
        (data: object[]) => data.map((entry) => ({ ...entry, embedding: [null] })),
      ],
      ['vectors of different lengths', (data: object[]) => [{ index: 0, embedding: [1] }, ...data.slice(1)]],
    ])('by %s is followed by the next provider, and is 502 when there is none', async (_name, change) => {
      odd.answer = (body) => answerAsOpenai(body, change);
      const response = await post({ model: 'odd-then-main', input: numbered(3) });
      expect(response.headers.get('x-sluice-provider')).toBe('main');
      expect((await response.json()).data).toHaveLength(3);
      expect((await recordOf(response)).inputTokens).toBe(sluice.upstream.counts.promptTokens);
      const alone = await post({ model: 'embed-odd', input: numbered(3) });
      expect(alone.status).toBe(502);
      expect((await alone.json()).error.code).toBe('upstream_invalid_answer');
    });

    test('by vectors of another length than was asked for is followed by the next provider', async () => {
      const response = await post({ model: 'odd-then-main', input: 'one', dimensions: 5 });
      expect(response.headers.get('x-sluice-provider')).toBe('main');
      expect((await response.json()).data[0].embedding).toHaveLength(5);
    });

    test('by vectors of another length for whoever asks for one is held against nobody', async () => {
      const asked = { model: 'embed-odd', input: 'one', dimensions: 5 };
      for (let time = 0; time < 5; time += 1) {
        const refused = await refusal(asked);
        expect(refused).toMatchObject({ status: 400, param: 'dimensions' });
      }
      expect((await post({ model: 'embed-odd', input: 'one' })).status).toBe(200);
    });

    test('the request for what is wrong with it is not followed by another', async () => {
      sluice.upstream.enqueue({ fault: 'context_overflow' });
      const error = await refusal({ model: 'main-then-cohere', input: 'one' });
      expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' });
      expect(cohere.bodies).toHaveLength(0);
    });
  });

  describe('the bill', () => {
    test('an upstream without counts: counted here, marked as estimated, and told the client', async () => {
      sluice.upstream.enqueue({ generate: { usage: 'never' } });
      const response = await post({ model: 'embed', input: ['river river river', 'mill'] });
      const { usage } = await response.json();
      expect(usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
      expect(await recordOf(response)).toMatchObject({
        inputTokens: 4,
        estimated: true,
        costNanoUsd: costOf(4),
        chargedNanoUsd: costOf(4),
      });
    });

    test('ids of tokens are counted by their number where the upstream does not', async () => {
      sluice.upstream.enqueue({ generate: { usage: 'never' } });
      const input = [
        [5, 6],
        [7, 8, 9],
      ];
      const response = await post({ model: 'embed', input });
      expect(await recordOf(response)).toMatchObject({ inputTokens: 5, estimated: true });
    });

    test('what was recorded and charged is what the upstream counted', async () => {
      const before = await sluice.availableNanoUsd();
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, index) => post({ model: 'embed', input: numbered(index + 1) })),
      );
      const records = await Promise.all(responses.map(recordOf));
      const inputTokens = records.reduce((total, record) => total + record.inputTokens, 0);
      const charged = records.reduce((total, record) => total + record.chargedNanoUsd, 0n);
      expect(inputTokens).toBe(sluice.upstream.counts.promptTokens);
      for (const record of records) expect(record.chargedNanoUsd).toBe(costOf(record.inputTokens));
      expect(before - (await sluice.availableNanoUsd())).toBe(charged);
    });

    describe('of a client that leaves before the answer', () => {
      async function leaveAfter(
        model: string,
        isAsked: () => Promise<unknown>,
        afterwards: () => Promise<void> | void = () => sluice.readsOnNoLonger(),
      ) {
        const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
        const leaving = new AbortController();
        const answer = fetch(`${sluice.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model, input: numbered(300) }),
          signal: leaving.signal,
        });
        answer.catch(() => undefined);
        await isAsked();
        leaving.abort();
        await afterwards();
        while (true) {
          const record = (await sluice.usage()).find(({ requestId }) => !known.has(requestId));
          if (record !== undefined) return record;
          await Bun.sleep(10);
        }
      }
      test('is its input, and the upstream call ends', async () => {
        sluice.upstream.enqueue({ shape: { headerDelayMs: 60_000 } });
        const record = await leaveAfter('embed', () => sluice.upstream.received(1));
        const inputTokens = await countTexts(numbered(300));
        expect(record).toMatchObject({ outcome: 'client_closed', inputTokens, estimated: true });
        expect(record.chargedNanoUsd).toBe(costOf(inputTokens));
        const received = await sluice.upstream.received(1);
        await received.ended;
        expect(received.clientClosed).toBe('before_first_byte');
      });

      test('is what was sent in the middle of several calls, and no further one is made', async () => {
        const second = Promise.withResolvers<void>();
        const answered = Promise.withResolvers<Response>();
        cohere.answer = (body, call) => {
          if (call === 1) return answerAsCohere(body);
          second.resolve();
          return answered.promise;
        };
        const record = await leaveAfter('cohere-then-main', () => second.promise);
        const inputTokens = await countTexts(numbered(300).slice(0, 192));
        expect(record).toMatchObject({ outcome: 'client_closed', inputTokens, attempts: 1 });
        answered.resolve(new Response());
        expect(cohere.bodies).toHaveLength(2);
        expect(sluice.upstream.counts.requests).toBe(0);
      });

      test('is what was done, where the call under way is answered and the next one is not made', async () => {
        const second = Promise.withResolvers<void>();
        const leaves = Promise.withResolvers<void>();
        cohere.answer = async (body, call) => {
          if (call === 2) {
            second.resolve();
            await leaves.promise;
          }
          return answerAsCohere(body);
        };
        const record = await leaveAfter(
          'cohere-then-main',
          () => second.promise,
          async () => {
            await sluice.readsOn();
            leaves.resolve();
          },
        );
        const inputTokens = await countTexts(numbered(300).slice(0, 192));
        expect(record).toMatchObject({
          outcome: 'client_closed',
          inputTokens,
          chargedNanoUsd: costOf(inputTokens),
        });
        expect(cohere.bodies).toHaveLength(2);
      });

      test('is what was done, where the next call is refused and waits to be made again', async () => {
        const refused = Promise.withResolvers<void>();
        cohere.answer = (body, call) => {
          if (call !== 3) return answerAsCohere(body);
          refused.resolve();
          return new Response('', { status: 503, headers: { 'retry-after': '2' } });
        };
        const record = await leaveAfter(
          'cohere-then-main',
          () => refused.promise,
          () => undefined,
        );
        const inputTokens = await countTexts(numbered(300).slice(0, 192));
        expect(record).toMatchObject({
          outcome: 'client_closed',
          inputTokens,
          chargedNanoUsd: costOf(inputTokens),
        });
        expect(cohere.bodies).toHaveLength(3);
      });
    });
  });

  test('what is recorded names the endpoint and the model', async () => {
    const response = await post({ model: 'embed', input: numbered(9) });
    expect(await recordOf(response)).toMatchObject({ endpoint: path, model: 'embed', streamed: false });
  });

  unitEndpointCases({
    path,
    sluice: () => sluice,
    ask: (model, token) =>
      post({ model, input: numbered(9) }, { authorization: token === '' ? '' : `Bearer ${token}` }),
    tokens,
    model: 'embed',
    provider: 'main',
    costUsd: async (answer) => Number(costOf((await answer.json()).usage.prompt_tokens)) / 1e9,
    unpriced: 'unpriced',
    free: 'free',
    takesJson: true,
  });

  test('429 is the official client’s own error, with the wait and the limits', async () => {
    const error = await refusal({ model: 'embed', input: 'one' }, tokens.limited);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
    expect(error.headers?.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(error.headers?.get('x-request-id')).toBe(error.headers?.get('request-id') ?? '');
  });

  describe('refusals', () => {
    test.each([
      [{}, ['model', 'input']],
      [{ model: 1, input: 1 }, ['model', 'input']],
      [{ model: 'embed', input: '' }, ['input']],
      [{ model: 'embed', input: [] }, ['input']],
      [{ model: 'embed', input: ['one', ''] }, ['input.1']],
      [{ model: 'embed', input: ['one', 2] }, ['input.1']],
      [{ model: 'embed', input: [[1], []] }, ['input.1']],
      [{ model: 'embed', input: [[1], [1.5]] }, ['input.1.0']],
      [{ model: 'embed', input: numbered(2049) }, ['input']],
      [
        { model: 'embed', input: 'one', encoding_format: 'int8', dimensions: 0, input_type: 'answer' },
        ['encoding_format', 'dimensions', 'input_type'],
      ],
    ])('422 lists each field that is wrong (case %#)', async (body, wrong) => {
      const response = await post(body);
      expect(response.status).toBe(422);
      const { error, detail } = await response.json();
      expect(error.fields.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(wrong);
      expect(detail).toBe(error.message);
    });

    test('401 without a valid token', async () => {
      expect((await post({ model: 'embed', input: 'one' }, { authorization: '' })).status).toBe(401);
      const error = await refusal({ model: 'embed', input: 'one' }, newToken());
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    });

    test('402 for an empty wallet, not to be retried; a free model still answers', async () => {
      const error = await refusal({ model: 'embed', input: 'one' }, tokens.poor);
      expect(error).toMatchObject({ status: 402, code: 'insufficient_funds' });
      expect(error.headers?.get('x-should-retry')).toBe('false');
      expect(sluice.upstream.counts.requests).toBe(0);
      const answer = await sluice
        .client({ apiKey: tokens.poor })
        .embeddings.create({ model: 'free', input: 'one' });
      expect(answer.data).toHaveLength(1);
    });

    test('403 for a model that the key is locked out of, and one without a price', async () => {
      const locked = await refusal({ model: 'embed', input: 'one' }, tokens.locked);
      expect(locked).toMatchObject({ status: 403, code: 'model_not_allowed' });
      const unpriced = await refusal({ model: 'unpriced', input: 'one' });
      expect(unpriced).toMatchObject({ status: 403, code: 'model_unpriced' });
    });

    test.each(['nobody', 'auto'])('404 for the model %p', async (model) => {
      const error = await refusal({ model, input: 'one' });
      expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    });

    test('404 for a chat model at this address, and for this model at the chat’s', async () => {
      expect((await refusal({ model: 'double-1', input: 'one' })).message).toContain('is a model for chat');
      const messages = [{ role: 'user', content: 'Hello' }];
      const response = await sluice.post('/v1/chat/completions', { model: 'embed', messages });
      expect(response.status).toBe(404);
      expect((await response.json()).detail).toContain('is a model for embedding');
    });
  });
});
