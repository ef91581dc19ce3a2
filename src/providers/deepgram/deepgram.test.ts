import { afterAll, describe, expect, test } from 'bun:test';
import { wavFile } from '../../protocols/audio-file/testing/plain-files.ts';
import { readSpeechRequest } from '../../protocols/speech/request.ts';
import type { TranscriptionRequest } from '../../protocols/transcription/transcription.ts';
import { fixturesIn, serveVendor, taskFor } from '../testing/vendor-double.ts';
import { deepgram } from './deepgram.ts';

const fixture = fixturesIn(import.meta.dir);
const { transcription, speech } = deepgram.supports({});
if (transcription === undefined || speech === undefined) throw new Error('it can do both');

const vendor = serveVendor((path) =>
  path === '/v1/speak'
    ? new Response('sound', { headers: { 'content-type': 'audio/mpeg' } })
    : new Response(fixture('transcription.json'), { headers: { 'content-type': 'application/json' } }),
);
afterAll(() => vendor.stop());

const task = taskFor({ baseUrl: `${vendor.url}/v1/` }, { model: 'nova-3' });

const sound = wavFile({ seconds: 1 });
const request: TranscriptionRequest = {
  model: null,
  file: { bytes: sound, container: 'wav', durationMs: 1000 },
  language: 'en',
  prompt: 'Boats.',
  temperature: 0.5,
  format: 'json',
  wordTimes: true,
  task: 'transcribe',
  wantsEvents: false,
};

async function transcribe(changes: Partial<TranscriptionRequest> = {}) {
  const { parts, contentType, query } = transcription?.protocol.writeRequest(
    { ...request, ...changes },
    'nova-3',
  ) ?? { parts: [], contentType: '', query: '' };
  const { url, headers } = (await transcription?.address(task)) ?? { url: '', headers: {} };
  const response = await fetch(`${url}?${query}`, {
    method: 'POST',
    body: new Blob(parts.map((part) => new Uint8Array(part))),
    headers: { ...headers, 'content-type': contentType },
  });
  return transcription?.protocol.readAnswer(await response.json());
}

describe('transcriptions', () => {
  test('the audio is the body, and the options stand in the query', async () => {
    await transcribe();
    expect(vendor.requests.at(-1)?.url.pathname).toBe('/v1/listen');
    expect(Object.fromEntries(vendor.requests.at(-1)?.url.searchParams ?? [])).toEqual({
      model: 'nova-3',
      smart_format: 'true',
      utterances: 'true',
      language: 'en',
    });
    expect(vendor.requests.at(-1)?.headers.get('authorization')).toBe('Token k');
    expect(vendor.requests.at(-1)?.headers.get('content-type')).toBe('audio/wav');
    expect(vendor.requests.at(-1)?.bytes.equals(sound)).toBe(true);
  });

  test('without a language it is detected', async () => {
    await transcribe({ language: undefined });
    expect(vendor.requests.at(-1)?.url.searchParams.get('detect_language')).toBe('true');
    expect(vendor.requests.at(-1)?.url.searchParams.has('language')).toBe(false);
  });

  test('the audio is not copied', () => {
    expect(transcription.protocol.writeRequest(request, 'nova-3').parts[0]).toBe(sound);
  });

  test('the answer has its text, duration, segments and words', async () => {
    const answer = await transcribe();
    expect(answer).toMatchObject({
      text: 'The ferry is late. Take the bridge.',
      language: 'en',
      durationMs: 4268,
      tokens: null,
      segments: [
        { startS: 0.08, endS: 1.4, text: 'The ferry is late.' },
        { startS: 2.6, endS: 3.6, text: 'Take the bridge.' },
      ],
    });
    expect(answer?.words.map(({ text }) => text).join(' ')).toBe('The ferry is late. Take the bridge.');
  });

  test('refusals in the older and the newer form', () => {
    expect(transcription.protocol.readComplaint(fixture('invalid-key.json'))).toMatchObject({
      code: 'INVALID_AUTH',
      message: 'These credentials open no lock.',
    });
    expect(speech.protocol.readComplaint(fixture('invalid-query.json'))).toMatchObject({
      code: 'INVALID_QUERY_PARAMETER',
      message: 'The query cannot be read. no such tide table: high',
    });
    expect(transcription.protocol.readComplaint('<html>')).toBeNull();
  });
});

test('speech is asked for with the voice and the format in the query', async () => {
  const asked = readSpeechRequest(
    JSON.stringify({ model: 'x', input: 'Grüße & more', response_format: 'wav', speed: 0.9 }),
  );
  const { body, path } = speech.protocol.writeRequest(asked, 'aura-2-thalia-en');
  const { url, headers } = await speech.address(task);
  const response = await fetch(url + path, { method: 'POST', body, headers });
  expect(await response.text()).toBe('sound');
  expect(vendor.requests.at(-1)?.url.pathname).toBe('/v1/speak');
  expect(Object.fromEntries(vendor.requests.at(-1)?.url.searchParams ?? [])).toEqual({
    model: 'aura-2-thalia-en',
    encoding: 'linear16',
    container: 'wav',
    speed: '0.9',
  });
  expect(vendor.requests.at(-1)?.headers.get('authorization')).toBe('Token k');
  expect(vendor.requests.at(-1)?.headers.get('content-type')).toBe('application/json');
  expect(JSON.parse(vendor.requests.at(-1)?.bytes.toString() ?? '')).toEqual({ text: 'Grüße & more' });
});

test('without an address of its own a row means the vendor', async () => {
  const target = { ...task.target, baseUrl: null };
  expect((await transcription.address({ ...task, target })).url).toBe('https://api.deepgram.com/v1/listen');
  expect((await speech.address({ ...task, target })).url).toBe('https://api.deepgram.com/v1/speak');
});
