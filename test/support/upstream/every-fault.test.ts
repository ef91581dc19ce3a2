/** Every fault in every protocol the double speaks: none of them looks like the good answer. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { type FaultName, faultNames, startUpstream } from './index.ts';

const upstream = startUpstream({ defaultAnswer: { generate: { tokens: 12 } } });
afterAll(() => upstream.stop());
beforeEach(() => upstream.forget());

const root = upstream.url.replace(/\/v1$/, '');
const messages = [{ role: 'user', content: 'Hello' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const form = new FormData();
form.append('model', 'listener-1');
form.append('file', new File(['sound'], 'sound.mp3'));

interface Ask {
  readonly path: string;
  readonly body: object;
}

const streams: Readonly<Record<string, Ask>> = {
  'chat completions': { path: '/v1/chat/completions', body: { model: 'm', messages, stream: true } },
  messages: { path: '/v1/messages', body: { model: 'm', messages, max_tokens: 50, stream: true } },
  responses: { path: '/v1/responses', body: { model: 'm', input: 'Hello', stream: true } },
  generateContent: { path: '/v1beta/models/m:streamGenerateContent?alt=sse', body: { contents } },
  Converse: {
    path: '/model/m/converse-stream',
    body: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
  },
  speech: { path: '/v1/audio/speech', body: { model: 'm', input: 'One two three four five', voice: 'v' } },
};

const wholes: Readonly<Record<string, Ask>> = {
  'chat completions': { path: '/v1/chat/completions', body: { model: 'm', messages } },
  messages: { path: '/v1/messages', body: { model: 'm', messages, max_tokens: 50 } },
  'counting of messages': { path: '/v1/messages/count_tokens', body: { model: 'm', messages } },
  responses: { path: '/v1/responses', body: { model: 'm', input: 'Hello' } },
  generateContent: { path: '/v1beta/models/m:generateContent', body: { contents } },
  'counting of contents': { path: '/v1beta/models/m:countTokens', body: { contents } },
  'embedding of contents': {
    path: '/v1beta/models/m:batchEmbedContents',
    body: { requests: [{ model: 'models/m', content: contents[0] }] },
  },
  Converse: { path: '/model/m/converse', body: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] } },
  embeddings: { path: '/v1/embeddings', body: { model: 'm', input: 'Hello' } },
  reranking: { path: '/v1/rerank', body: { model: 'm', query: 'a', documents: ['a', 'b'] } },
  transcriptions: { path: '/v1/audio/transcriptions', body: form },
};

const stalls: readonly FaultName[] = ['header_stall', 'first_token_stall', 'mid_stream_stall'];

function ask({ path, body }: Ask, signal?: AbortSignal): Promise<Response> {
  const init = { method: 'POST', body: body instanceof FormData ? body : JSON.stringify(body) };
  return fetch(root + path, signal === undefined ? init : { ...init, signal });
}

/** What is seen of an answer, or that it broke off. */
async function seen(asked: Ask): Promise<string> {
  try {
    const response = await ask(asked);
    // Ids differ from request to request.
    const text = (await response.text()).replace(/double[_-]\d+/g, 'double');
    return `${response.status} ${text}`;
  } catch {
    return 'broken off';
  }
}

for (const [kind, asks] of [
  ['streamed', streams],
  ['whole', wholes],
] as const) {
  describe.each(Object.entries(asks))(`%s, ${kind}`, (_protocol, asked) => {
    test.each(faultNames.filter((name) => !stalls.includes(name)))('%s', async (name) => {
      const good = await seen(asked);
      expect(good).toStartWith('200 ');
      upstream.enqueue({ fault: name === 'huge_body' ? { name, bytes: 100_000 } : name });
      expect(await seen(asked)).not.toBe(good);
      expect(await seen(asked)).toBe(good);
    });

    test.each(stalls)('%s', async (fault) => {
      upstream.enqueue({ fault });
      const control = new AbortController();
      const answer = ask(asked, control.signal).then((response) => response.text());
      const request = await upstream.received(1);
      expect(request.outcome).toBeUndefined();
      control.abort();
      await expect(answer).rejects.toThrow();
      expect(await request.ended).toBe('client_closed');
    });
  });
}
