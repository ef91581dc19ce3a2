/** Scenarios of what is counted, recorded and charged. */
import { expect } from 'bun:test';
import { costOf, lastUsage, type Scenario } from './scene.ts';

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
];
