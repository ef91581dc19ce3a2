import { expect, test } from 'bun:test';
import { asResults, rerankUpstreamCases } from '../../protocols/rerank/testing/rerank-upstream.cases.ts';
import { vectorVendorCases } from '../testing/vector-vendor.cases.ts';
import { fixturesIn, taskFor } from '../testing/vendor-double.ts';
import { jina, jinaRerank } from './jina.ts';

const { embeddings, rerank } = jina.supports({});

test('jina lives at its own address unless a row says otherwise', async () => {
  expect((await embeddings?.address(taskFor()))?.url).toBe('https://api.jina.ai/v1/embeddings');
  const row = taskFor({ baseUrl: 'https://proxy.example/v1/' });
  expect((await rerank?.address(row))?.url).toBe('https://proxy.example/v1/rerank');
});

vectorVendorCases({
  adapter: jina,
  folder: import.meta.dir,
  secret: 'k',
  embeddings: {
    fixture: 'embeddings.json',
    model: 'jina-embeddings-v3',
    path: '/v1/embeddings',
    fields: { normalized: true, encoding_format: 'base64' },
    sent: {
      input: ['harbour', 'lighthouse'],
      task: 'retrieval.query',
      dimensions: 3,
      embedding_type: 'base64',
      normalized: true,
    },
    inputTokens: 8,
  },
  rerank: {
    fixture: 'rerank.json',
    model: 'jina-reranker-v2-base-multilingual',
    path: '/v1/rerank',
    sent: { documents: ['a', 'b', 'c'], return_documents: false },
    scores: [-0.03125, 0.8125, 0.25],
    inputTokens: 44,
    searchUnits: null,
  },
});

rerankUpstreamCases({
  upstream: jinaRerank,
  shape: asResults,
  counted: {
    answer: { results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 9 } },
    inputTokens: 9,
    searchUnits: null,
  },
  sent: { documents: ['a'], return_documents: false },
});

test('a refusal of jina is read', () => {
  expect(embeddings?.protocol.readComplaint(fixturesIn(import.meta.dir)('invalid-key.json'))).toEqual({
    message: 'Nobody has this key',
    code: 'AUTH_INVALID_API_KEY',
    type: null,
    param: null,
    status: null,
  });
});
