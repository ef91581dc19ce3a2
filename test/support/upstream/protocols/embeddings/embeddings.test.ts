/** The double as a host of embeddings, seen through the official client. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { startUpstream, type Upstream } from '../../index.ts';

let upstream: Upstream;
let client: OpenAI;

beforeEach(() => {
  upstream = startUpstream();
  client = new OpenAI({ baseURL: upstream.url, apiKey: 'key-of-the-test', maxRetries: 0 });
});
afterEach(() => upstream.stop());

const ask = { model: 'vectors-1', input: ['a lock', 'a weir', 'a lock'] };

test('floats and base64 are the same vectors of length 1, in the order of the inputs', async () => {
  const floats = await client.embeddings.create({ ...ask, encoding_format: 'float' });
  // The client asks for base64 by itself, and reads it.
  const decoded = await client.embeddings.create(ask);
  const vectors = floats.data.map(({ embedding }) => embedding);
  expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual(vectors);
  expect(vectors[0]).toEqual(vectors[2] ?? []);
  expect(vectors[0]).not.toEqual(vectors[1] ?? []);
  expect(Math.hypot(...(vectors[0] ?? []))).toBeCloseTo(1, 5);
  expect(floats.data.map(({ index }) => index)).toEqual([0, 1, 2]);
});

test('dimensions are as many as asked for, and ids of tokens are inputs too', async () => {
  const { data } = await client.embeddings.create({ ...ask, input: [[1, 2], [3]], dimensions: 3 });
  expect(data.map(({ embedding }) => embedding.length)).toEqual([3, 3]);
});

test('usage is told and kept in the books', async () => {
  upstream.enqueue({ generate: { promptTokens: 12 } });
  const { usage } = await client.embeddings.create(ask);
  expect(usage).toEqual({ prompt_tokens: 12, total_tokens: 12 });
  expect(upstream.counts).toMatchObject({ promptTokens: 12, completionTokens: 0 });
});

test.each([
  ['an unknown argument', { input_type: 'query' }, 'input_type'],
  ['no input', { input: [] }, 'input'],
  ['an empty text', { input: ['a', ''] }, 'input'],
  ['an unknown format', { encoding_format: 'int8' }, 'encoding_format'],
  ['no dimensions at all', { dimensions: 0 }, 'dimensions'],
])('%s is refused', async (_name, fields, param) => {
  const body = JSON.stringify({ ...ask, ...fields });
  const response = await fetch(`${upstream.url}/embeddings`, { method: 'POST', body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param, type: 'invalid_request_error' } });
});

test('faults reach it too', async () => {
  upstream.enqueue({ fault: 'rate_limited' }, { fault: 'in_band_error' });
  const ask200 = () => fetch(`${upstream.url}/embeddings`, { method: 'POST', body: JSON.stringify(ask) });
  expect((await ask200()).status).toBe(429);
  const response = await ask200();
  expect(response.status).toBe(200);
  expect(await response.json()).toHaveProperty('error');
});
