/** Scenarios of what goes wrong: before an answer, inside a stream, and at its end. */
import { expect } from 'bun:test';
import { errorOf, lastUsage, type Scenario } from './scene.ts';

const answers = [
  ['status_400', 400],
  ['status_401', 502],
  ['wrong_model', 502],
  ['rate_limited', 503],
  ['status_500', 502],
  ['error_in_200', 502],
] as const;

/** More events than any protocol needs before its first content. */
const afterEvents = 8;

export const failures: readonly Scenario[] = [
  ...(answers.map(([fault, status]) => ({
    title: `${fault} is a ${status} that costs nothing and tells no secrets`,
    // In a stream this is a frame among others; see below.
    fits: (_client: unknown, _upstream: unknown, streamed: boolean) => fault !== 'error_in_200' || !streamed,
    async play(scene) {
      scene.sluice.upstream.byDefault({ fault });
      const error = await errorOf(scene.talk.say('Hello?'));
      expect(Reflect.get(error, 'status')).toBe(status);
      expect(error.message).not.toMatch(/upstream-secret|org-double|double-account/);
      expect(await lastUsage(scene)).toMatchObject({
        status,
        costNanoUsd: 0n,
        inputTokens: 0,
        outputTokens: 0,
      });
    },
  })) satisfies Scenario[]),
  {
    title: 'an error before the first content is an answer with its status',
    fits: (_client, _upstream, streamed) => streamed,
    async play(scene) {
      scene.sluice.upstream.byDefault({ fault: { name: 'in_band_error', afterEvents: 0 } });
      const error = await errorOf(scene.talk.say('Hello?'));
      expect(Reflect.get(error, 'status')).toBe(502);
      expect((await lastUsage(scene)).costNanoUsd).toBe(0n);
    },
  },
  {
    title: 'an error inside a stream reaches the client, who pays for what came before it',
    fits: (_client, _upstream, streamed) => streamed,
    async play(scene) {
      const generate = { tokens: 30 };
      scene.sluice.upstream.byDefault({ generate, fault: { name: 'in_band_error', afterEvents } });
      await errorOf(scene.talk.say('Go on.'));
      const record = await lastUsage(scene);
      expect(record).toMatchObject({ outcome: 'upstream_failed', status: 200 });
      expect(record.outputTokens).toBeGreaterThan(0);
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
    },
  },
  ...((['truncated_stream', 'reset_mid_stream'] as const).map((name) => ({
    title: `${name} never looks like a whole answer`,
    fits: (_client: unknown, _upstream: unknown, streamed: boolean) => streamed,
    async play(scene) {
      scene.sluice.upstream.byDefault({ generate: { tokens: 30 }, fault: { name, afterEvents } });
      await errorOf(scene.talk.say('Go on.'));
      // Whether what came before a reset was still read is up to the network.
      expect((await lastUsage(scene)).outcome).toBe('upstream_failed');
    },
  })) satisfies Scenario[]),
  {
    title: 'a piece of a stream that is no JSON is left out, and the rest is an answer',
    fits: (_client, _upstream, streamed) => streamed,
    async play(scene) {
      const fault = { name: 'malformed_chunk', afterEvents } as const;
      scene.sluice.upstream.byDefault({ generate: { tokens: 30 }, fault });
      expect((await scene.talk.say('Go on.')).text).not.toBe('');
      expect((await lastUsage(scene)).outcome).toBe('complete');
    },
  },
];
