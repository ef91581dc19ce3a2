import { describe, expect, test } from 'bun:test';
import type { Model } from '../../catalogue/index.ts';
import { readMessagesRequest } from '../../protocols/messages/request.ts';
import { countTexts } from '../../protocols/token-count/count-texts.ts';
import { providerAdapters } from '../../providers/index.ts';
import { embeddings } from './embeddings.ts';
import { messages } from './messages.ts';
import { rerank } from './rerank.ts';
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
    const searchesAt = (...kinds: readonly string[]) => {
      const candidates = kinds.map((kind) => ({ supports: providerAdapters.get(kind)?.supports({}) ?? {} }));
      return messages.mostUsage(ask, { model, candidates }).usage.unseen?.web_search;
    };
    expect(searchesAt('anthropic', 'anthropic')).toBe(2);
    expect(searchesAt('anthropic', 'google')).toBe(10);
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
