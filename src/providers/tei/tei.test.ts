import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import {
  askVendor,
  serveVendor,
  type VendorDouble,
} from '../../protocols/embeddings/testing/vendor-double.ts';
import { readRerankRequest } from '../../protocols/rerank/request.ts';
import type { UpstreamTask } from '../provider.ts';
import { tei } from './tei.ts';

const fixture = (name: string): string => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8');
const { embeddings, rerank } = tei.supports({});
if (embeddings === undefined || rerank === undefined) throw new Error('tei does both');

let vendor: VendorDouble | undefined;
afterEach(() => vendor?.stop());

const taskAt = (baseUrl: string | null, body = ''): UpstreamTask => ({
  target: { name: 'main', baseUrl, region: null, secret: null, settings: {} },
  model: 'any',
  stream: false,
  body,
  forwarded: {},
});

describe('tei', () => {
  test.each(['', '/', '/v1', '/v1/'])('finds its paths from a base URL that ends in %p', async (ending) => {
    const task = taskAt(`http://vectors.example:8080${ending}`);
    expect((await embeddings.address(task)).url).toBe('http://vectors.example:8080/v1/embeddings');
    expect((await rerank.address(task)).url).toBe('http://vectors.example:8080/rerank');
  });

  test('needs an address, and a credential only where the server wants one', async () => {
    expect(tei).toMatchObject({ defaultBaseUrl: null, needsCredential: false });
    const task = taskAt('http://vectors.example:8080');
    expect((await rerank.address(task)).headers).not.toHaveProperty('authorization');
    const withKey = { ...task, target: { ...task.target, secret: 'k' } };
    expect((await rerank.address(withKey)).headers).toMatchObject({ authorization: 'Bearer k' });
  });

  test('a row says how large a batch may be', () => {
    const sizes = (settings: Record<string, unknown>) => {
      const supports = tei.supports(settings);
      return [supports.embeddings?.protocol.maxInputs, supports.rerank?.protocol.maxDocuments];
    };
    expect(sizes({})).toEqual([32, 32]);
    expect(sizes({ max_client_batch_size: 128 })).toEqual([128, 128]);
  });

  test('a setting that nobody reads is refused by name', () => {
    expect(() => tei.checkSettings?.({ max_batch: 8 })).toThrow('max_batch: is not a setting of this kind');
  });

  test.each([0, -1, 1.5, '64', true])('a batch size of %p cannot be', (size) => {
    expect(() => tei.checkSettings?.({ max_client_batch_size: size })).toThrow(/^max_client_batch_size: /);
    expect(() => tei.checkSettings?.({})).not.toThrow();
  });

  test('embeds', async () => {
    vendor = serveVendor(fixture('embeddings.json'));
    const request = readEmbeddingsRequest(
      JSON.stringify({
        model: 'm',
        input: ['harbour', 'lighthouse'],
        dimensions: 3,
        input_type: 'search_query',
        user: 'someone',
      }),
    );
    const body = embeddings.protocol.writeRequest(request, request.inputs, 'any');
    const text = await askVendor(embeddings.address(taskAt(vendor.url, body)), body);
    expect(vendor.requests).toHaveLength(1);
    expect(vendor.requests[0]?.path).toBe('/v1/embeddings');
    expect(vendor.requests[0]?.body).toEqual({
      model: 'any',
      input: ['harbour', 'lighthouse'],
      dimensions: 3,
      user: 'someone',
    });
    expect(embeddings.protocol.readAnswer(JSON.parse(text), 2)).toEqual({
      vectors: [
        [0.5, -0.25, 0.125],
        [0.0625, 1, -1.5],
      ],
      inputTokens: 8,
    });
  });

  test('reranks', async () => {
    vendor = serveVendor(fixture('rerank.json'));
    const request = readRerankRequest(
      JSON.stringify({
        model: 'm',
        query: 'ships',
        documents: ['a', 'b', 'c'],
        top_n: 1,
        return_documents: true,
      }),
    );
    const body = rerank.protocol.writeRequest(request, request.documents, 'rerank-2.5');
    const text = await askVendor(rerank.address(taskAt(vendor.url, body)), body);
    expect(vendor.requests[0]?.path).toBe('/rerank');
    expect(vendor.requests[0]?.body).toEqual({ model: 'rerank-2.5', query: 'ships', texts: ['a', 'b', 'c'] });
    expect(rerank.protocol.readAnswer(JSON.parse(text), 3)).toEqual({
      scores: [
        { index: 0, score: 0.03125 },
        { index: 1, score: 0.8125 },
        { index: 2, score: 0.25 },
      ],
      inputTokens: null,
      searchUnits: null,
    });
  });

  test.each([
    ['batch-too-large.json', { message: 'batch size 40 is above the bound of 32', type: 'Validation' }],
    ['wrong-model.json', { message: 'this model does not embed', type: 'backend', status: 424 }],
  ])('a refusal is read from %p', async (name, complaint) => {
    vendor = serveVendor(fixture(name), 422);
    const text = await askVendor(rerank.address(taskAt(vendor.url)), '{}');
    expect(rerank.protocol.readComplaint(text)).toMatchObject(complaint);
  });
});
