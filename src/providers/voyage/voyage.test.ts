import { expect, test } from 'bun:test';
import { rerankUpstreamCases } from '../../protocols/rerank/testing/rerank-upstream.cases.ts';
import { vectorVendorCases } from '../testing/vector-vendor.cases.ts';
import { fixturesIn, taskFor } from '../testing/vendor-double.ts';
import { voyage } from './voyage.ts';

const { embeddings, rerank } = voyage.supports({});
if (embeddings === undefined || rerank === undefined) throw new Error('voyage does both');

test('voyage lives at its own address unless a row says otherwise', async () => {
  expect((await embeddings.address(taskFor())).url).toBe('https://api.voyageai.com/v1/embeddings');
  const row = taskFor({ baseUrl: 'https://proxy.example/v1/' });
  expect((await rerank.address(row)).url).toBe('https://proxy.example/v1/rerank');
});

vectorVendorCases({
  adapter: voyage,
  folder: import.meta.dir,
  secret: 'k',
  embeddings: {
    fixture: 'embeddings.json',
    model: 'voyage-3.5',
    path: '/v1/embeddings',
    fields: { truncation: false },
    sent: {
      input: ['harbour', 'lighthouse'],
      input_type: 'query',
      output_dimension: 3,
      output_dtype: 'float',
      truncation: false,
    },
    inputTokens: 7,
  },
  rerank: {
    fixture: 'rerank.json',
    model: 'rerank-2.5',
    path: '/v1/rerank',
    sent: { documents: ['a', 'b', 'c'] },
    scores: [0.03125, 0.8125, 0.25],
    inputTokens: 31,
    searchUnits: null,
  },
});

rerankUpstreamCases({
  upstream: rerank.protocol,
  shape: (entries) => ({
    data: entries.map(({ index, score }) => ({ index, relevance_score: score })),
  }),
  counted: {
    answer: { data: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 9 } },
    inputTokens: 9,
    searchUnits: null,
  },
  sent: { documents: ['a'], truncation: false },
});

test('a refusal of voyage is read', () => {
  const complaint = embeddings.protocol.readComplaint(fixturesIn(import.meta.dir)('invalid-key.json'));
  expect(complaint?.message).toBe('The key that was given is not one of ours.');
});
