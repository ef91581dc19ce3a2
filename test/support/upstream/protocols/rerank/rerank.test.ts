/** The double as a host that reranks, in the shapes of three of them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { startUpstream, type Upstream } from '../../index.ts';
import { readList, readNumber } from '../../json.ts';

let upstream: Upstream;

beforeEach(() => {
  upstream = startUpstream();
});
afterEach(() => upstream.stop());

const documents = ['a weir far away', 'the lock of the canal', 'the canal'];
const question = { query: 'Where is the lock?', documents };

function post(path: string, body: object): Promise<Response> {
  const base = upstream.url.replace(/\/v1$/, '');
  return fetch(base + path, { method: 'POST', body: JSON.stringify({ ...question, ...body }) });
}

const hosts = [
  ['cohere', '/v2/rerank', 'rerank-v9', 'results'],
  ['jina', '/v1/rerank', 'jina-reranker-v9', 'results'],
  ['voyage', '/v1/rerank', 'rerank-9', 'data'],
] as const;

describe.each(hosts)('%s', (name, path, model, list) => {
  const limit = name === 'voyage' ? 'top_k' : 'top_n';

  test('gives the best document first, each with its place', async () => {
    const answer = await (await post(path, { model })).json();
    const results = readList(answer, list);
    expect(results.map((result) => readNumber(result, 'index'))).toEqual([1, 2, 0]);
    const scores = results.map((result) => readNumber(result, 'relevance_score') ?? -1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  test('gives as many as asked for', async () => {
    const answer = await (await post(path, { model, [limit]: 1 })).json();
    expect(readList(answer, list)).toHaveLength(1);
  });

  test('bills in its own unit', async () => {
    upstream.enqueue({ generate: { promptTokens: 40 } });
    const answer = await (await post(path, { model })).json();
    if (name === 'cohere') expect(answer).toMatchObject({ meta: { billed_units: { search_units: 1 } } });
    else expect(answer).toMatchObject({ usage: { total_tokens: 40 } });
    expect(upstream.counts.promptTokens).toBe(name === 'cohere' ? 0 : 40);
  });

  test.each([
    ['no documents', { documents: [] }],
    ['documents that are no texts', { documents: [{ text: 'a' }] }],
    ['an empty query', { query: ' ' }],
    ['a field of another host', { [name === 'voyage' ? 'top_n' : 'top_k']: 1 }],
    ['no results at all', { [limit]: 0 }],
  ])('refuses %s', async (_name, fields) => {
    const response = await post(path, { model, ...fields });
    expect(response.status).toBe(name === 'jina' ? 422 : 400);
    expect(await response.json()).toHaveProperty(name === 'cohere' ? 'message' : 'detail');
  });

  test('goes wrong when it is told to', async () => {
    upstream.enqueue({ fault: 'status_503' });
    expect((await post(path, { model })).status).toBe(503);
  });
});

test('documents come back as each host does it', async () => {
  const first = async (path: string, body: object, list: string) =>
    readList(await (await post(path, body)).json(), list)[0];
  const jina = { model: 'jina-reranker-v9' };
  const voyage = { model: 'rerank-9' };
  expect(await first('/v1/rerank', jina, 'results')).toMatchObject({ document: { text: documents[1] } });
  expect(await first('/v1/rerank', { ...jina, return_documents: false }, 'results')).not.toHaveProperty(
    'document',
  );
  expect(await first('/v1/rerank', voyage, 'data')).not.toHaveProperty('document');
  expect(await first('/v1/rerank', { ...voyage, return_documents: true }, 'data')).toMatchObject({
    document: documents[1],
  });
});
