import { describe, expect, test } from 'bun:test';
import type { Deployment, Model } from '../../catalogue/index.ts';
import { readMessagesRequest } from '../../protocols/messages/request.ts';
import { responsesClient } from '../../protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../protocols/responses/request.ts';
import { countTexts } from '../../protocols/token-count/count-texts.ts';
import { translate } from '../../protocols/translate/translate.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { providerAdapters, type Supports } from '../../providers/index.ts';
import type { ChatEndpoint } from './chat-endpoint.ts';
import { embeddings } from './embeddings.ts';
import { messages } from './messages.ts';
import { rerank } from './rerank.ts';
import { responses } from './responses.ts';
import { speech } from './speech.ts';
import { transcriptions } from './transcriptions.ts';

const model: Model = {
  ...{ publicId: 'm', type: 'embedding', ownedBy: 'doubles', aliases: [], contextWindow: null },
  ...{
    maxOutputTokens: null,
    capabilities: [],
    rescue: false,
    prices: null,
    priceVersions: [],
    deployments: [],
    routing: 'order',
    createdAtMs: 0,
  },
};
const serving = { model, candidates: [] };
const supportsOf = (kind: string): Supports => providerAdapters.get(kind)?.supports({}) ?? {};

interface ServedAt {
  readonly kinds: readonly string[];
  readonly upstreamId?: string;
}

function searchesOf(endpoint: ChatEndpoint, ask: InferenceRequest, { kinds, upstreamId = 'm' }: ServedAt) {
  const deployments = kinds.map((kind) => deploymentAt(kind, upstreamId));
  const candidates = kinds.map((kind) => ({ supports: supportsOf(kind) }));
  return endpoint.mostUsage(ask, { model: { ...model, deployments }, candidates }).usage.unseen?.web_search;
}

const deploymentAt = (kind: string, upstreamId: string): Deployment => ({
  provider: {
    ...{ id: 1, name: kind, kind, baseUrl: null, region: null, settings: {} },
    ...{ credentials: [], isDeclared: true, dataClaim: null },
  },
  ...{ upstreamId, contextWindow: null, weight: 1, quantization: null, priceVersions: [] },
});
const texts = ['The tide comes in.', '渡し守は川を渡る', '🚣 3141592653589793'];

describe('the most that is used', () => {
  test('for vectors is above the tokens of the texts, and closer once they are counted', async () => {
    const inputs = [...texts, [1, 2, 3]];
    const json = { model: 'm', input: inputs };
    const ask = {
      ...{ text: JSON.stringify(json), json, model: 'm', inputs, stream: false },
      encodingFormat: 'float' as const,
    };
    const { usage } = embeddings.mostUsage(ask, serving);
    const counted = (await embeddings.countedUsage?.(ask, serving))?.usage.inputTokens ?? 0;
    expect(counted).toBeWithin((await countTexts(texts)) + 3, usage.inputTokens);
  });

  test('for a ranking is above the query with each document, and as many searches as are billed', () => {
    const documents = [...texts, 'long '.repeat(2000)];
    const json = { model: 'm', query: 'boats', documents };
    const ask = {
      ...{ text: JSON.stringify(json), json, model: 'm', query: 'boats', documents, stream: false },
      ...{ version: '1' as const, topN: 4, returnDocuments: false },
    };
    const { usage } = rerank.mostUsage(ask, serving);
    expect(usage.rerankUnits).toBe(1);
    expect(usage.inputTokens).toBeGreaterThan(2000 + 4);
    const many = Array.from({ length: 1001 }, () => 'boat');
    expect(rerank.mostUsage({ ...ask, documents: many }, serving).usage.rerankUnits).toBe(12);
  });

  test('for speech are the characters that are charged', () => {
    const ask = {
      ...{ text: '', json: {}, model: 'm', input: texts.join(' '), stream: true },
      ...{ format: 'mp3' as const, speed: 1 },
    };
    expect(speech.mostUsage(ask, serving).usage.characters).toBe([...texts.join(' ')].length);
  });

  test('for searches is what the request allows, where nobody who may serve it loses the word for that', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }];
    const ask = readMessagesRequest(
      JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], tools }),
    );
    const searchesAt = (...kinds: readonly string[]) => searchesOf(messages, ask, { kinds });
    expect(searchesAt('anthropic', 'anthropic')).toBe(2);
    expect(searchesAt('anthropic', 'google')).toBe(10);
  });

  test.each<[string, object]>([
    ['passes', {}],
    ['is put in its form', { include: [], user: 'keeper' }],
  ])('for searches at Perplexity is what is sent to it, where the request %s', (_, ofOpenai) => {
    const tools = [{ type: 'web_search' }];
    const asked = { model: 'm', input: 'Hi', tools, max_tool_calls: 1, ...ofOpenai };
    const ask = readResponsesRequest(JSON.stringify(asked));
    expect(searchesOf(responses, ask, { kinds: ['perplexity', 'openai'] })).toBe(1);
    expect(searchesOf(responses, ask, { kinds: ['perplexity', 'google'] })).toBe(10);
    const [support] = supportsOf('perplexity').chat ?? [];
    if (support === undefined) throw new Error('Perplexity answers no conversations');
    const translator = translate({ client: responsesClient(), upstream: support.protocol });
    expect(JSON.parse(translator.writeRequest(ask, 'perplexity/sonar'))).toMatchObject({
      tools,
      max_tool_calls: 1,
    });
  });

  test('has a search that nobody asked for only where a model that makes it is asked in chat completions', () => {
    const messagesToo = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    const plain = readMessagesRequest(JSON.stringify(messagesToo));
    const at = (upstreamId: string, ...kinds: readonly string[]) =>
      searchesOf(messages, plain, { kinds, upstreamId });
    expect(at('perplexity/sonar', 'perplexity')).toBeUndefined();
    expect(at('perplexity/sonar', 'openrouter')).toBe(1);
    expect(at('perplexity/sonar', 'perplexity', 'openrouter')).toBe(1);
    expect(at('gpt-4o-search-preview', 'openai')).toBe(1);
    expect(at('gpt-4o', 'openai')).toBeUndefined();
    const asked = readResponsesRequest(JSON.stringify({ model: 'm', input: 'Hi' }));
    const sonar = { kinds: ['perplexity'], upstreamId: 'perplexity/sonar' };
    expect(searchesOf(responses, asked, sonar)).toBeUndefined();
  });

  test.each([
    ['that tells its length', 60_000, false, 61_000, 61_000],
    ['that tells it roughly', 60_000, true, 121_000, 61_000],
    ['that tells nothing', null, false, 1_335_000, 126_000],
    ['that is short', 200, false, 10_000, 10_000],
  ])('for a recording %s', async (_name, durationMs, isDurationEstimated, most, likely) => {
    const file = {
      name: 'a',
      bytes: new Uint8Array(1_000_000),
      container: null,
      durationMs,
      isDurationEstimated,
    };
    const ask = { model: 'm', file, task: 'transcribe', stream: false };
    // Nothing else of a request is looked at.
    const known = ask as unknown as Parameters<typeof transcriptions.mostUsage>[0];
    expect(transcriptions.mostUsage(known, serving).usage.audioMs).toBe(most);
    expect((await transcriptions.countedUsage?.(known, serving))?.usage.audioMs).toBe(likely);
  });
});
