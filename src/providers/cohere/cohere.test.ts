import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import { readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import {
  askVendor,
  serveVendor,
  type VendorDouble,
} from '../../protocols/embeddings/testing/vendor-double.ts';
import { readRerankRequest } from '../../protocols/rerank/request.ts';
import type { UpstreamTask } from '../provider.ts';
import { cohere } from './cohere.ts';

const fixture = (name: string): string => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8');
const { chat, embeddings, rerank } = cohere.supports({});
const [conversation] = chat ?? [];
if (conversation === undefined || embeddings === undefined || rerank === undefined) {
  throw new Error('cohere does all three');
}

let vendor: VendorDouble | undefined;
afterEach(() => vendor?.stop());

const taskAt = (baseUrl: string | null, body = ''): UpstreamTask => ({
  target: { name: 'main', baseUrl, region: null, secret: 'k', settings: {} },
  model: 'embed-v4.0',
  stream: false,
  body,
  forwarded: {},
});

describe('cohere', () => {
  test('lives at its own addresses unless a row says otherwise', async () => {
    expect((await conversation.address(taskAt(null))).url).toBe(
      'https://api.cohere.ai/compatibility/v1/chat/completions',
    );
    expect((await embeddings.address(taskAt(null))).url).toBe('https://api.cohere.com/v2/embed');
    expect((await rerank.address(taskAt(null))).url).toBe('https://api.cohere.com/v2/rerank');
  });

  test.each(['', '/', '/v1', '/v2/', '/compatibility/v1'])(
    'finds each of its APIs from a base URL that ends in %p',
    async (ending) => {
      const task = taskAt(`https://proxy.example/cohere${ending}`);
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
    const text = await askVendor(conversation.address(taskAt(vendor.url, body)), body);
    expect(vendor.requests[0]?.path).toBe('/compatibility/v1/chat/completions');
    expect(vendor.requests[0]?.headers.get('authorization')).toBe('Bearer k');
    expect(vendor.requests[0]?.body).toMatchObject({ model: 'command-a-03-2025' });
    expect(passthrough?.readAnswer(text, request).usage).toMatchObject({ inputTokens: 9, outputTokens: 7 });
  });

  test('embeds', async () => {
    vendor = serveVendor(fixture('embed.json'));
    const request = readEmbeddingsRequest(
      JSON.stringify({
        model: 'm',
        input: ['harbour', 'lighthouse'],
        dimensions: 3,
        input_type: 'search_query',
        truncate: 'NONE',
        user: 'someone',
      }),
    );
    const body = embeddings.protocol.writeRequest(request, request.inputs, 'embed-v4.0');
    const text = await askVendor(embeddings.address(taskAt(vendor.url, body)), body);
    expect(vendor.requests).toHaveLength(1);
    expect(vendor.requests[0]?.path).toBe('/v2/embed');
    expect(vendor.requests[0]?.headers.get('authorization')).toBe('Bearer k');
    expect(vendor.requests[0]?.body).toEqual({
      model: 'embed-v4.0',
      texts: ['harbour', 'lighthouse'],
      input_type: 'search_query',
      embedding_types: ['float'],
      output_dimension: 3,
      truncate: 'NONE',
    });
    expect(embeddings.protocol.readAnswer(JSON.parse(text), 2)).toEqual({
      vectors: [
        [0.5, -0.25, 0.125],
        [0.0625, 1, -1.5],
      ],
      inputTokens: 5,
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
    const body = rerank.protocol.writeRequest(request, request.documents, 'rerank-v3.5');
    const text = await askVendor(rerank.address(taskAt(vendor.url, body)), body);
    expect(vendor.requests[0]?.path).toBe('/v2/rerank');
    expect(vendor.requests[0]?.body).toEqual({
      model: 'rerank-v3.5',
      query: 'ships',
      documents: ['a', 'b', 'c'],
    });
    expect(rerank.protocol.readAnswer(JSON.parse(text), 3)).toEqual({
      scores: [
        { index: 0, score: 0.03125 },
        { index: 1, score: 0.8125 },
        { index: 2, score: 0.25 },
      ],
      inputTokens: null,
      searchUnits: 1,
    });
  });

  test('a refusal is read', async () => {
    vendor = serveVendor(fixture('invalid-key.json'), 401);
    const body = '{}';
    const text = await askVendor(embeddings.address(taskAt(vendor.url, body)), body);
    expect(embeddings.protocol.readComplaint(text)?.message).toBe('no such key');
  });
});
