import { describe, expect, test } from 'bun:test';
import { rerankUpstreamCases } from '../../protocols/rerank/testing/rerank-upstream.cases.ts';
import { vectorVendorCases } from '../testing/vector-vendor.cases.ts';
import { fixturesIn, taskFor } from '../testing/vendor-double.ts';
import { tei } from './tei.ts';

const { embeddings, rerank } = tei.supports({});
if (embeddings === undefined || rerank === undefined) throw new Error('tei does both');

describe('tei', () => {
  test.each(['', '/', '/v1', '/v1/'])('finds its paths from a base URL that ends in %p', async (ending) => {
    const task = taskFor({ baseUrl: `http://vectors.example:8080${ending}`, secret: null });
    expect((await embeddings.address(task)).url).toBe('http://vectors.example:8080/v1/embeddings');
    expect((await rerank.address(task)).url).toBe('http://vectors.example:8080/rerank');
  });

  test('needs an address, and a credential only where the server wants one', async () => {
    expect(tei).toMatchObject({ defaultBaseUrl: null, needsCredential: false });
    const task = taskFor({ baseUrl: 'http://vectors.example:8080', secret: null });
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

  test.each([
    ['batch-too-large.json', { message: 'batch size 40 is above the bound of 32', type: 'Validation' }],
    ['wrong-model.json', { message: 'this model does not embed', type: 'backend', status: 424 }],
  ])('a refusal is read from %p', (name, complaint) => {
    const text = fixturesIn(import.meta.dir)(name);
    expect(rerank.protocol.readComplaint(text)).toMatchObject(complaint);
  });
});

vectorVendorCases({
  adapter: tei,
  folder: import.meta.dir,
  secret: null,
  embeddings: {
    fixture: 'embeddings.json',
    model: 'any',
    path: '/v1/embeddings',
    fields: {},
    sent: { input: ['harbour', 'lighthouse'], dimensions: 3, user: 'someone' },
    inputTokens: 8,
  },
  rerank: {
    fixture: 'rerank.json',
    model: 'rerank-2.5',
    path: '/rerank',
    sent: { texts: ['a', 'b', 'c'] },
    scores: [0.03125, 0.8125, 0.25],
    inputTokens: null,
    searchUnits: null,
  },
});

rerankUpstreamCases({
  upstream: rerank.protocol,
  shape: (entries) => entries,
  counted: { answer: [{ index: 0, score: 1 }], inputTokens: null, searchUnits: null },
  sent: { texts: ['a'], raw_scores: true },
});
