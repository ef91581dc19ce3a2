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
import { voyage } from './voyage.ts';

const fixture = (name: string): string => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8');
const { embeddings, rerank } = voyage.supports({});
if (embeddings === undefined || rerank === undefined) throw new Error('voyage does both');

let vendor: VendorDouble | undefined;
afterEach(() => vendor?.stop());

const taskAt = (baseUrl: string | null, body = ''): UpstreamTask => ({
  target: { name: 'main', baseUrl, region: null, secret: 'k', settings: {} },
  model: 'voyage-3.5',
  stream: false,
  body,
  forwarded: {},
});

describe('voyage', () => {
  test('lives at its own address unless a row says otherwise', async () => {
    expect((await embeddings.address(taskAt(null))).url).toBe('https://api.voyageai.com/v1/embeddings');
    expect((await rerank.address(taskAt('https://proxy.example/v1/'))).url).toBe(
      'https://proxy.example/v1/rerank',
    );
  });

  test('embeds', async () => {
    vendor = serveVendor(fixture('embeddings.json'));
    const request = readEmbeddingsRequest(
      JSON.stringify({
        model: 'm',
        input: ['harbour', 'lighthouse'],
        dimensions: 3,
        input_type: 'search_query',
        truncation: false,
        user: 'someone',
      }),
    );
    const body = embeddings.protocol.writeRequest(request, request.inputs, 'voyage-3.5');
    const text = await askVendor(embeddings.address(taskAt(vendor.url, body)), body);
    expect(vendor.requests).toHaveLength(1);
    expect(vendor.requests[0]?.path).toBe('/embeddings');
    expect(vendor.requests[0]?.headers.get('authorization')).toBe('Bearer k');
    expect(vendor.requests[0]?.body).toEqual({
      model: 'voyage-3.5',
      input: ['harbour', 'lighthouse'],
      input_type: 'query',
      output_dimension: 3,
      output_dtype: 'float',
      truncation: false,
    });
    expect(embeddings.protocol.readAnswer(JSON.parse(text), 2)).toEqual({
      vectors: [
        [0.5, -0.25, 0.125],
        [0.0625, 1, -1.5],
      ],
      inputTokens: 7,
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
    expect(vendor.requests[0]?.body).toEqual({
      model: 'rerank-2.5',
      query: 'ships',
      documents: ['a', 'b', 'c'],
    });
    expect(rerank.protocol.readAnswer(JSON.parse(text), 3)).toEqual({
      scores: [
        { index: 0, score: 0.03125 },
        { index: 1, score: 0.8125 },
        { index: 2, score: 0.25 },
      ],
      inputTokens: 31,
      searchUnits: null,
    });
  });

  test('a refusal is read', async () => {
    vendor = serveVendor(fixture('invalid-key.json'), 401);
    const body = '{}';
    const text = await askVendor(embeddings.address(taskAt(vendor.url, body)), body);
    expect(embeddings.protocol.readComplaint(text)?.message).toBe(
      'The key that was given is not one of ours.',
    );
  });
});
