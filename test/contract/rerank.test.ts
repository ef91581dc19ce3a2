/** POST /v1/rerank over real sockets: the shape of answers, upstreams of five kinds, and bills by search and by token. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { countTextsFor } from '../../src/protocols/token-count/count-texts.ts';
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

const path = '/v1/rerank';
const tokens = { poor: newToken(), locked: newToken(), limited: newToken(), onMain: newToken() };
const password = 'a long enough password';

/** 2 USD for a thousand searches, and 0.05 USD for a million tokens. */
const unitPrices = { rerank_unit: 2000 };
const tokenPrices = { input: 0.05 };
const costOfUnits = (units: number): bigint => BigInt(units) * 2_000_000n;
const costOfTokens = (count: number): bigint => BigInt(count) * 50n;

interface Deployment {
  readonly provider: string;
  readonly upstream_id: string;
}

const rerankModel = (id: string, prices: object | undefined, ...providers: readonly Deployment[]) => ({
  id,
  type: 'rerank',
  owned_by: 'doubles',
  prices,
  providers,
});

const cohere = { provider: 'cohere', upstream_id: 'rerank-v4' };
const jina = { provider: 'jina', upstream_id: 'jina-reranker-m0' };
const voyage = { provider: 'voyage', upstream_id: 'rerank-2.5' };
const vllm = { provider: 'vllm', upstream_id: 'bge-reranker' };
const tei = { provider: 'tei', upstream_id: 'local' };
const odd = { provider: 'odd', upstream_id: 'odd' };

const file = (urls: { upstream: string; tei: string; odd: string }) => ({
  users: [
    { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
    { email: 'poor@example.test', password, role: 'member' },
  ],
  providers: [
    usualProvider(urls.upstream),
    ...['cohere', 'jina', 'voyage', 'vllm'].map((kind) => ({
      ...usualProvider(urls.upstream),
      name: kind,
      kind,
    })),
    { ...usualProvider(urls.tei), name: 'tei', kind: 'tei' },
    { ...usualProvider(urls.odd), name: 'odd', kind: 'vllm' },
  ],
  models: [
    usualModel,
    rerankModel('by-cohere', unitPrices, cohere),
    rerankModel('by-jina', tokenPrices, jina),
    rerankModel('by-voyage', tokenPrices, voyage),
    rerankModel('by-vllm', tokenPrices, vllm),
    rerankModel('by-tei', tokenPrices, tei),
    rerankModel('by-tei-units', unitPrices, tei),
    rerankModel('by-odd', tokenPrices, odd),
    rerankModel('jina-then-cohere', unitPrices, jina, cohere),
    rerankModel('odd-then-jina', tokenPrices, odd, jina),
    rerankModel('free', { input: 0 }, jina),
    rerankModel('unpriced', undefined, jina),
    rerankModel('main-then-jina', tokenPrices, { provider: 'main', upstream_id: 'x' }, jina),
  ],
  keys: [
    { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
    { name: 'locked', owner, token: tokens.locked, allowed_models: ['free'] },
    { name: 'on main', owner, token: tokens.onMain, allowed_providers: ['main'] },
    { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1, tokens_per_minute: 5000 },
  ],
});

const listIn = (body: Record<string, unknown>, field: string): readonly unknown[] => {
  const value = body[field];
  return Array.isArray(value) ? value : [];
};

/** The score is the number in the text, a hundredth of it. */
const scoreOf = (text: unknown): number => Number(/-?\d+/.exec(String(text))?.[0] ?? 0) / 100;

/** As the server of embeddings and rankers does: a bare list, the best first, and never more than 32 texts. */
function answerAsTei(body: Record<string, unknown>): Response {
  const texts = listIn(body, 'texts');
  if (texts.length > 32) {
    const error = 'batch size 33 > maximum allowed batch size 32';
    return Response.json({ error, error_type: 'Validation' }, { status: 422 });
  }
  const scores = texts.map((text, index) => ({ index, score: scoreOf(text) }));
  return Response.json(scores.toSorted((a, b) => b.score - a.score));
}

function answerAsVllm(
  body: Record<string, unknown>,
  change: (results: object[]) => object[] = (results) => results,
): Response {
  const results = listIn(body, 'documents').map((text, index) => ({
    index,
    document: { text },
    relevance_score: scoreOf(text),
  }));
  return Response.json({ id: 'r-1', model: 'm', usage: { total_tokens: 77 }, results: change(results) });
}

interface Result {
  readonly index: number;
  readonly relevance_score: number;
}

const query = 'calm river';
const documents = ['a loud street', 'the calm river', 'a river', 'calm'];
/** By the words that they share with the query; among equals the double puts the earlier one first. */
const ranking = [1, 2, 3, 0];

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

describe('rerank', () => {
  let sluice: TestSluice;
  let teiServer: Vendor;
  let oddServer: Vendor;

  beforeAll(async () => {
    teiServer = serveVendor();
    oddServer = serveVendor();
    sluice = await startTestSluice({
      skipsPauses: true,
      file: (upstream) => file({ upstream, tei: teiServer.url, odd: oddServer.url }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    teiServer.stop();
    oddServer.stop();
  });
  beforeEach(() => {
    sluice.upstream.forget();
    for (const { requests } of [teiServer, oddServer]) requests.length = 0;
    teiServer.answer = answerAsTei;
    oddServer.answer = (body) => answerAsVllm(body);
  });

  const post = (body: unknown, headers?: Record<string, string>) => sluice.post(path, body, headers);
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  async function recordOf({ headers }: Response) {
    const records = await sluice.usage();
    const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
    if (record === undefined) throw new Error('the request was not recorded');
    return record;
  }

  const resultsOf = async (response: Response): Promise<Result[]> => (await response.json()).results;
  const indexesOf = async (response: Response) => (await resultsOf(response)).map(({ index }) => index);

  test.each([
    ['/v1/rerank', '1', 'by-cohere', { search_units: 1 }],
    ['/v2/rerank', '2', 'by-cohere', { search_units: 1 }],
    ['/v2/rerank', '2', 'by-jina', { input_tokens: expect.any(Number) }],
  ])(
    '%s tells Cohere’s clients an id, the version %s and what %s bills',
    async (at, version, model, units) => {
      const response = await sluice.post(at, { model, query, documents });
      expect(await response.json()).toMatchObject({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        meta: { api_version: { version }, billed_units: units },
      });
      expect((await sluice.usage()).at(-1)).toMatchObject({ endpoint: '/v1/rerank', outcome: 'complete' });
    },
  );

  test('the shape of answers: the model as it was asked for, and every score, the best first', async () => {
    const response = await post({ model: 'by-cohere', query, documents });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const answer = await response.json();
    const results: Result[] = answer.results;
    expect(Object.keys(answer)).toEqual(['id', 'model', 'results', 'meta']);
    expect(answer.model).toBe('by-cohere');
    expect(results.map(({ index }) => index)).toEqual(ranking);
    const scores = results.map((result) => result.relevance_score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const result of results) expect(Object.keys(result)).toEqual(['index', 'relevance_score']);
  });

  describe('an upstream of the kind', () => {
    test.each([
      ['cohere', '/v2/rerank', { model: 'rerank-v4', query, documents }],
      ['jina', '/v1/rerank', { model: 'jina-reranker-m0', query, documents, return_documents: false }],
      ['voyage', '/v1/rerank', { model: 'rerank-2.5', query, documents }],
      ['vllm', '/v1/rerank', { model: 'bge-reranker', query, documents }],
    ])('%s is asked at %s for all scores, whatever the client wants of them', async (kind, at, sent) => {
      const response = await post({
        model: `by-${kind}`,
        query,
        documents,
        top_n: 2,
        return_documents: true,
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-provider')).toBe(kind);
      const results = await resultsOf(response);
      expect(results.map(({ index }) => index)).toEqual(ranking.slice(0, 2));
      const [received] = sluice.upstream.requests;
      expect(received?.path).toBe(at);
      expect(received?.headers['authorization']).toBe('Bearer upstream-secret');
      expect(received?.body).toEqual(sent);
    });

    test('tei is asked at its own path in its own words', async () => {
      const response = await post({ model: 'by-tei', query, documents: ['1', '30', '-2'], truncate: true });
      expect(await response.json()).toMatchObject({
        model: 'by-tei',
        results: [
          { index: 1, relevance_score: 0.3 },
          { index: 0, relevance_score: 0.01 },
          { index: 2, relevance_score: -0.02 },
        ],
      });
      const body = { model: 'local', query, texts: ['1', '30', '-2'], truncate: true };
      expect(teiServer.requests).toEqual([
        { path: '/rerank', authorization: 'Bearer upstream-secret', body },
      ]);
    });
  });

  describe('the order', () => {
    test('of equal scores is that of the request', async () => {
      oddServer.answer = (body) => answerAsVllm(body, (results) => results.toReversed());
      const response = await post({ model: 'by-odd', query, documents: ['5', '7', '5', '7', '5'] });
      expect(await indexesOf(response)).toEqual([1, 3, 0, 2, 4]);
    });

    test('has scores below zero at its end, and keeps every digit of a score', async () => {
      const relevance = [-11.25, 0.000_000_123, 3.5e-8, -0.5];
      oddServer.answer = (body) =>
        answerAsVllm(body, (results) =>
          results.map((result, index) => ({ ...result, relevance_score: relevance[index] })),
        );
      const response = await post({ model: 'by-odd', query, documents: ['a', 'b', 'c', 'd'] });
      expect(await resultsOf(response)).toEqual([
        { index: 1, relevance_score: 0.000_000_123 },
        { index: 2, relevance_score: 3.5e-8 },
        { index: 3, relevance_score: -0.5 },
        { index: 0, relevance_score: -11.25 },
      ]);
    });
  });

  describe('top_n', () => {
    test.each([
      [1, [1]],
      [3, [1, 2, 3]],
      [4, ranking],
      [400, ranking],
      [null, ranking],
    ])('%p gives so many of the best', async (top_n, expected) => {
      expect(await indexesOf(await post({ model: 'by-jina', query, documents, top_n }))).toEqual(expected);
    });
  });

  describe('return_documents', () => {
    test('gives each text with its score', async () => {
      const response = await post({ model: 'by-jina', query, documents, return_documents: true });
      expect(await resultsOf(response)).toMatchObject(
        ranking.map((index) => ({ index, document: { text: documents[index] } })),
      );
    });

    test('gives texts that came in objects, which the upstream gets as texts', async () => {
      const wrapped = documents.map((text) => ({ text }));
      const response = await post({
        model: 'by-cohere',
        query,
        documents: wrapped,
        return_documents: true,
        top_n: 1,
      });
      expect(await resultsOf(response)).toMatchObject([{ index: 1, document: { text: 'the calm river' } }]);
      expect(sluice.upstream.requests[0]?.body).toMatchObject({ documents });
    });
  });

  describe('more documents than the upstream takes at once', () => {
    test('are ranked as one list', async () => {
      const response = await post({ model: 'by-tei', query, documents: numbered(100), top_n: 40 });
      const calls = teiServer.requests.map(({ body }) => listIn(body, 'texts').length);
      expect(calls).toEqual([32, 32, 32, 4]);
      expect(await indexesOf(response)).toEqual(Array.from({ length: 40 }, (_, place) => 99 - place));
      expect(await recordOf(response)).toMatchObject({ attempts: 1, provider: 'tei' });
    });

    test('a thousand are taken in one request', async () => {
      const response = await post({ model: 'by-cohere', query, documents: numbered(1000) });
      expect(await resultsOf(response)).toHaveLength(1000);
      expect(sluice.upstream.counts.requests).toBe(1);
    });
  });

  describe('the bill', () => {
    test.each([
      [1, 1],
      [100, 1],
      [101, 2],
      [1000, 10],
    ])('of %d documents at Cohere is %d search units', async (count, units) => {
      const before = await sluice.availableNanoUsd();
      const response = await post({ model: 'by-cohere', query, documents: numbered(count) });
      expect(Number(response.headers.get('x-sluice-cost-usd'))).toBe(units * 0.002);
      expect(await recordOf(response)).toMatchObject({
        endpoint: path,
        rerankUnits: units,
        inputTokens: 0,
        estimated: false,
        costNanoUsd: costOfUnits(units),
        chargedNanoUsd: costOfUnits(units),
      });
      expect(before - (await sluice.availableNanoUsd())).toBe(costOfUnits(units));
    });

    test.each(['jina', 'voyage', 'vllm'])('at %s is the tokens that it counted', async (kind) => {
      const response = await post({ model: `by-${kind}`, query, documents });
      const { promptTokens } = sluice.upstream.counts;
      expect(promptTokens).toBeGreaterThan(0);
      expect(await recordOf(response)).toMatchObject({
        inputTokens: promptTokens,
        outputTokens: 0,
        estimated: false,
        costNanoUsd: costOfTokens(promptTokens),
      });
    });

    test('by units at a host that counts tokens is one unit for each hundred documents', async () => {
      const response = await post({ model: 'jina-then-cohere', query, documents: numbered(101) });
      expect(await recordOf(response)).toMatchObject({
        provider: 'jina',
        rerankUnits: 2,
        inputTokens: sluice.upstream.counts.promptTokens,
        estimated: true,
        chargedNanoUsd: costOfUnits(2),
      });
    });

    test('of an upstream without counts is our count of the query with each document', async () => {
      const response = await post({
        model: 'by-tei',
        query: 'river mill',
        documents: ['river', 'river river'],
      });
      expect(await recordOf(response)).toMatchObject({
        inputTokens: 3 + 2 * 2,
        estimated: true,
        costNanoUsd: costOfTokens(7),
        chargedNanoUsd: costOfTokens(7),
      });
    });

    test('by units of an upstream without counts is one unit for each hundred, however many calls', async () => {
      const response = await post({ model: 'by-tei-units', query, documents: numbered(250) });
      expect(teiServer.requests).toHaveLength(8);
      expect(await recordOf(response)).toMatchObject({
        rerankUnits: 3,
        inputTokens: 0,
        estimated: true,
        costNanoUsd: costOfUnits(3),
      });
    });

    test('is estimated where Cohere does not say, too', async () => {
      sluice.upstream.enqueue({ generate: { usage: 'never' } });
      const response = await post({ model: 'by-cohere', query, documents: numbered(150) });
      expect(await recordOf(response)).toMatchObject({
        rerankUnits: 2,
        estimated: true,
        chargedNanoUsd: costOfUnits(2),
      });
    });

    test('of many at once is what the upstream counted', async () => {
      const before = await sluice.availableNanoUsd();
      const responses = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          post({ model: 'by-jina', query, documents: numbered(index + 1) }),
        ),
      );
      for (const response of responses) await response.text();
      const charged = costOfTokens(sluice.upstream.counts.promptTokens);
      expect(before - (await sluice.availableNanoUsd())).toBe(charged);
    });

    test.each([
      [query, documents, 1],
      // Read with so many documents it has more letters than are tokenised of one request.
      ['the calm river '.repeat(600), numbered(1000), 10],
    ])(
      'of a client that leaves before the answer is its input (case %#)',
      async (asked, ranked, rerankUnits) => {
        const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
        sluice.upstream.enqueue({ shape: { headerDelayMs: 60_000 } });
        const leaving = new AbortController();
        const answer = fetch(`${sluice.url}${path}`, {
          method: 'POST',
          headers: { ...as(sluice.token), 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'by-jina', query: asked, documents: ranked }),
          signal: leaving.signal,
        });
        answer.catch(() => undefined);
        const received = await sluice.upstream.received(1);
        leaving.abort();
        await sluice.readsOnNoLonger();
        await received.ended;
        expect(received.clientClosed).toBe('before_first_byte');
        let record: Awaited<ReturnType<typeof recordOf>> | undefined;
        while (record === undefined) {
          record = (await sluice.usage()).find(({ requestId }) => !known.has(requestId));
          await Bun.sleep(10);
        }
        const inQuery = await countTextsFor(jina.upstream_id, [asked]);
        const inputTokens = (await countTextsFor(jina.upstream_id, ranked)) + ranked.length * inQuery;
        expect(record).toMatchObject({ outcome: 'client_closed', rerankUnits, inputTokens, estimated: true });
        expect(record.chargedNanoUsd).toBe(costOfTokens(record.inputTokens));
      },
    );
  });

  describe('an upstream that fails', () => {
    const faults: readonly [FaultName, number, string][] = [
      ['reset_before_headers', 502, 'upstream_unreachable'],
      ['malformed_chunk', 502, 'upstream_invalid_answer'],
      ['html_answer', 502, 'upstream_failed'],
      ['empty_body', 502, 'upstream_invalid_answer'],
      ['error_in_200', 502, 'upstream_failed'],
      ['rate_limited', 503, 'upstream_rate_limited'],
      ['status_401', 502, 'upstream_rejected_credentials'],
      ['status_500', 502, 'upstream_failed'],
      ['wrong_model', 502, 'upstream_model_unavailable'],
    ];

    test.each(faults)('by %s is told as %d %s, free of charge', async (fault, status, code) => {
      sluice.upstream.byDefault({ fault });
      const response = await post({ model: 'by-jina', query, documents });
      const text = await response.text();
      expect(response.status).toBe(status);
      expect(JSON.parse(text).error.code).toBe(code);
      expect(text).not.toContain('upstream-secret');
      expect(await recordOf(response)).toMatchObject({ outcome: 'upstream_failed', chargedNanoUsd: 0n });
    });

    test.each(faults)('by %s is followed by a provider of another kind, with its own bill', async (fault) => {
      sluice.upstream.when(({ model }) => model === jina.upstream_id, { fault });
      const response = await post({ model: 'jina-then-cohere', query, documents });
      expect(response.headers.get('x-sluice-provider')).toBe('cohere');
      expect(await indexesOf(response)).toEqual(ranking);
      expect(await recordOf(response)).toMatchObject({
        provider: 'cohere',
        rerankUnits: 1,
        chargedNanoUsd: costOfUnits(1),
      });
    });

    test.each([
      ['a score is missing', (results: object[]) => results.slice(1)],
      ['a score is null', (results: object[]) => results.map((one) => ({ ...one, relevance_score: null }))],
      ['one document has two scores', (results: object[]) => results.map((one) => ({ ...one, index: 0 }))],
      ['an index is beyond the documents', ([first, ...rest]: object[]) => [{ ...first, index: 9 }, ...rest]],
    ])(
      'because %s is followed by the next provider, and is 502 when there is none',
      async (_name, change) => {
        oddServer.answer = (body) => answerAsVllm(body, change);
        const response = await post({ model: 'odd-then-jina', query, documents });
        expect(response.headers.get('x-sluice-provider')).toBe('jina');
        expect(await indexesOf(response)).toEqual(ranking);
        expect((await recordOf(response)).inputTokens).toBe(sluice.upstream.counts.promptTokens);
        const alone = await post({ model: 'by-odd', query, documents });
        expect(alone.status).toBe(502);
        expect((await alone.json()).error.code).toBe('upstream_invalid_answer');
      },
    );

    test('the request for what is wrong with it is not followed by another', async () => {
      sluice.upstream.enqueue({ fault: 'status_400' });
      const response = await post({ model: 'jina-then-cohere', query, documents });
      expect(response.status).toBe(400);
      expect((await response.json()).error.code).toBe('upstream_refused_request');
      expect(sluice.upstream.counts.requests).toBe(1);
    });
  });

  unitEndpointCases({
    path,
    sluice: () => sluice,
    ask: (model, token) =>
      post({ model, query, documents }, token === '' ? { authorization: '' } : as(token)),
    tokens,
    model: 'by-jina',
    provider: 'jina',
    costUsd: () => Number(costOfTokens(sluice.upstream.counts.promptTokens)) / 1e9,
    unpriced: 'unpriced',
    free: 'free',
    takesJson: true,
  });

  describe('refusals', () => {
    test.each([
      [{}, ['model', 'query', 'documents']],
      [{ model: 'by-jina', query: 1, documents: 'one' }, ['query', 'documents']],
      [{ model: 'by-jina', query: '', documents: [] }, ['query', 'documents']],
      [
        { model: 'by-jina', query, documents: ['one', 2, '', { title: 'x' }] },
        [1, 2, 3].map((at) => `documents.${at}`),
      ],
      [{ model: 'by-jina', query, documents: numbered(1001) }, ['documents']],
      [
        { model: 'by-jina', query, documents, top_n: 0, return_documents: 'yes' },
        ['top_n', 'return_documents'],
      ],
      [{ model: 'by-jina', query, documents, top_n: 1.5 }, ['top_n']],
    ])('422 lists each field that is wrong (case %#)', async (body, wrong) => {
      const response = await post(body);
      expect(response.status).toBe(422);
      const { error, detail } = await response.json();
      expect(error.fields.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(wrong);
      expect(detail).toBe(error.message);
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test('503 where the key may use none of the model’s providers that can rank', async () => {
      const response = await post({ model: 'main-then-jina', query, documents }, as(tokens.onMain));
      expect(response.status).toBe(503);
      const { error, detail } = await response.json();
      expect(error.code).toBe('no_provider');
      expect(detail).toBe(error.message);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(sluice.upstream.counts.requests).toBe(0);
    });
  });
});
