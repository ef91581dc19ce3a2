/** What upstreams do wrong, and what a client sees of it: a real error, the next provider, or an error in the stream. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { type FaultName, refusedUrl, startUpstream, type Upstream } from '../support/upstream/index.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
const ask = { model: 'double-1', messages };

describe('faults of upstreams', () => {
  let sluice: TestSluice;
  let backup: Upstream;

  beforeAll(async () => {
    backup = startUpstream();
    const nobody = await refusedUrl();
    sluice = await startTestSluice({
      file: (upstreamUrl) => ({
        providers: [
          usualProvider(upstreamUrl),
          { ...usualProvider(backup.url), name: 'backup' },
          { ...usualProvider(nobody.url), name: 'nobody' },
        ],
        models: [
          usualModel,
          {
            ...usualModel,
            id: 'safe',
            aliases: [],
            providers: [
              { provider: 'main', upstream_id: 'safe-main' },
              { provider: 'backup', upstream_id: 'safe-backup' },
            ],
          },
          {
            ...usualModel,
            id: 'refused',
            aliases: [],
            providers: [{ provider: 'nobody', upstream_id: 'x' }],
          },
        ],
      }),
      variables: {
        SLUICE_UPSTREAM_CONNECT_TIMEOUT_MS: '400',
        SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1500',
        SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000',
      },
    });
  });
  afterAll(async () => {
    await sluice.stop();
    backup.stop();
  });
  beforeEach(() => {
    sluice.upstream.forget();
    backup.forget();
  });

  async function refusal(model: string, stream: boolean): Promise<APIError> {
    try {
      const answer = await sluice.client().chat.completions.create({ ...ask, model, stream });
      if (!('choices' in answer)) for await (const _ of answer);
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error('it was answered');
  }

  /** Before the first content every fault becomes an HTTP error, in both forms of answer. */
  const early: readonly [FaultName, number, string][] = [
    ['reset_before_headers', 502, 'upstream_unreachable'],
    ['header_stall', 504, 'upstream_timeout'],
    ['error_in_200', 502, 'upstream_failed'],
    ['html_answer', 502, 'upstream_failed'],
    ['empty_body', 502, 'upstream_invalid_answer'],
    ['rate_limited', 503, 'upstream_rate_limited'],
    ['status_500', 502, 'upstream_failed'],
    ['status_503', 503, 'upstream_overloaded'],
    ['status_401', 502, 'upstream_rejected_credentials'],
    ['status_403', 502, 'upstream_rejected_credentials'],
    ['wrong_model', 502, 'upstream_model_unavailable'],
  ];

  describe.each(early)('%s', (fault, status, code) => {
    test.each([false, true])(`is told as ${status} ${code} (streamed: %p)`, async (stream) => {
      sluice.upstream.byDefault({ fault });
      expect(await refusal('double-1', stream)).toMatchObject({ status, code });
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({
        outcome: 'upstream_failed',
        status,
        errorCode: code,
        chargedNanoUsd: 0n,
      });
    });

    test.each([false, true])('goes to the next provider when there is one (streamed: %p)', async (stream) => {
      sluice.upstream.byDefault({ fault });
      const response = await sluice.post('/v1/chat/completions', { ...ask, model: 'safe', stream });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-provider')).toBe('backup');
      await response.text();
      expect(backup.requests[0]?.body).toMatchObject({ model: 'safe-backup' });
    });
  });

  test('connection refused: 502, after one more try', async () => {
    expect(await refusal('refused', false)).toMatchObject({ status: 502, code: 'upstream_unreachable' });
    expect((await sluice.usage()).at(-1)).toMatchObject({ attempts: 2 });
  });

  test.each([false, true])(
    'the only provider is asked again after a failure of its own (streamed: %p)',
    async (stream) => {
      sluice.upstream.enqueue({ fault: 'status_500' });
      const response = await sluice.post('/v1/chat/completions', { ...ask, stream });
      expect(response.status).toBe(200);
      await response.text();
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({ outcome: 'complete', attempts: 2 });
      expect(sluice.upstream.counts.requests).toBe(2);
    },
  );

  test('a client that leaves before the second try ends the request', async () => {
    // Long enough before the second try that it cannot come first.
    sluice.upstream.byDefault({ fault: { name: 'rate_limited', retryAfter: 2 } });
    const leaving = new AbortController();
    const asked = fetch(`${sluice.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(ask),
      signal: leaving.signal,
    });
    while (sluice.upstream.counts.requests === 0) await Bun.sleep(1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await sluice.nextUsage(({ outcome }) => outcome === 'client_closed');
    expect(sluice.upstream.counts.requests).toBe(1);
  });

  test('a provider that is slow to begin is left for the next one, and the last is waited for', async () => {
    const hasty = await startTestSluice({
      file: (upstreamUrl) => ({
        providers: [
          { ...usualProvider(upstreamUrl), timeouts_ms: { first_byte: 60_000, fail_over: 100 } },
          { ...usualProvider(backup.url), name: 'backup' },
        ],
        models: [
          {
            ...usualModel,
            providers: [
              { provider: 'main', upstream_id: 'slow' },
              { provider: 'backup', upstream_id: 'quick' },
            ],
          },
          { ...usualModel, id: 'alone', aliases: [], providers: [{ provider: 'main', upstream_id: 'slow' }] },
        ],
      }),
    });
    const moved = Promise.withResolvers<void>();
    hasty.upstream.byDefault({ shape: { hold: { until: moved.promise, lastWrites: 1000 } } });
    const answer = (model: string) => hasty.post('/v1/chat/completions', { ...ask, model, stream: true });
    const alone = answer('alone');
    const quick = await answer(usualModel.id);
    expect(quick.headers.get('x-sluice-provider')).toBe('backup');
    moved.resolve();
    const waited = await alone;
    expect(waited.headers.get('x-sluice-provider')).toBe('main');
    await Promise.all([quick.text(), waited.text()]);
    await hasty.stop();
  });

  test('a prompt too long for one provider goes to the next when its window is larger', async () => {
    const windows = await startTestSluice({
      file: (upstreamUrl) => ({
        providers: [usualProvider(upstreamUrl), { ...usualProvider(backup.url), name: 'backup' }],
        models: [
          {
            ...usualModel,
            context_window: 128_000,
            providers: [
              { provider: 'main', upstream_id: 'short', context_window: 32_000 },
              { provider: 'backup', upstream_id: 'long' },
            ],
          },
        ],
      }),
    });
    windows.upstream.byDefault({ fault: 'context_overflow' });
    const response = await windows.post('/v1/chat/completions', ask);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-provider')).toBe('backup');
    backup.byDefault({ fault: 'context_overflow' });
    const refused = await windows.post('/v1/chat/completions', ask);
    expect(refused.status).toBe(400);
    expect((await refused.json()).error).toMatchObject({ code: 'context_length_exceeded' });
    await windows.stop();
  });

  test('an upstream’s Retry-After is passed on', async () => {
    sluice.upstream.byDefault({ fault: { name: 'rate_limited', retryAfter: 17 } });
    expect((await refusal('double-1', false)).headers?.get('retry-after')).toBe('17');
  });

  test('what the request itself is refused for does not go to the next provider', async () => {
    for (const fault of ['content_filter', 'context_overflow', 'status_400'] as const) {
      sluice.upstream.enqueue({ fault });
      expect((await refusal('safe', false)).status).toBe(400);
    }
    expect(backup.counts.requests).toBe(0);
  });

  test('a stream that stalls, breaks or errs before its first content goes to the next provider', async () => {
    for (const fault of [
      { name: 'first_token_stall', afterEvents: 1, commentEveryMs: 50 },
      { name: 'in_band_error', afterEvents: 0 },
      { name: 'in_band_error', afterEvents: 1 },
      { name: 'truncated_stream', afterEvents: 1 },
      { name: 'reset_mid_stream', afterEvents: 1 },
      { name: 'malformed_chunk', afterEvents: 1, events: 4 },
    ] as const) {
      sluice.upstream.byDefault({ fault });
      const response = await sluice.post('/v1/chat/completions', { ...ask, model: 'safe', stream: true });
      expect(`${fault.name} ${response.headers.get('x-sluice-provider')}`).toBe(`${fault.name} backup`);
      expect((await response.text()).trimEnd()).toEndWith('[DONE]');
    }
  });

  describe('after the first content', () => {
    test.each([
      [{ name: 'reset_mid_stream', afterEvents: 3 }, 'upstream_unreachable'],
      [{ name: 'truncated_stream', afterEvents: 3 }, 'upstream_invalid_answer'],
      [{ name: 'truncated_stream', afterEvents: 3, isAbrupt: true }, 'upstream_unreachable'],
      [{ name: 'mid_stream_stall', afterEvents: 3 }, 'upstream_timeout'],
      [{ name: 'mid_stream_stall', afterEvents: 3, commentEveryMs: 50 }, 'upstream_timeout'],
      [{ name: 'in_band_error', afterEvents: 3 }, 'upstream_failed'],
      [{ name: 'malformed_chunk', afterEvents: 3, events: 4 }, 'upstream_invalid_answer'],
    ] as const)('%j becomes an error in the stream, never a clean end', async (fault, code) => {
      // A pause between the pieces, so that the content is read before the connection breaks.
      sluice.upstream.enqueue({ fault, shape: { chunkDelayMs: 10 } });
      const response = await sluice.post('/v1/chat/completions', { ...ask, stream: true });
      expect(response.status).toBe(200);
      const frames = (await response.text())
        .trim()
        .split('\n\n')
        .filter((frame) => frame.startsWith('data:'));
      expect(frames.at(-1)).not.toContain('[DONE]');
      expect(JSON.parse(frames.at(-1)?.slice(6) ?? '').error).toMatchObject({ code });
      for (const frame of frames) expect(() => JSON.parse(frame.slice(6))).not.toThrow();
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({ outcome: 'upstream_failed', errorCode: code });
      expect(record?.chargedNanoUsd).toBeGreaterThan(0n);
    });

    test('the official client throws', async () => {
      sluice.upstream.enqueue({ fault: { name: 'truncated_stream', afterEvents: 3 } });
      const stream = await sluice.client().chat.completions.create({ ...ask, stream: true });
      const read = async () => {
        for await (const _ of stream);
      };
      await expect(read()).rejects.toBeInstanceOf(APIError);
    });
  });

  test('a whole answer that stops half-way is no answer', async () => {
    for (const fault of [
      'reset_mid_stream',
      'truncated_stream',
      'malformed_chunk',
      'mid_stream_stall',
    ] as const) {
      sluice.upstream.byDefault({ fault });
      expect((await refusal('double-1', false)).status).toBeGreaterThanOrEqual(502);
    }
  });

  test('an answer beyond every bound is refused without being held', async () => {
    // One that waits as long as it takes to send so much.
    const patient = await startTestSluice();
    for (const [stream, bytes] of [
      [false, 80_000_000],
      [true, 40_000_000],
    ] as const) {
      patient.upstream.enqueue({ fault: { name: 'huge_body', bytes } });
      const response = await patient.post('/v1/chat/completions', { ...ask, stream });
      expect((await response.json()).error).toMatchObject({ code: 'upstream_invalid_answer' });
    }
    await patient.stop();
  });

  test('nothing of the upstream’s address or key is in an error', async () => {
    sluice.upstream.byDefault({ fault: 'status_401' });
    const response = await sluice.post('/v1/chat/completions', ask);
    const text = await response.text();
    expect(text).not.toContain('upstream-secret');
    expect(text).not.toContain(String(sluice.upstream.port));
  });
});
