import { afterEach, describe, expect, test } from 'bun:test';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import { asResults, rerankUpstreamCases } from '../../protocols/rerank/testing/rerank-upstream.cases.ts';
import { vectorVendorCases } from '../testing/vector-vendor.cases.ts';
import { askVendor, fixturesIn, serveVendor, taskFor, type VendorDouble } from '../testing/vendor-double.ts';
import { cohere } from './cohere.ts';

const fixture = fixturesIn(import.meta.dir);
const { chat, embeddings, rerank } = cohere.supports({});
const [conversation] = chat ?? [];
if (conversation === undefined || embeddings === undefined || rerank === undefined) {
  throw new Error('cohere does all three');
}

let vendor: VendorDouble | undefined;
afterEach(() => vendor?.stop());

describe('cohere', () => {
  test('lives at its own addresses unless a row says otherwise', async () => {
    expect((await conversation.address(taskFor())).url).toBe(
      'https://api.cohere.ai/compatibility/v1/chat/completions',
    );
    expect((await embeddings.address(taskFor())).url).toBe('https://api.cohere.com/v2/embed');
    expect((await rerank.address(taskFor())).url).toBe('https://api.cohere.com/v2/rerank');
  });

  test.each(['', '/', '/v1', '/v2/', '/compatibility/v1'])(
    'finds each of its APIs from a base URL that ends in %p',
    async (ending) => {
      const task = taskFor({ baseUrl: `https://proxy.example/cohere${ending}` });
      const root = 'https://proxy.example/cohere';
      expect((await conversation.address(task)).url).toBe(`${root}/compatibility/v1/chat/completions`);
      expect((await embeddings.address(task)).url).toBe(`${root}/v2/embed`);
      expect((await rerank.address(task)).url).toBe(`${root}/v2/rerank`);
    },
  );

  test('chats in the protocol of chat completions', async () => {
    vendor = serveVendor(fixture('chat.json'));
    const { passthrough } = conversation.protocol;
    const request = readChatRequest(
      '{"model":"m","messages":[{"role":"user","content":"When is the tide?"}]}',
    );
    const body = passthrough?.writeRequest(request, 'command-a-03-2025') ?? '';
    const text = await askVendor(conversation.address(taskFor({ baseUrl: vendor.url }, { body })), body);
    const [asked] = vendor.requests;
    if (asked === undefined) throw new Error('nothing was asked');
    expect(asked.path).toBe('/compatibility/v1/chat/completions');
    expect(asked.headers.get('authorization')).toBe('Bearer k');
    expect(asked.body).toMatchObject({ model: 'command-a-03-2025' });
    expect(passthrough?.readAnswer(text, request).usage).toMatchObject({ inputTokens: 9, outputTokens: 7 });
  });

  test('a refusal is read', () => {
    expect(embeddings.protocol.readComplaint(fixture('invalid-key.json'))?.message).toBe('no such key');
  });
});

vectorVendorCases({
  adapter: cohere,
  folder: import.meta.dir,
  secret: 'k',
  embeddings: {
    fixture: 'embed.json',
    model: 'embed-v4.0',
    path: '/v2/embed',
    fields: { truncate: 'NONE' },
    sent: {
      texts: ['harbour', 'lighthouse'],
      input_type: 'search_query',
      embedding_types: ['float'],
      output_dimension: 3,
      truncate: 'NONE',
    },
    inputTokens: 5,
  },
  rerank: {
    fixture: 'rerank.json',
    model: 'rerank-v3.5',
    path: '/v2/rerank',
    sent: { documents: ['a', 'b', 'c'] },
    scores: [0.03125, 0.8125, 0.25],
    inputTokens: null,
    searchUnits: 1,
  },
});

rerankUpstreamCases({
  upstream: rerank.protocol,
  shape: asResults,
  counted: {
    answer: {
      results: [{ index: 0, relevance_score: 1 }],
      meta: { billed_units: { search_units: 2 } },
    },
    inputTokens: null,
    searchUnits: 2,
  },
  sent: { documents: ['a'], max_tokens_per_doc: 500 },
});
