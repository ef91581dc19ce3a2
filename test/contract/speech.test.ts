/** POST /v1/audio/speech over real sockets: sound as it arrives, ends that are no ends, and what they cost. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { APIError } from 'openai';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';
import { unitEndpointCases } from '../support/unit-endpoint.cases.ts';
import { type FaultName, startUpstream, type Upstream } from '../support/upstream/index.ts';
import { rawClient } from '../support/upstream/raw-client.ts';

const path = '/v1/audio/speech';
const tokens = { poor: newToken(), locked: newToken(), limited: newToken(), single: newToken() };
const password = 'a long enough password';

/** 15 USD for a million characters. */
const characterPrices = { character: 15 };
const costOf = (characters: number): bigint => BigInt(characters) * 15_000n;

const model = (id: string, prices: object | undefined, ...providers: readonly string[]) => ({
  id,
  type: 'speech',
  owned_by: 'doubles',
  prices,
  providers: providers.map((provider) => ({ provider, upstream_id: `${id}-at-${provider}` })),
});

const file = (urls: { upstream: string; backup: string; own: string }) => ({
  users: [
    { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
    { email: 'poor@example.test', password, role: 'member' },
  ],
  providers: [
    usualProvider(urls.upstream),
    { ...usualProvider(urls.upstream), name: 'hasty', timeouts_ms: { first_byte: 500, idle: 400 } },
    { ...usualProvider(urls.backup), name: 'backup' },
    { ...usualProvider(urls.backup), name: 'waves', kind: 'groq' },
    { ...usualProvider(urls.own), name: 'own' },
    { ...usualProvider(urls.own), name: 'eleven', kind: 'elevenlabs' },
  ],
  models: [
    usualModel,
    { ...model('voice', characterPrices, 'main'), aliases: ['tts-1'] },
    model('voice-by-token', { input: 0.6, output: 12 }, 'main'),
    model('hasty', characterPrices, 'hasty'),
    model('safe', characterPrices, 'hasty', 'backup'),
    model('waves', characterPrices, 'waves'),
    model('waves-then-main', characterPrices, 'waves', 'main'),
    model('eleven-then-main', characterPrices, 'eleven', 'main'),
    model('own', characterPrices, 'own'),
    model('free', { character: 0 }, 'main'),
    model('unpriced', undefined, 'main'),
  ],
  keys: [
    { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
    { name: 'locked', owner, token: tokens.locked, allowed_models: ['free'] },
    { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1, tokens_per_minute: 5000 },
    { name: 'single', owner, token: tokens.single, concurrent_requests: 1 },
  ],
});

interface Spoken {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
}

/** An upstream of one test's own making. */
interface OwnUpstream {
  readonly url: string;
  readonly requests: Spoken[];
  answer: () => Response;
  stop(): void;
}

const sound = Buffer.from('ID3 a little sound');
const answerWithSound = (type = 'audio/mpeg') => new Response(sound, { headers: { 'content-type': type } });

function serveOwn(): OwnUpstream {
  const requests: Spoken[] = [];
  const own = { url: '', requests, answer: () => answerWithSound(), stop: () => void server.stop(true) };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(http) {
      requests.push({ url: new URL(http.url), headers: http.headers, body: await http.json() });
      return own.answer();
    },
  });
  own.url = `http://127.0.0.1:${server.port}/v1`;
  return own;
}

const input = 'The calm river carries small boats.';
const ask = { model: 'voice', input };

describe('speech', () => {
  let sluice: TestSluice;
  let backup: Upstream;
  let own: OwnUpstream;

  beforeAll(async () => {
    backup = startUpstream();
    own = serveOwn();
    sluice = await startTestSluice({
      skipsPauses: true,
      file: (upstream) => file({ upstream, backup: backup.url, own: own.url }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    backup.stop();
    own.stop();
  });
  beforeEach(() => {
    sluice.upstream.forget();
    backup.forget();
    own.requests.length = 0;
    own.answer = () => answerWithSound();
  });

  const post = (body: unknown, headers?: Record<string, string>) => sluice.post(path, body, headers);
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  async function recordOf({ headers }: Response) {
    while (true) {
      const records = await sluice.usage();
      const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
      if (record !== undefined) return record;
      await Bun.sleep(10);
    }
  }

  function start(body: object, token = sluice.token): { answer: Promise<Response>; leave: () => void } {
    const leaving = new AbortController();
    const answer = fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { ...as(token), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    answer.catch(() => undefined);
    return { answer, leave: () => leaving.abort() };
  }

  /** What the upstream itself answers. */
  async function soundOf(response_format: string): Promise<Buffer> {
    const response = await fetch(`${sluice.upstream.url}/audio/speech`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', input, voice: 'v', response_format }),
    });
    return Buffer.from(await response.arrayBuffer());
  }

  const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

  describe('the official client', () => {
    test.each([
      ['mp3', 'audio/mpeg'],
      ['wav', 'audio/wav'],
    ] as const)('gets %s as %s, with every byte of the upstream', async (format, type) => {
      const response = await sluice
        .client()
        .audio.speech.create({ ...ask, voice: 'coral', response_format: format });
      expect(response.headers.get('content-type')).toBe(type);
      const bytes = await bytesOf(response);
      const [received] = sluice.upstream.requests;
      expect(received?.path).toBe('/v1/audio/speech');
      expect(received?.headers['authorization']).toBe('Bearer upstream-secret');
      expect(received?.body).toEqual({
        model: 'voice-at-main',
        input,
        voice: 'coral',
        response_format: format,
      });
      expect(bytes.equals(await soundOf(format))).toBe(true);
    });

    test('gets an error of its own for what is wrong', async () => {
      const answer = sluice.client().audio.speech.create({ ...ask, voice: 'v', response_format: 'opus' });
      const error = await answer.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ status: 422, code: 'validation_failed', param: 'response_format' });
    });
  });

  describe('what is left out', () => {
    test.each([{}, { voice: null, response_format: null, speed: null, instructions: null }])(
      'is mp3 in the voice that the upstream has for it (%j)',
      async (fields) => {
        const response = await post({ ...ask, ...fields });
        expect(response.headers.get('content-type')).toBe('audio/mpeg');
        expect(await bytesOf(response)).toEqual(await soundOf('mp3'));
        expect(sluice.upstream.requests[0]?.body).toEqual({
          model: 'voice-at-main',
          input,
          voice: 'alloy',
          response_format: 'mp3',
        });
      },
    );

    test('is the voice of each host’s own', async () => {
      await (await post({ model: 'waves', input, response_format: 'wav' })).arrayBuffer();
      expect(backup.requests[0]?.body).toMatchObject({ voice: 'autumn' });
    });
  });

  test('speed and instructions reach the upstream', async () => {
    await (await post({ ...ask, speed: 1.5, instructions: 'Softly.' })).arrayBuffer();
    expect(sluice.upstream.requests[0]?.body).toMatchObject({ speed: 1.5, instructions: 'Softly.' });
  });

  test.each(['application/octet-stream', 'audio/x-mpeg', ''])(
    'the content type is that of the format, though the upstream says %p',
    async (type) => {
      own.answer = () => answerWithSound(type);
      const response = await post({ model: 'own', input });
      expect(response.headers.get('content-type')).toBe('audio/mpeg');
      expect(await bytesOf(response)).toEqual(sound);
    },
  );

  describe('bytes', () => {
    test('are passed on as they come: the first are here while the upstream still speaks', async () => {
      const { writer, readable } = newPipe();
      own.answer = () => new Response(readable, { headers: { 'content-type': 'audio/mpeg' } });
      await writer.write(Buffer.from('one'));
      const response = await post({ model: 'own', input });
      const reader = response.body?.getReader();
      const next = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
      expect(await next()).toBe('one');
      await writer.write(Buffer.from('two'));
      expect(await next()).toBe('two');
      await writer.write(Buffer.from('three'));
      expect(await next()).toBe('three');
      await writer.close();
      expect((await reader?.read())?.done).toBe(true);
      expect(await recordOf(response)).toMatchObject({ outcome: 'complete', streamed: true });
    });

    test('survive any cut of the upstream', async () => {
      for (const writes of [{ everyBytes: 1 }, { seed: 3 }, 'joined'] as const) {
        sluice.upstream.enqueue({ shape: { writes } });
        const response = await post({ model: 'voice', input: 'Two boats.' });
        expect((await bytesOf(response)).length).toBe(2 * 417);
      }
    });

    test('that a client reads slowly are not all taken from the upstream', async () => {
      sluice.upstream.enqueue({ fault: { name: 'huge_body', bytes: 64 * 1_048_576 } });
      const { answer, leave } = start(ask);
      const reader = (await answer).body?.getReader();
      await reader?.read();
      await Bun.sleep(500);
      const [received] = sluice.upstream.requests;
      expect(received?.outcome).toBeUndefined();
      // Read once more: a reader that nobody holds any longer is collected, and its connection closed with it.
      expect((await reader?.read())?.done).toBe(false);
      leave();
      await received?.ended;
    });
  });

  describe('the input', () => {
    test('may have 4,096 characters', async () => {
      const response = await post({ ...ask, input: 'x'.repeat(4096) });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      expect((await recordOf(response)).characters).toBe(4096);
    });

    test('is counted as people count: 4,096 boats are 4,096 characters', async () => {
      const response = await post({ model: 'own', input: '🚤'.repeat(4096) });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      expect((await recordOf(response)).characters).toBe(4096);
    });

    test.each(['x'.repeat(4097), '🚤'.repeat(4097), `${'🚤'.repeat(4096)}x`, ''])(
      'is refused with 422 beyond that, and when it is empty (case %#)',
      async (text) => {
        const response = await post({ model: 'own', input: text });
        expect(response.status).toBe(422);
        const { error, detail } = await response.json();
        expect(error).toMatchObject({ code: 'validation_failed', fields: [{ loc: ['input'] }] });
        expect(detail).toBe(error.message);
        expect(own.requests).toHaveLength(0);
      },
    );
  });

  describe('the speed', () => {
    test.each([0.25, 1, 4])('may be %d', async (speed) => {
      const response = await post({ ...ask, speed });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    });

    test.each([0.24, 4.01, 0, -1, '1'])('may not be %p', async (speed) => {
      const response = await post({ ...ask, speed });
      expect(response.status).toBe(422);
      expect((await response.json()).error.param).toBe('speed');
    });
  });

  describe('an upstream that cannot do it', () => {
    test('is passed over, unasked, for one that can', async () => {
      const mp3 = await post({ model: 'waves-then-main', input });
      expect(mp3.headers.get('x-sluice-provider')).toBe('main');
      expect(mp3.headers.get('content-type')).toBe('audio/mpeg');
      await mp3.arrayBuffer();
      expect(backup.counts.requests).toBe(0);
      const wav = await post({ model: 'waves-then-main', input, response_format: 'wav' });
      expect(wav.headers.get('x-sluice-provider')).toBe('waves');
      expect((await bytesOf(wav)).toString('latin1', 0, 4)).toBe('RIFF');
    });

    test('is told as 400 when there is no other', async () => {
      const response = await post({ model: 'waves', input });
      expect(response.status).toBe(400);
      const { error } = await response.json();
      expect(error).toMatchObject({ code: 'invalid_parameter', param: 'response_format' });
      expect(backup.counts.requests).toBe(0);
      expect(await recordOf(response)).toMatchObject({ outcome: 'refused', chargedNanoUsd: 0n });
    });

    test('may be of another kind', async () => {
      const slow = await post({ model: 'eleven-then-main', input, voice: 'aB3' });
      expect(slow.headers.get('x-sluice-provider')).toBe('eleven');
      expect(await bytesOf(slow)).toEqual(sound);
      const [spoken] = own.requests;
      expect(spoken?.url.pathname).toBe('/v1/text-to-speech/aB3');
      expect(spoken?.headers.get('xi-api-key')).toBe('upstream-secret');
      expect(spoken?.body).toEqual({ text: input, model_id: 'eleven-then-main-at-eleven' });
      const fast = await post({ model: 'eleven-then-main', input, speed: 3 });
      expect(fast.headers.get('x-sluice-provider')).toBe('main');
      await fast.arrayBuffer();
      expect(own.requests).toHaveLength(1);
    });
  });

  describe('an upstream that fails before its first byte', () => {
    const faults: readonly [FaultName, number, string][] = [
      ['reset_before_headers', 502, 'upstream_unreachable'],
      ['header_stall', 504, 'upstream_timeout'],
      ['first_token_stall', 504, 'upstream_timeout'],
      ['error_in_200', 502, 'upstream_failed'],
      ['empty_body', 502, 'upstream_invalid_answer'],
      ['html_answer', 502, 'upstream_failed'],
      ['rate_limited', 503, 'upstream_rate_limited'],
      ['status_401', 502, 'upstream_rejected_credentials'],
      ['status_500', 502, 'upstream_failed'],
      ['wrong_model', 502, 'upstream_model_unavailable'],
    ];

    test.each(faults)('by %s is told as %d %s, free of charge', async (fault, status, code) => {
      sluice.upstream.byDefault({ fault });
      const response = await post({ model: 'hasty', input });
      const text = await response.text();
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(JSON.parse(text).error.code).toBe(code);
      expect(text).not.toContain('upstream-secret');
      expect(await recordOf(response)).toMatchObject({
        outcome: 'upstream_failed',
        characters: 0,
        chargedNanoUsd: 0n,
      });
    });

    test.each(faults)('by %s is followed by the next provider', async (fault) => {
      sluice.upstream.byDefault({ fault });
      const response = await post({ model: 'safe', input });
      expect(response.headers.get('x-sluice-provider')).toBe('backup');
      expect(await bytesOf(response)).toHaveLength(6 * 417);
      expect(backup.requests[0]?.body).toMatchObject({ model: 'safe-at-backup', input });
      expect(await recordOf(response)).toMatchObject({ provider: 'backup', chargedNanoUsd: costOf(35) });
    });

    test('by a page of HTML that calls itself a success is followed by the next provider', async () => {
      sluice.upstream.byDefault({ fault: { name: 'html_answer', status: 200 } });
      const response = await post({ model: 'safe', input });
      expect(response.headers.get('x-sluice-provider')).toBe('backup');
      await response.arrayBuffer();
    });

    test('for what is wrong with the request is not followed by another', async () => {
      sluice.upstream.enqueue({ fault: 'content_filter' });
      const response = await post({ model: 'safe', input });
      expect(response.status).toBe(400);
      expect((await response.json()).error.code).toBe('content_filtered');
      expect(backup.counts.requests).toBe(0);
    });
  });

  describe('an upstream that fails in the middle', () => {
    test.each([
      [{ name: 'reset_mid_stream', afterEvents: 3 }, 'upstream_unreachable'],
      [{ name: 'truncated_stream', afterEvents: 3, isAbrupt: true }, 'upstream_unreachable'],
      [{ name: 'mid_stream_stall', afterEvents: 3 }, 'upstream_timeout'],
    ] as const)(
      'by %j breaks the client’s connection, and is paid for as far as it came',
      async (fault, code) => {
        // A pause between the pieces, so that the sound is read before the connection breaks.
        sluice.upstream.enqueue({ fault, shape: { chunkDelayMs: 10 } });
        const response = await post({ model: 'safe', input });
        expect(response.status).toBe(200);
        await expect(response.arrayBuffer()).rejects.toThrow();
        expect(await recordOf(response)).toMatchObject({
          status: 200,
          outcome: 'upstream_failed',
          errorCode: code,
          provider: 'hasty',
          attempts: 1,
          characters: 1,
          estimated: true,
          chargedNanoUsd: costOf(1),
        });
        expect(backup.counts.requests).toBe(0);
      },
    );

    test('leaves an answer without the end that HTTP demands', async () => {
      sluice.upstream.enqueue({
        fault: { name: 'reset_mid_stream', afterEvents: 2 },
        shape: { chunkDelayMs: 10 },
      });
      const body = JSON.stringify(ask);
      const client = await rawClient(Number(new URL(sluice.url).port));
      client.send(
        [
          `POST ${path} HTTP/1.1`,
          'host: sluice.test',
          `authorization: Bearer ${sluice.token}`,
          'content-type: application/json',
          `content-length: ${Buffer.byteLength(body)}`,
          `\r\n${body}`,
        ].join('\r\n'),
      );
      const { bytes } = await client.end;
      const text = bytes.toString('latin1');
      expect(text).toStartWith('HTTP/1.1 200');
      expect(text.toLowerCase()).toContain('transfer-encoding: chunked');
      expect(text).not.toEndWith('0\r\n\r\n');
      expect(text).not.toContain('error');
    });
  });

  describe('a client that leaves', () => {
    test('before the first byte ends the upstream call and pays for the text', async () => {
      const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
      sluice.upstream.enqueue({ shape: { headerDelayMs: 60_000 } });
      const { leave } = start(ask);
      const received = await sluice.upstream.received(1);
      leave();
      await received.ended;
      expect(received.clientClosed).toBe('before_first_byte');
      let record: Awaited<ReturnType<typeof recordOf>> | undefined;
      while (record === undefined) {
        record = (await sluice.usage()).find(({ requestId }) => !known.has(requestId));
        await Bun.sleep(10);
      }
      expect(record).toMatchObject({ outcome: 'client_closed', characters: 35, chargedNanoUsd: costOf(35) });
    });

    test.each([20, 60_000])(
      'in the middle ends the upstream call and pays for the whole (a piece every %d ms)',
      async (chunkDelayMs) => {
        sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs } });
        const { answer, leave } = start(ask);
        const response = await answer;
        const reader = response.body?.getReader();
        await reader?.read();
        const received = await sluice.upstream.received(1);
        leave();
        await received.ended;
        expect(received.clientClosed).toBe('after_first_event');
        expect(received.eventsSent).toBeLessThan(500);
        expect(await recordOf(response)).toMatchObject({
          status: 200,
          outcome: 'client_closed',
          errorCode: null,
          characters: 35,
          chargedNanoUsd: costOf(35),
        });
      },
    );
  });

  test('however an answer ends, a key for one request at once can make the next', async () => {
    const shape = { chunkDelayMs: 10 };
    for (let round = 0; round < 3; round += 1) {
      sluice.upstream.enqueue({ fault: 'reset_mid_stream', shape });
      const broken = await post(ask, as(tokens.single));
      await expect(broken.arrayBuffer()).rejects.toThrow();
      await recordOf(broken);
      sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape });
      const { answer, leave } = start(ask, tokens.single);
      const left = await answer;
      expect((await post(ask, as(tokens.single))).status).toBe(429);
      leave();
      await recordOf(left);
      const whole = await post(ask, as(tokens.single));
      expect(whole.status).toBe(200);
      await whole.arrayBuffer();
      await recordOf(whole);
    }
  });

  describe('the bill', () => {
    test('is by characters, an emoji being one, and known before the sound', async () => {
      const before = await sluice.availableNanoUsd();
      const response = await post({ ...ask, input: 'Fähre 🚤' });
      expect(Number(response.headers.get('x-sluice-cost-usd'))).toBe(0.000_105);
      await response.arrayBuffer();
      expect(await recordOf(response)).toMatchObject({
        endpoint: path,
        model: 'voice',
        upstreamModel: 'voice-at-main',
        characters: 7,
        inputTokens: 0,
        outputTokens: 0,
        estimated: false,
        costNanoUsd: costOf(7),
        chargedNanoUsd: costOf(7),
      });
      expect(before - (await sluice.availableNanoUsd())).toBe(costOf(7));
    });

    test('is estimated where the model has a price for tokens, which nobody counts', async () => {
      const response = await post({
        model: 'voice-by-token',
        input: 'One boat passes the mill, and two do not',
      });
      await response.arrayBuffer();
      expect(await recordOf(response)).toMatchObject({
        characters: 40,
        inputTokens: 10,
        outputTokens: 56,
        estimated: true,
        chargedNanoUsd: 10n * 600n + 56n * 12_000n,
      });
    });

    test('of many at once is the sum of all', async () => {
      const before = await sluice.availableNanoUsd();
      const inputs = Array.from({ length: 20 }, (_, index) => 'boat '.repeat(index + 1));
      const responses = await Promise.all(inputs.map((text) => post({ ...ask, input: text })));
      for (const [index, response] of responses.entries()) {
        expect((await bytesOf(response)).length % 417).toBe(0);
        expect((await recordOf(response)).chargedNanoUsd).toBe(costOf(inputs[index]?.length ?? 0));
      }
      expect(before - (await sluice.availableNanoUsd())).toBe(costOf(5 * 210));
    });
  });

  unitEndpointCases({
    path,
    sluice: () => sluice,
    ask: (id, token) => post({ model: id, input }, token === '' ? { authorization: '' } : as(token)),
    tokens,
    model: 'voice',
    provider: 'main',
    costUsd: () => 0.000_525,
    unpriced: 'unpriced',
    free: 'free',
    takesJson: true,
  });

  describe('refusals', () => {
    test.each([
      [{}, ['model', 'input']],
      [{ model: 1, input: ['x'] }, ['model', 'input']],
      [{ ...ask, voice: '', response_format: 'flac', speed: 9 }, ['voice', 'response_format', 'speed']],
      ...['opus', 'aac', 'pcm', 'MP3'].map(
        (format) => [{ ...ask, response_format: format }, ['response_format']] as const,
      ),
      [{ ...ask, stream_format: 'sse' }, ['stream_format']],
    ])('422 lists each field that is wrong (case %#)', async (body, wrong) => {
      const response = await post(body);
      expect(response.status).toBe(422);
      const { error, detail } = await response.json();
      expect(error.fields.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(wrong);
      expect(detail).toBe(error.message);
      expect(sluice.upstream.counts.requests).toBe(0);
    });
  });
});

/** A body that a test writes itself, piece by piece. */
function newPipe() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 8,
  });
  return { readable, writer: writable.getWriter() };
}
