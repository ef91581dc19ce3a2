/** Scenarios of what is counted, recorded and charged. */
import { expect } from 'bun:test';
import { costOf, lastUsage, type Scenario, type Scene } from './scene.ts';

const words = 'Where does the river go?';

/** As each client's protocol asks, without its library: one that leaves does so in the middle of the bytes. */
const rawBodies: Readonly<Record<string, object>> = {
  'chat completions': { messages: [{ role: 'user', content: words }] },
  messages: { messages: [{ role: 'user', content: words }], max_tokens: 9000 },
  responses: { input: words },
  generateContent: { contents: [{ role: 'user', parts: [{ text: words }] }] },
};

function askRaw({ client, upstream, streamed, sluice }: Scene, signal: AbortSignal): Promise<Response> {
  const isGoogle = client.protocol === 'generateContent';
  const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const path = isGoogle ? `/v1beta/models/${upstream.model}:${method}` : client.endpoint;
  const answer = fetch(sluice.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...rawBodies[client.protocol],
      ...(isGoogle ? {} : { model: upstream.model, stream: streamed }),
    }),
    signal,
  });
  answer.catch(() => undefined);
  return answer;
}

async function readUntil(response: Response, word: string): Promise<void> {
  const reader = response.body?.getReader();
  for (let text = ''; !text.includes(word); ) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`the stream ended before ${word}`);
    text += Buffer.from(value).toString();
  }
}

export const money: readonly Scenario[] = [
  {
    title: 'cached tokens are told, recorded and charged once',
    async play(scene) {
      const before = await scene.sluice.availableNanoUsd();
      scene.sluice.upstream.enqueue({ generate: { tokens: 12, promptTokens: 100, cachedTokens: 40 } });
      const { usage } = await scene.talk.say('Once more.');
      expect(usage).toEqual({ input: 100, cached: 40, output: 12 });
      expect(await lastUsage(scene)).toMatchObject({
        endpoint: scene.client.endpoint,
        model: scene.upstream.model,
        provider: scene.upstream.model,
        upstreamModel: scene.upstream.upstreamModel,
        streamed: scene.streamed,
        outcome: 'complete',
        inputTokens: 60,
        cacheReadTokens: 40,
        outputTokens: 12,
        reasoningTokens: 0,
        estimated: false,
        chargedNanoUsd: costOf(60, 40, 12),
      });
      expect(before - (await scene.sluice.availableNanoUsd())).toBe(costOf(60, 40, 12));
    },
  },
  {
    title: 'what many at once were charged is what the upstream counted',
    async play({ sluice, client, upstream, streamed }) {
      const before = await sluice.availableNanoUsd();
      const talks = Array.from({ length: 8 }, (_, index) =>
        client.open(sluice, upstream.model, streamed).say('Go on.', { maxTokens: 16 + index }),
      );
      await Promise.all(talks);
      const { promptTokens, completionTokens } = sluice.upstream.counts;
      expect(before - (await sluice.availableNanoUsd())).toBe(costOf(promptTokens, 0, completionTokens));
    },
  },
  {
    title: 'an answer without counts is estimated, and the record says so',
    // The official client of messages does not live without counts, and passing bytes through adds none.
    fits: (client, upstream) => client.protocol !== 'messages' || client.protocol !== upstream.protocol,
    async play(scene) {
      const text = 'One two three four five six seven eight nine ten.';
      scene.sluice.upstream.enqueue({ generate: { text, usage: 'never' } });
      expect(await scene.talk.say('Count.')).toMatchObject({ text });
      const record = await lastUsage(scene);
      expect(record).toMatchObject({ outcome: 'complete', estimated: true });
      expect(record.outputTokens).toBeGreaterThan(0);
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
    },
  },
  {
    title: 'a client that leaves before the counts pays what the upstream counted, hidden reasoning included',
    async play(scene) {
      const { sluice, streamed } = scene;
      const before = await sluice.availableNanoUsd();
      const counted = Promise.withResolvers<void>();
      sluice.upstream.enqueue({
        generate: { text: 'One two three four five six.', promptTokens: 100, reasoningTokens: 3000 },
        shape: { hold: { until: counted.promise, lastWrites: 2 } },
      });
      const leaving = new AbortController();
      const answer = askRaw(scene, leaving.signal);
      const received = await sluice.upstream.received(1);
      if (streamed) await readUntil(await answer, 'two');
      leaving.abort();
      await sluice.readsOn();
      counted.resolve();
      expect(await received.ended).toBe('answered');
      const outputTokens = received.usage?.completionTokens ?? 0;
      expect(outputTokens).toBeGreaterThan(3000);
      expect(await lastUsage(scene)).toMatchObject({
        outcome: 'client_closed',
        status: streamed ? 200 : 499,
        estimated: false,
        inputTokens: 100,
        outputTokens,
        chargedNanoUsd: costOf(100, 0, outputTokens),
      });
      expect(before - (await sluice.availableNanoUsd())).toBe(costOf(100, 0, outputTokens));
    },
  },
  {
    title: 'a client that leaves before the first content pays for the input',
    async play(scene) {
      const { sluice, streamed } = scene;
      const before = await sluice.availableNanoUsd();
      const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
      const never = new Promise<never>(() => undefined);
      sluice.upstream.enqueue({ shape: { hold: { until: never, lastWrites: 10_000 } } });
      const leaving = new AbortController();
      askRaw(scene, leaving.signal);
      const received = await sluice.upstream.received(1);
      leaving.abort();
      if (!streamed) await sluice.readsOnNoLonger();
      expect(await received.ended).toBe('client_closed');
      const { chargedNanoUsd, inputTokens, outputTokens, reasoningTokens } = await sluice.nextUsage(
        ({ requestId }) => !known.has(requestId),
      );
      expect(inputTokens).toBeWithin(5, 40);
      // A whole answer was waited for, and a model that hides its thoughts has thought meanwhile; nothing else is charged.
      expect(outputTokens).toBe(streamed ? 0 : reasoningTokens);
      expect(chargedNanoUsd).toBe(costOf(inputTokens, 0, outputTokens));
      expect(before - (await sluice.availableNanoUsd())).toBe(chargedNanoUsd);
    },
  },
];
