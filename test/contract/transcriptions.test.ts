/** POST /v1/audio/transcriptions over real sockets: uploads whole, broken, slow and too large, and what they cost. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { mp3Frames, wavFile } from '../../src/protocols/audio-file/testing/plain-files.ts';
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
import { type RawClient, rawClient } from '../support/upstream/raw-client.ts';

const path = '/v1/audio/transcriptions';
const mebibyte = 1_048_576;
const tokens = { poor: newToken(), locked: newToken(), chatOnly: newToken(), limited: newToken() };
const password = 'a long enough password';

/** 0.0001 USD a second, so that a millisecond is 100 nano-USD. */
const secondPrices = { audio_second: 100 };
const costOfMs = (audioMs: number): bigint => BigInt(audioMs) * 100n;

interface Deployment {
  readonly provider: string;
  readonly upstream_id: string;
}

const model = (id: string, prices: object | undefined, ...providers: readonly Deployment[]) => ({
  id,
  type: 'transcription',
  owned_by: 'doubles',
  prices,
  providers,
});

const main = { provider: 'main', upstream_id: 'whisper-1' };
const file = (urls: { upstream: string; backup: string; deepgram: string }) => ({
  users: [
    { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
    { email: 'poor@example.test', password, role: 'member' },
  ],
  providers: [
    usualProvider(urls.upstream),
    { ...usualProvider(urls.backup), name: 'backup' },
    { ...usualProvider(urls.deepgram), name: 'deepgram', kind: 'deepgram' },
  ],
  models: [
    usualModel,
    model('ears', secondPrices, main),
    model(
      'ears-by-token',
      { input: 2.5, output: 10 },
      { provider: 'main', upstream_id: 'gpt-4o-transcribe' },
    ),
    {
      ...model('ears-by-deepgram', secondPrices, { provider: 'deepgram', upstream_id: 'nova-3' }),
      aliases: ['listener'],
    },
    model('safe', secondPrices, main, { provider: 'backup', upstream_id: 'whisper-2' }),
    model('across', secondPrices, main, { provider: 'deepgram', upstream_id: 'nova-3' }),
    model('free', { audio_second: 0 }, main),
    model('unpriced', undefined, main),
  ],
  keys: [
    { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
    { name: 'locked', owner, token: tokens.locked, allowed_models: ['free'] },
    { name: 'chat only', owner, token: tokens.chatOnly, allowed_models: ['double-1'] },
    { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1, tokens_per_minute: 5000 },
  ],
});

interface Listened {
  readonly url: URL;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

interface DeepgramDouble {
  readonly url: string;
  readonly requests: Listened[];
  /** In seconds; null when it does not say. */
  duration: number | null;
  stop(): void;
}

function serveDeepgram(): DeepgramDouble {
  const requests: Listened[] = [];
  const double = { url: '', requests, duration: 9.5, stop: () => void server.stop(true) };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(http) {
      const bytes = Buffer.from(await http.arrayBuffer());
      requests.push({ url: new URL(http.url), headers: http.headers, bytes });
      const alternatives = [{ transcript: 'Boats pass.', words: [] }];
      return Response.json({
        metadata: { duration: double.duration },
        results: { channels: [{ alternatives, detected_language: 'en' }] },
      });
    },
  });
  double.url = `http://127.0.0.1:${server.port}/v1`;
  return double;
}

const sound = wavFile({ seconds: 2 });

/** The same on every run, and nothing that repeats: a byte at the wrong place changes the hash. */
function noisyWav(bytes: number): Buffer {
  const wav = wavFile({ seconds: 0 });
  const noise = Buffer.alloc(bytes - wav.length);
  let state = 1;
  for (let at = 0; at < noise.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise.writeUInt32LE(state, Math.min(at, noise.length - 4));
  }
  return Buffer.concat([wav, noise]);
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const asFile = (bytes: Uint8Array, name = 'speech.wav'): File => new File([new Uint8Array(bytes)], name);

type FormFields = readonly (readonly [name: string, value: string | File])[];

function asForm(fields: FormFields): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

const boundary = 'a-boundary-of-the-test';
const formType = `multipart/form-data; boundary=${boundary}`;
const formHead = [
  `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nears\r\n`,
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n`,
  'Content-Type: audio/wav\r\n\r\n',
].join('');
const formEnd = `\r\n--${boundary}--\r\n`;
const wholeForm = (bytes: Uint8Array) => Buffer.concat([Buffer.from(formHead), bytes, Buffer.from(formEnd)]);

const asChunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

describe('transcriptions', () => {
  let sluice: TestSluice;
  let backup: Upstream;
  let deepgram: DeepgramDouble;

  beforeAll(async () => {
    backup = startUpstream();
    deepgram = serveDeepgram();
    sluice = await startTestSluice({
      skipsPauses: true,
      file: (upstream) => file({ upstream, backup: backup.url, deepgram: deepgram.url }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    backup.stop();
    deepgram.stop();
  });
  beforeEach(() => {
    sluice.upstream.forget();
    backup.forget();
    deepgram.requests.length = 0;
    deepgram.duration = 9.5;
  });

  const transcribe = (params: Omit<OpenAI.Audio.TranscriptionCreateParamsNonStreaming, 'file'>) =>
    sluice.client().audio.transcriptions.create({ file: asFile(sound), ...params });

  const post = (fields: FormFields, token = sluice.token) =>
    fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: asForm(fields),
    });
  const usual = ['file', asFile(sound)] as const;

  async function refusalOf(response: Response) {
    const { error, detail } = await response.json();
    expect(detail).toBe(error.message);
    return { status: response.status, code: error.code, param: error.param, message: error.message };
  }

  async function recordOf({ headers }: Response) {
    const records = await sluice.usage();
    const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
    if (record === undefined) throw new Error('the request was not recorded');
    return record;
  }

  const headOf = (length: string, type = formType, token = sluice.token): string =>
    [
      `POST ${path} HTTP/1.1`,
      'host: sluice.test',
      `authorization: Bearer ${token}`,
      `content-type: ${type}`,
      length,
      '\r\n',
    ].join('\r\n');

  const connectRaw = (): Promise<RawClient> => rawClient(Number(new URL(sluice.url).port));

  const underWay = (): number => sluice.running.services.metrics.requestsUnderWay;

  async function untilUnderWay(count: number): Promise<void> {
    while (underWay() !== count) await Bun.sleep(10);
  }

  describe('the official client', () => {
    test('gets the text and nothing else, of a file that reached the upstream whole', async () => {
      sluice.upstream.enqueue({ generate: { text: 'Boats pass the mill.' } });
      const answer = await transcribe({ model: 'ears' });
      expect(Object.keys(answer)).toEqual(['text']);
      expect(answer.text).toBe('Boats pass the mill.');
      const [received] = sluice.upstream.requests;
      expect(received?.path).toBe('/v1/audio/transcriptions');
      expect(received?.headers['authorization']).toBe('Bearer upstream-secret');
    });

    test.each([
      ['json', { text: 'Boats pass.' }],
      ['text', 'Boats pass.\n'],
      ['srt', '1\n00:00:00,000 --> 00:00:02,000\nBoats pass.\n\n'],
      ['vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nBoats pass.\n\n'],
      [
        'verbose_json',
        {
          task: 'transcribe',
          language: 'english',
          duration: 2,
          text: 'Boats pass.',
          segments: [
            {
              id: 0,
              start: 0,
              end: 2,
              text: 'Boats pass.',
              temperature: 0,
              avg_logprob: -0.25,
              compression_ratio: 1,
              no_speech_prob: 0.01,
            },
          ],
        },
      ],
    ] as const)('gets the format %s', async (format, expected) => {
      sluice.upstream.enqueue({ generate: { text: 'Boats pass.' } });
      const answer: unknown = await transcribe({ model: 'ears', response_format: format });
      expect(answer).toEqual(expected);
    });

    test('gets subtitles of a model that can write none: one over the whole', async () => {
      sluice.upstream.enqueue({ generate: { text: 'Boats pass.' } });
      const answer: unknown = await transcribe({ model: 'ears-by-token', response_format: 'srt' });
      expect(answer).toBe('1\n00:00:00,000 --> 00:00:02,000\nBoats pass.\n\n');
    });

    test('gets the times of words', async () => {
      sluice.upstream.enqueue({ generate: { text: 'Boats pass.' } });
      const answer = await sluice.client().audio.transcriptions.create({
        file: asFile(sound),
        model: 'ears',
        response_format: 'verbose_json',
        timestamp_granularities: ['word', 'segment'],
      });
      expect(answer.words).toEqual([
        { word: 'Boats', start: 0, end: 1 },
        { word: 'pass.', start: 1, end: 2 },
      ]);
    });

    test('gets 413 as its own error for a file that is too large', async () => {
      const file = asFile(noisyWav(26 * mebibyte));
      const answer = sluice.client().audio.transcriptions.create({ file, model: 'ears' });
      const error = await answer.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ status: 413, code: 'body_too_large', param: 'file' });
    });
  });

  test.each([
    ['json', 'application/json'],
    ['verbose_json', 'application/json'],
    ['text', 'text/plain; charset=utf-8'],
    ['srt', 'text/plain; charset=utf-8'],
    ['vtt', 'text/plain; charset=utf-8'],
  ])('%s comes as %s', async (format, type) => {
    const response = await post([usual, ['model', 'ears'], ['response_format', format]]);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
  });

  describe('the upstream', () => {
    const partsOf = async (upstream: Upstream, at = 0) => {
      const received = upstream.requests[at];
      if (received === undefined) throw new Error('the upstream was not asked');
      const type = received.headers['content-type'] ?? '';
      const parts = await new Response(new Uint8Array(received.bytes), {
        headers: { 'content-type': type },
      }).formData();
      const part = parts.get('file');
      if (!(part instanceof File)) throw new Error('the upstream got no file');
      parts.delete('file');
      return {
        received,
        fields: [...parts].map(([name, value]) => [name, String(value)]),
        file: part,
        bytes: new Uint8Array(await part.arrayBuffer()),
      };
    };

    test('gets the fields that it knows, its own id of the model, and a file named by what it is', async () => {
      const response = await post([
        ['language', 'EN'],
        ['model', 'ears'],
        ['file', asFile(sound, '../odd"name.mp3')],
        ['prompt', 'Mühlen'],
        ['temperature', '0.5'],
        ['response_format', 'text'],
        ['unknown', 'x'],
      ]);
      expect(response.status).toBe(200);
      const { received, fields, file } = await partsOf(sluice.upstream);
      expect(Object.fromEntries(fields)).toEqual({
        model: 'whisper-1',
        language: 'en',
        prompt: 'Mühlen',
        temperature: '0.5',
        response_format: 'verbose_json',
      });
      expect(file.name).toBe('audio.wav');
      expect(received.bodyText).toContain('filename="audio.wav"\r\nContent-Type: audio/wav\r\n\r\n');
      expect(received.headers['content-length']).toBe(String(received.bytes.length));
      expect(received.headers['transfer-encoding']).toBeUndefined();
    });

    test.each([844, 65_537, 25 * mebibyte])('gets every one of %d bytes', async (length) => {
      const wav = noisyWav(length);
      const response = await post([
        ['file', asFile(wav)],
        ['model', 'ears'],
      ]);
      expect(response.status).toBe(200);
      const { received, bytes } = await partsOf(sluice.upstream);
      expect(bytes.length).toBe(length);
      expect(hashOf(bytes)).toBe(hashOf(wav));
      expect(received.headers['content-length']).toBe(String(received.bytes.length));
    });

    test('gets its own file of each of many uploads at once', async () => {
      const files = Array.from({ length: 12 }, (_, index) => noisyWav(100_000 + index * 1000));
      const responses = await Promise.all(
        files.map((wav) =>
          post([
            ['model', 'ears'],
            ['file', asFile(wav)],
          ]),
        ),
      );
      expect(responses.map(({ status }) => status)).toEqual(files.map(() => 200));
      const arrived = await Promise.all(files.map((_, at) => partsOf(sluice.upstream, at)));
      const hashes = arrived.map(({ bytes }) => hashOf(bytes));
      expect(hashes.toSorted()).toEqual(files.map(hashOf).toSorted());
    });

    test.each<[FaultName, number]>([
      ['status_500', 1],
      ['rate_limited', 1],
      ['empty_body', 1],
      ['reset_before_headers', 2],
    ])('that fails by %s is followed by the next, which gets the whole file again', async (fault, tries) => {
      sluice.upstream.byDefault({ fault });
      const wav = noisyWav(300_000);
      const response = await post([
        ['model', 'safe'],
        ['file', asFile(wav)],
      ]);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-provider')).toBe('backup');
      expect(sluice.upstream.requests).toHaveLength(tries);
      const { bytes, fields, received } = await partsOf(backup);
      expect(hashOf(bytes)).toBe(hashOf(wav));
      expect(Object.fromEntries(fields)['model']).toBe('whisper-2');
      expect(received.headers['content-length']).toBe(String(received.bytes.length));
      expect(await recordOf(response)).toMatchObject({ provider: 'backup', attempts: tries + 1 });
    });

    test('may be of another kind: the audio is the body there', async () => {
      sluice.upstream.byDefault({ fault: 'status_503' });
      const response = await post([usual, ['model', 'across'], ['language', 'de']]);
      expect(await response.json()).toEqual({ text: 'Boats pass.' });
      const [listened] = deepgram.requests;
      expect(listened?.url.pathname).toBe('/v1/listen');
      expect(listened?.url.searchParams.get('model')).toBe('nova-3');
      expect(listened?.url.searchParams.get('language')).toBe('de');
      expect(listened?.headers.get('authorization')).toBe('Token upstream-secret');
      expect(listened?.headers.get('content-type')).toBe('audio/wav');
      expect(listened?.headers.get('content-length')).toBe(String(sound.length));
      expect(hashOf(listened?.bytes ?? Buffer.alloc(0))).toBe(hashOf(sound));
    });

    test.each<[FaultName, number, string]>([
      ['reset_before_headers', 502, 'upstream_unreachable'],
      ['malformed_chunk', 502, 'upstream_invalid_answer'],
      ['error_in_200', 502, 'upstream_failed'],
      ['html_answer', 502, 'upstream_failed'],
      ['rate_limited', 503, 'upstream_rate_limited'],
      ['status_401', 502, 'upstream_rejected_credentials'],
      ['status_500', 502, 'upstream_failed'],
      ['status_400', 400, 'upstream_refused_request'],
      ['status_413', 413, 'body_too_large'],
    ])('that fails by %s is told as %d %s, free of charge', async (fault, status, code) => {
      sluice.upstream.byDefault({ fault });
      const response = await post([usual, ['model', 'ears']]);
      const text = await response.text();
      expect(response.status).toBe(status);
      expect(JSON.parse(text).error.code).toBe(code);
      expect(text).not.toContain('upstream-secret');
      expect(await recordOf(response)).toMatchObject({ chargedNanoUsd: 0n, audioMs: 0 });
    });

    test('that cannot give the times of words is not asked for them', async () => {
      const response = await post([
        usual,
        ['model', 'ears-by-token'],
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'word'],
      ]);
      expect(await refusalOf(response)).toMatchObject({
        status: 400,
        code: 'invalid_parameter',
        param: 'timestamp_granularities',
      });
      expect(sluice.upstream.counts.requests).toBe(0);
    });
  });

  describe('the default model', () => {
    test.each<[string, FormFields]>([
      ['left out', []],
      ['empty', [['model', '']]],
    ])('is the first that can transcribe, when the field is %s', async (_name, fields) => {
      const response = await post([usual, ...fields]);
      expect(response.status).toBe(200);
      expect(await recordOf(response)).toMatchObject({ model: 'ears', upstreamModel: 'whisper-1' });
    });

    test('is the first that the key may use', async () => {
      const response = await post([usual], tokens.locked);
      expect(await recordOf(response)).toMatchObject({ model: 'free' });
    });

    test('is missing with 404 when the key may use none', async () => {
      expect(await refusalOf(await post([usual], tokens.chatOnly))).toMatchObject({
        status: 404,
        code: 'model_not_found',
        param: 'model',
      });
    });
  });

  test('an alias means its model', async () => {
    const response = await post([usual, ['model', 'listener']]);
    expect(await recordOf(response)).toMatchObject({ model: 'ears-by-deepgram' });
  });

  describe('an upload', () => {
    test.each([1, 7, 61, 500])('may be cut every %d bytes, through its boundaries too', async (size) => {
      const wav = noisyWav(1500);
      const form = wholeForm(wav);
      const client = await connectRaw();
      client.send(headOf('transfer-encoding: chunked'));
      for (let at = 0; at < form.length; at += size) {
        client.send(asChunk(form.subarray(at, at + size)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      client.send('0\r\n\r\n');
      const answer = await client.until('"text"');
      client.leave();
      expect(answer.toString()).toStartWith('HTTP/1.1 200');
      const [received] = sluice.upstream.requests;
      expect(Buffer.from(received?.bytes ?? []).includes(wav)).toBe(true);
    });

    test('may have its boundary’s beginning in the file', async () => {
      const trap = Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n--\r\n\r\n--${boundary.slice(0, 4)}`);
      const wav = Buffer.concat([noisyWav(900), trap]);
      const response = await fetch(`${sluice.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sluice.token}`, 'content-type': formType },
        body: wholeForm(wav),
      });
      expect(response.status).toBe(200);
      expect(Buffer.from(sluice.upstream.requests[0]?.bytes ?? []).includes(wav)).toBe(true);
    });

    test('is refused with 413 at the byte that is too many, though it goes on', async () => {
      const client = await connectRaw();
      client.send(headOf('transfer-encoding: chunked'));
      client.send(asChunk(Buffer.from(formHead)));
      client.send(asChunk(noisyWav(25 * mebibyte)));
      // The reader cannot know yet that what looks like a file is not the boundary that ends it.
      client.send(asChunk(Buffer.alloc(boundary.length + 5)));
      const answer = await client.until('body_too_large');
      client.leave();
      expect(answer.toString()).toStartWith('HTTP/1.1 413');
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test('is refused with 413 by its declared length alone', async () => {
      const client = await connectRaw();
      client.send(headOf(`content-length: ${26 * mebibyte}`));
      const answer = await client.until('body_too_large');
      client.leave();
      expect(answer.toString()).toStartWith('HTTP/1.1 413');
    });

    test.each([270_000, 25 * mebibyte, 27 * mebibyte])(
      'is refused with 413 for %d bytes beside the file',
      async (length) => {
        const response = await post([usual, ['model', 'ears'], ['unknown', 'x'.repeat(length)]]);
        expect(await refusalOf(response)).toMatchObject({ status: 413, code: 'body_too_large' });
      },
    );

    test('that is sent on after its refusal is passed over, and the connection answers again', async () => {
      const client = await connectRaw();
      client.send(headOf(`content-length: ${26 * mebibyte}`));
      await client.until('body_too_large');
      for (let sent = 0; sent < 26; sent += 1) client.send(Buffer.alloc(mebibyte, 'GET / HTTP/1.1\r\n\r\n'));
      client.send('GET /health HTTP/1.1\r\nhost: sluice.test\r\n\r\n');
      const answer = await client.until('"ok"');
      client.leave();
      expect(answer.toString().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
    });

    test('is refused with 401 before it has come', async () => {
      const client = await connectRaw();
      client.send(headOf(`content-length: ${20 * mebibyte}`, formType, newToken()));
      const answer = await client.until('invalid_token');
      client.leave();
      expect(answer.toString()).toStartWith('HTTP/1.1 401');
    });

    test('that does not end is refused with 408 after its time', async () => {
      const client = await connectRaw();
      client.send(headOf(`content-length: ${20 * mebibyte}`));
      client.send(formHead);
      await untilUnderWay(1);
      sluice.leap(3_600_000);
      const answer = await client.until('request_timeout');
      client.leave();
      expect(answer.toString()).toStartWith('HTTP/1.1 408');
      expect(answer.toString().toLowerCase()).toContain('x-should-retry: true');
      await untilUnderWay(0);
    });

    test('whose client leaves is let go, and nobody is asked or charged', async () => {
      const before = await sluice.usage();
      const client = await connectRaw();
      client.send(headOf(`content-length: ${20 * mebibyte}`));
      client.send(Buffer.concat([Buffer.from(formHead), noisyWav(mebibyte)]));
      await untilUnderWay(1);
      client.leave();
      await untilUnderWay(0);
      expect(sluice.upstream.counts.requests).toBe(0);
      expect(await sluice.usage()).toEqual(before);
    });

    test.each([
      ['without an end', formHead],
      ['without a boundary', 'just bytes'],
      ['with a part without a name', `--${boundary}\r\nContent-Disposition: form-data\r\n\r\nx${formEnd}`],
      ['without anything', ''],
    ])('%s is 400', async (_name, body) => {
      const response = await fetch(`${sluice.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sluice.token}`, 'content-type': formType },
        body,
      });
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'malformed_request' });
    });

    test.each([
      ['application/json', {}, 'unsupported_content_type'],
      ['multipart/form-data', {}, 'malformed_request'],
      [formType, { 'content-encoding': 'gzip' }, 'unsupported_content_type'],
    ])('as %s with %j is 400 %s', async (type, headers, code) => {
      const response = await fetch(`${sluice.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sluice.token}`, 'content-type': type, ...headers },
        body: wholeForm(sound),
      });
      expect(await refusalOf(response)).toMatchObject({ status: 400, code });
    });
  });

  describe('a file', () => {
    test.each<[string, number, string, FormFields]>([
      ['missing', 422, 'validation_failed', []],
      ['that is plain text', 400, 'invalid_parameter', [['file', 'no audio at all']]],
      ['that is empty', 400, 'invalid_parameter', [['file', asFile(Buffer.alloc(0))]]],
      [
        'that only calls itself audio',
        400,
        'invalid_parameter',
        [['file', asFile(Buffer.from('PK\x03\x04 and so on'.repeat(40)), 'speech.mp3')]],
      ],
      ['that is a picture', 400, 'invalid_parameter', [['file', asFile(Buffer.from('\x89PNG\r\n\x1a\n'))]]],
      ['given twice', 400, 'invalid_parameter', [usual, usual]],
    ])('%s is %d %s', async (_name, status, code, fields) => {
      const response = await post([['model', 'ears'], ...fields]);
      expect(await refusalOf(response)).toMatchObject({ status, code, param: 'file' });
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test.each<[string, FormFields]>([
      ['audio', []],
      ['prompt', [usual]],
    ])('under the name %s is 400 and says where it belongs', async (name, others) => {
      const response = await post([['model', 'ears'], ...others, [name, asFile(sound)]]);
      const { status, param, message } = await refusalOf(response);
      expect({ status, param }).toEqual({ status: 400, param: name });
      expect(message).toContain('the field file');
    });

    test('in MP3 is told by its bytes, whatever its name', async () => {
      const response = await post([
        ['model', 'ears'],
        ['file', asFile(mp3Frames(40), 'speech.wav')],
      ]);
      expect(response.status).toBe(200);
      expect(sluice.upstream.requests[0]?.bodyText).toContain('filename="audio.mp3"');
    });
  });

  describe('fields that are wrong', () => {
    test.each<[FormFields, readonly string[]]>([
      [[['language', 'english']], ['language']],
      [[['language', 'xx']], ['language']],
      [[['response_format', 'xml']], ['response_format']],
      [[['temperature', '1.5']], ['temperature']],
      [[['temperature', 'warm']], ['temperature']],
      [
        [
          ['language', 'zz'],
          ['temperature', '-1'],
          ['response_format', 'html'],
        ],
        ['language', 'response_format', 'temperature'],
      ],
      [
        [
          ['language', 'en'],
          ['language', 'de'],
        ],
        ['language'],
      ],
    ])('are listed by 422 (case %#)', async (fields, wrong) => {
      const response = await post([usual, ['model', 'ears'], ...fields]);
      const { error, detail } = await response.json();
      expect(response.status).toBe(422);
      expect(detail).toBe(error.message);
      expect(error.fields.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(wrong);
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test.each<[string, string, string]>([
      ['stream', 'true', 'srt'],
      ['timestamp_granularities[]', 'word', 'json'],
    ])('because nobody offers it with this format are 400: %s', async (name, value, format) => {
      const response = await post([usual, ['model', 'ears'], [name, value], ['response_format', format]]);
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'invalid_parameter' });
    });
  });

  test('a provider without translations cannot be asked for one', async () => {
    const { translations } = sluice.client().audio;
    const ask = async () => translations.create({ model: 'ears-by-deepgram', file: asFile(sound) });
    await expect(ask()).rejects.toMatchObject({ code: 'no_provider' });
    expect(deepgram.requests).toHaveLength(0);
  });

  describe('the bill', () => {
    test('is the seconds that the upstream bills, which it rounds, and not what it measured', async () => {
      const before = await sluice.availableNanoUsd();
      const response = await post([
        ['file', asFile(noisyWav(44 + 16_000 * 2 + 4000))],
        ['model', 'ears'],
      ]);
      expect(Number(response.headers.get('x-sluice-cost-usd'))).toBe(0.0003);
      expect(await recordOf(response)).toMatchObject({
        endpoint: path,
        audioMs: 3000,
        inputTokens: 0,
        outputTokens: 0,
        estimated: false,
        streamed: false,
        costNanoUsd: costOfMs(3000),
        chargedNanoUsd: costOfMs(3000),
      });
      expect(before - (await sluice.availableNanoUsd())).toBe(costOfMs(3000));
    });

    test.each([
      ['the upstream’s where it says them', 9.5, 9500],
      ['the container’s where it does not', null, 2000],
    ])('has %s seconds', async (_name, duration, audioMs) => {
      deepgram.duration = duration;
      const response = await post([usual, ['model', 'ears-by-deepgram']]);
      expect(await recordOf(response)).toMatchObject({
        provider: 'deepgram',
        audioMs,
        estimated: false,
        chargedNanoUsd: costOfMs(audioMs),
      });
    });

    test('is estimated from the size where nobody knows the seconds', async () => {
      deepgram.duration = null;
      const webm = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(15_996)]);
      const response = await post([
        ['file', asFile(webm, 'a.webm')],
        ['model', 'ears-by-deepgram'],
      ]);
      expect(await recordOf(response)).toMatchObject({
        audioMs: 2000,
        estimated: true,
        chargedNanoUsd: costOfMs(2000),
      });
    });

    test('is by tokens where the model has a price for them', async () => {
      sluice.upstream.enqueue({ generate: { promptTokens: 31, tokens: 7 } });
      const response = await post([usual, ['model', 'ears-by-token']]);
      expect(await recordOf(response)).toMatchObject({
        inputTokens: 31,
        outputTokens: 7,
        audioMs: 2000,
        chargedNanoUsd: 31n * 2500n + 7n * 10_000n,
      });
    });

    test('is of no less sound than the tokens of the upstream show, whatever the file says', async () => {
      sluice.upstream.enqueue({ generate: { promptTokens: 3200, tokens: 7 } });
      const response = await post([usual, ['model', 'ears-by-token']]);
      // Two seconds by the file; at most 32 tokens are made of one.
      expect(await recordOf(response)).toMatchObject({ audioMs: 100_000, estimated: true });
    });

    test('is the recording for a client that leaves before the answer, whose upstream call ends', async () => {
      const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
      sluice.upstream.enqueue({ shape: { headerDelayMs: 60_000 } });
      const leaving = new AbortController();
      const answer = fetch(`${sluice.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sluice.token}` },
        body: asForm([usual, ['model', 'safe']]),
        signal: leaving.signal,
      });
      answer.catch(() => undefined);
      const received = await sluice.upstream.received(1);
      leaving.abort();
      await sluice.readsOnNoLonger();
      await received.ended;
      expect(received.clientClosed).toBe('before_first_byte');
      let record: Awaited<ReturnType<typeof recordOf>> | undefined;
      while (record === undefined) {
        record = (await sluice.usage()).find(({ requestId }) => !known.has(requestId));
        await Bun.sleep(10);
      }
      expect(record).toMatchObject({ outcome: 'client_closed', attempts: 1, audioMs: 2000 });
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
      expect(backup.counts.requests).toBe(0);
    });
  });

  unitEndpointCases({
    path,
    sluice: () => sluice,
    ask: (model, token) => post([usual, ['model', model]], token),
    tokens,
    model: 'ears',
    provider: 'main',
    costUsd: () => 0.0002,
    unpriced: 'unpriced',
    free: 'free',
    takesJson: false,
  });
});

describe('a host that streams and translates', () => {
  let sluice: TestSluice;
  let asked: { path: string; form: FormData }[] = [];
  let frames: readonly object[] = [];
  const host = Bun.serve({
    port: 0,
    async fetch(http) {
      const form = await http.formData();
      asked.push({ path: new URL(http.url).pathname, form });
      if (form.get('stream') !== 'true') {
        return Response.json({ task: 'translate', text: 'Boats pass.', language: 'english', duration: 2 });
      }
      const body = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  });

  beforeAll(async () => {
    sluice = await startTestSluice({
      file: () => ({
        providers: [usualProvider(`http://127.0.0.1:${host.port}/v1`)],
        models: [
          model('whisper', secondPrices, main),
          model(
            'by-token',
            { input: 2.5, output: 10 },
            { provider: 'main', upstream_id: 'gpt-4o-transcribe' },
          ),
        ],
      }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    await host.stop(true);
  });
  beforeEach(() => {
    asked = [];
  });

  const delta = (text: string) => ({ type: 'transcript.text.delta' as const, delta: text });
  const usage = { type: 'tokens', input_tokens: 20, output_tokens: 4, total_tokens: 24 };
  const done = { type: 'transcript.text.done', text: 'Boats pass.', usage };
  const streamed = async (id: string) => {
    const { transcriptions } = sluice.client().audio;
    const stream = await transcriptions.create({ model: id, file: asFile(sound), stream: true });
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return events;
  };
  const lastUsage = async () => (await sluice.usage()).at(-1);

  test('its events go to the client as they come, and are paid as it counts them', async () => {
    frames = [delta('Boats '), delta('pass.'), done];
    expect(await streamed('by-token')).toMatchObject([...frames]);
    expect(await lastUsage()).toMatchObject({
      outcome: 'complete',
      inputTokens: 20,
      outputTokens: 4,
      chargedNanoUsd: 20n * 2500n + 4n * 10_000n,
    });
  });

  test('a model that does not stream gives one piece and the end', async () => {
    expect(await streamed('whisper')).toEqual([
      delta('Boats pass.'),
      { type: 'transcript.text.done', text: 'Boats pass.' },
    ]);
    expect(asked[0]?.form.has('stream')).toBe(false);
    expect(await lastUsage()).toMatchObject({ outcome: 'complete', chargedNanoUsd: costOfMs(2000) });
  });

  test('a stream that breaks off is an error, and what was heard is paid', async () => {
    frames = [delta('Boats ')];
    await expect(streamed('by-token')).rejects.toBeInstanceOf(APIError);
    expect(await lastUsage()).toMatchObject({ outcome: 'upstream_failed', estimated: true });
    // The upstream is blamed for an end that cannot be read, and for one that is an error.
    for (const end of [{}, { error: { message: 'no', type: 'server_error' } }]) {
      frames = [delta('Boats '), { type: 'transcript.text.done', ...end }];
      await expect(streamed('by-token')).rejects.toMatchObject({ code: 'upstream_failed' });
      expect(await lastUsage()).toMatchObject({ outcome: 'upstream_failed', errorCode: 'upstream_failed' });
    }
    frames = [{ error: { message: 'no', type: 'server_error' } }];
    await expect(streamed('by-token')).rejects.toMatchObject({ status: 502 });
    expect(await lastUsage()).toMatchObject({ chargedNanoUsd: 0n });
  });

  test('what was spoken is written down in English, with the official client', async () => {
    const { translations } = sluice.client().audio;
    const spoken = asFile(sound);
    expect(await translations.create({ model: 'whisper', file: spoken })).toEqual({ text: 'Boats pass.' });
    expect(asked[0]?.path).toBe('/v1/audio/translations');
    const verbose = await translations.create({
      model: 'whisper',
      file: spoken,
      response_format: 'verbose_json',
    });
    expect(verbose).toMatchObject({ task: 'translate', language: 'english', duration: 2 });
    expect(await lastUsage()).toMatchObject({
      endpoint: '/v1/audio/translations',
      chargedNanoUsd: costOfMs(2000),
    });
  });
});
