/** The double as a host that speaks, seen through the official client. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { startUpstream, type Upstream } from '../../index.ts';

let upstream: Upstream;
let client: OpenAI;

beforeEach(() => {
  upstream = startUpstream();
  client = new OpenAI({ baseURL: upstream.url, apiKey: 'key-of-the-test', maxRetries: 0 });
});
afterEach(() => upstream.stop());

const ask: OpenAI.Audio.SpeechCreateParams = { model: 'voice-1', input: 'The lock is open.', voice: 'calm' };

const post = (fields: object): Promise<Response> =>
  fetch(`${upstream.url}/audio/speech`, { method: 'POST', body: JSON.stringify({ ...ask, ...fields }) });

test('each word is a frame of MP3, sent for itself', async () => {
  const response = await client.audio.speech.create(ask);
  expect(response.headers.get('content-type')).toBe('audio/mpeg');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.length % 4).toBe(0);
  const frame = bytes.length / 4;
  for (let at = 0; at < bytes.length; at += frame) expect(bytes.readUInt16BE(at)).toBe(0xfffb);
  expect(upstream.requests[0]?.eventsSent).toBe(4);
  expect(upstream.counts.contentTokens).toBe(4);
});

test('a wave begins with its head and is as long as told', async () => {
  upstream.enqueue({ generate: { tokens: 10 } });
  const response = await client.audio.speech.create({ ...ask, response_format: 'wav' });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-type')).toBe('audio/wav');
  expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12)).toBe('RIFFWAVE');
  expect(bytes.length).toBe(44 + (10 * bytes.readUInt32LE(28)) / 20);
});

describe('faults', () => {
  test('sound that breaks off, or is no sound', async () => {
    upstream.enqueue({ fault: 'reset_mid_stream' }, { fault: 'in_band_error' }, { fault: 'empty_body' });
    await expect(post({}).then((response) => response.arrayBuffer())).rejects.toThrow();
    const error = await post({});
    expect([error.status, error.headers.get('content-type')]).toEqual([200, 'application/json']);
    const empty = await post({});
    expect([empty.headers.get('content-type'), (await empty.bytes()).length]).toEqual(['audio/mpeg', 0]);
  });

  test('far too much of it', async () => {
    upstream.enqueue({ fault: { name: 'huge_body', bytes: 1_000_000 } });
    expect((await (await post({})).bytes()).length).toBeGreaterThan(1_000_000);
  });
});

test.each([
  ['no voice', { voice: undefined }, 'voice'],
  ['no words', { input: '' }, 'input'],
  ['too many words', { input: 'x'.repeat(4097) }, 'input'],
  ['too much haste', { speed: 4.5 }, 'speed'],
  ['an unknown format', { response_format: 'midi' }, 'response_format'],
  ['an unknown argument', { pitch: 2 }, 'pitch'],
])('%s is refused', async (_name, fields, param) => {
  const response = await post(fields);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});
