/** The double as a host that listens, seen through the official client. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { startUpstream, type Upstream } from '../../index.ts';
import { readForm } from './read-form.ts';

let upstream: Upstream;
let client: OpenAI;

beforeEach(() => {
  upstream = startUpstream();
  client = new OpenAI({ baseURL: upstream.url, apiKey: 'key-of-the-test', maxRetries: 0 });
});
afterEach(() => upstream.stop());

/** Two seconds, all bytes there are, and what could be mistaken for the end of a part. */
const sound = Buffer.concat([
  Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
  Buffer.from('\r\n--\r\n\r\n'),
  Buffer.alloc(32_000 - 264, 7),
]);
const file = () => toFile(sound, 'speech.mp3');
const ask = async () => ({ model: 'whisper-9', file: await file() });

test('every format says the same words', async () => {
  upstream.byDefault({ generate: { text: 'the lock is open' } });
  const json = await client.audio.transcriptions.create(await ask());
  expect(json).toMatchObject({ text: 'the lock is open', usage: { type: 'duration', seconds: 2 } });
  const { audio } = client;
  expect(await audio.transcriptions.create({ ...(await ask()), response_format: 'text' })).toBe(
    'the lock is open\n',
  );
  const srt = await audio.transcriptions.create({ ...(await ask()), response_format: 'srt' });
  expect(srt).toContain('00:00:00,000 --> 00:00:02,000\nthe lock is open');
  const vtt = await audio.transcriptions.create({ ...(await ask()), response_format: 'vtt' });
  expect(vtt).toStartWith('WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n');
});

test('the long format has the duration, segments, and words when asked for', async () => {
  upstream.byDefault({ generate: { text: 'open lock' } });
  const long = { ...(await ask()), response_format: 'verbose_json' as const };
  const plain = await client.audio.transcriptions.create(long);
  expect(plain).toMatchObject({ duration: 2, segments: [{ start: 0, end: 2, text: 'open lock' }] });
  expect(plain.words).toBeUndefined();
  const timed = await client.audio.transcriptions.create({ ...long, timestamp_granularities: ['word'] });
  expect(timed.words).toEqual([
    { word: 'open', start: 0, end: 1 },
    { word: 'lock', start: 1, end: 2 },
  ]);
});

test('a model that bills tokens tells them, and they are kept in the books', async () => {
  upstream.enqueue({ generate: { text: 'open lock', promptTokens: 30 } });
  const { usage } = await client.audio.transcriptions.create({ ...(await ask()), model: 'gpt-listen' });
  expect(usage).toMatchObject({ type: 'tokens', input_tokens: 30, output_tokens: 2, total_tokens: 32 });
  expect(upstream.counts).toMatchObject({ promptTokens: 30, completionTokens: 2 });
});

test('the bytes of the file arrive as they were sent, and the script knows the model', async () => {
  upstream.forModel('whisper-9', { generate: { text: 'known' } });
  expect((await client.audio.transcriptions.create(await ask())).text).toBe('known');
  const [request] = upstream.requests;
  const parts = readForm(request?.headers['content-type'] ?? '', request?.bytes ?? new Uint8Array());
  expect(parts?.find((part) => part.name === 'file')?.bytes.equals(sound)).toBe(true);
});

describe('it refuses', () => {
  async function status(fields: Record<string, string | Blob | null>): Promise<number> {
    const form = new FormData();
    const all = { model: 'whisper-9', file: new File([sound], 'speech.mp3'), ...fields };
    for (const [name, value] of Object.entries(all)) if (value !== null) form.append(name, value);
    return (await fetch(`${upstream.url}/audio/transcriptions`, { method: 'POST', body: form })).status;
  }

  test.each([
    ['no file', { file: null }, 400],
    ['an empty file', { file: new File([], 'speech.mp3') }, 400],
    ['a file of no known kind', { file: new File([sound], 'speech.txt') }, 400],
    ['a file that is too large', { file: new File([Buffer.alloc(26_300_000)], 'speech.mp3') }, 413],
    ['no model', { model: null }, 400],
    ['an unknown argument', { diarise: 'yes' }, 400],
    ['a format that the model cannot write', { model: 'gpt-listen', response_format: 'srt' }, 400],
    ['times without the long format', { 'timestamp_granularities[]': 'word' }, 400],
    ['a language in words', { language: 'English' }, 400],
  ])('%s', async (_name, fields, expected) => {
    expect(await status(fields)).toBe(expected);
    expect(await status({})).toBe(200);
  });

  test('what is no form', async () => {
    const response = await fetch(`${upstream.url}/audio/transcriptions`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(400);
  });
});

test('a fault is an error here too', async () => {
  upstream.enqueue({ fault: 'status_500' });
  const answer = await client.audio.transcriptions.create(await ask()).catch((error: unknown) => error);
  expect(answer).toBeInstanceOf(OpenAI.InternalServerError);
});
