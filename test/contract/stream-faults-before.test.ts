/** Faults before the first content, over every pair of protocols: an HTTP error, or the next provider's answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  type FaultPair,
  type FaultScene,
  faultPairs,
  startFaultScene,
} from '../support/stream-faults/scene.ts';
import type { Fault, FaultName } from '../support/upstream/faults/fault.ts';
import { parseJson } from '../support/upstream/json.ts';

let scene: FaultScene;
beforeAll(async () => {
  scene = await startFaultScene({
    SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1500',
    SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1500',
  });
});
afterAll(() => scene.stop());
beforeEach(() => {
  scene.sluice.upstream.forget();
  scene.backup.forget();
});

/** Told so by an answer that is whole and by one that is streamed. */
const early: readonly (readonly [FaultName, number, string])[] = [
  ['reset_before_headers', 502, 'upstream_unreachable'],
  ['error_in_200', 502, 'upstream_failed'],
  ['html_answer', 502, 'upstream_failed'],
  ['empty_body', 502, 'upstream_invalid_answer'],
  ['rate_limited', 503, 'upstream_rate_limited'],
  ['status_500', 502, 'upstream_failed'],
  ['status_503', 503, 'upstream_overloaded'],
  ['status_401', 502, 'upstream_rejected_credentials'],
  ['wrong_model', 502, 'upstream_model_unavailable'],
];

/** What only a stream can do. */
const earlyInStreams: readonly (readonly [Fault, number, string])[] = [
  [{ name: 'in_band_error', afterEvents: 0 }, 502, 'upstream_failed'],
  [{ name: 'malformed_chunk', afterEvents: 0, events: 4 }, 502, 'upstream_invalid_answer'],
  [{ name: 'truncated_stream', afterEvents: 0 }, 502, 'upstream_invalid_answer'],
  [{ name: 'reset_mid_stream', afterEvents: 0 }, 502, 'upstream_unreachable'],
];

/** Half of a whole answer is none. */
const cutWholes: readonly FaultName[] = ['reset_mid_stream', 'truncated_stream', 'malformed_chunk'];

/** Another provider would say the same. */
const ownFaults: readonly FaultName[] = ['content_filter', 'context_overflow', 'status_400'];

const stalls: readonly (readonly [Fault, boolean])[] = [
  [{ name: 'header_stall' }, false],
  [{ name: 'header_stall' }, true],
  [{ name: 'mid_stream_stall' }, false],
  [{ name: 'first_token_stall' }, true],
  [{ name: 'first_token_stall', commentEveryMs: 200 }, true],
];

async function refusal({ client, alone }: FaultPair, stream: boolean) {
  const response = await scene.sluice.post(client.path, client.body(alone, stream));
  const text = await response.text();
  expect(text).not.toMatch(/upstream-secret|org-double/);
  return { status: response.status, code: client.codeOf(parseJson(text)) };
}

async function askSafely({ client, safe }: FaultPair, stream: boolean): Promise<void> {
  expect(await client.ask(scene.sluice, safe, stream)).toBe('from the backup');
}

describe.each(faultPairs.map((pair) => [pair.name, pair] as const))('%s', (_name, pair) => {
  for (const stream of [false, true]) {
    const form = stream ? 'streamed' : 'whole';

    test.each(early.map((one) => [...one]))(`%s is told as %i %s (${form})`, async (fault, status, code) => {
      scene.sluice.upstream.byDefault({ fault });
      expect(await refusal(pair, stream)).toEqual({ status, code });
      expect((await scene.sluice.usage()).at(-1)).toMatchObject({ errorCode: code, chargedNanoUsd: 0n });
      await askSafely(pair, stream);
    });

    test(`what the request is refused for goes no further (${form})`, async () => {
      for (const fault of ownFaults) {
        scene.sluice.upstream.byDefault({ fault });
        await expect(pair.client.ask(scene.sluice, pair.safe, stream)).rejects.toMatchObject({ status: 400 });
      }
      expect(scene.backup.counts.requests).toBe(0);
    });
  }

  test.each(earlyInStreams.map((one) => [...one]))('%j is told as %i %s', async (fault, status, code) => {
    scene.sluice.upstream.byDefault({ fault });
    expect(await refusal(pair, true)).toEqual({ status, code });
    await askSafely(pair, true);
  });

  test.each(cutWholes.map((name) => [name]))('%s of a whole answer is no answer', async (fault) => {
    scene.sluice.upstream.byDefault({ fault });
    expect((await refusal(pair, false)).status).toBe(502);
    await askSafely(pair, false);
  });
});

describe.each(stalls.map((one) => [...one]))('%j (streamed: %p)', (fault, stream) => {
  test('is told as 504 by every client over every upstream, or goes to the next provider', async () => {
    scene.sluice.upstream.byDefault({ fault });
    // Binary frames have no comments.
    const pairs = faultPairs.filter(
      ({ upstream }) => !('commentEveryMs' in fault && upstream === 'Converse'),
    );
    await Promise.all(
      pairs.map(async (pair) => {
        expect({ name: pair.name, ...(await refusal(pair, stream)) }).toEqual({
          name: pair.name,
          status: 504,
          code: 'upstream_timeout',
        });
        await askSafely(pair, stream);
      }),
    );
  });
});
