import { afterAll, describe, expect, test } from 'bun:test';
import { wavFile } from '../../protocols/audio-file/testing/plain-files.ts';
import { readSpeechRequest } from '../../protocols/speech/request.ts';
import type { TranscriptionRequest } from '../../protocols/transcription/transcription.ts';
import { fixturesIn, formOf, serveVendor, taskFor } from '../testing/vendor-double.ts';
import { elevenlabs } from './elevenlabs.ts';

const fixture = fixturesIn(import.meta.dir);
const { transcription, speech } = elevenlabs.supports({});
if (transcription === undefined || speech === undefined) throw new Error('it can do both');

const vendor = serveVendor((path) =>
  path.startsWith('/v1/text-to-speech/')
    ? new Response('sound', { headers: { 'content-type': 'audio/mpeg' } })
    : new Response(fixture('transcription.json'), { headers: { 'content-type': 'application/json' } }),
);
afterAll(() => vendor.stop());

const task = taskFor({ baseUrl: `${vendor.url}/v1` }, { model: 'scribe_v2' });

const sound = wavFile({ seconds: 1 });
const request: TranscriptionRequest = {
  model: null,
  file: { bytes: sound, container: 'wav', durationMs: 1000 },
  language: 'en',
  temperature: 0.5,
  format: 'json',
  wordTimes: false,
  task: 'transcribe',
  wantsEvents: false,
};

describe('transcriptions', () => {
  test('a form with the file, read by a server', async () => {
    const { parts, contentType, query } = transcription.protocol.writeRequest(request, 'scribe_v2');
    const { url, headers } = await transcription.address(task);
    const response = await fetch(url, {
      method: 'POST',
      body: new Blob(parts.map((part) => new Uint8Array(part))),
      headers: { ...headers, 'content-type': contentType },
    });
    const received = vendor.requests.at(-1);
    if (received === undefined) throw new Error('nothing was asked');
    const form = await formOf(received);
    expect(query).toBe('');
    expect(received.url.pathname).toBe('/v1/speech-to-text');
    expect(received.headers.get('xi-api-key')).toBe('k');
    expect(received.headers.has('authorization')).toBe(false);
    const file = form.get('file');
    if (!(file instanceof File)) throw new Error('the form has no file');
    expect(file.name).toBe('audio.wav');
    expect(Buffer.from(parts[0] ?? []).toString()).toEndWith('\r\nContent-Type: audio/wav\r\n\r\n');
    expect(Buffer.from(await file.arrayBuffer()).equals(sound)).toBe(true);
    form.delete('file');
    expect(Object.fromEntries(form)).toEqual({
      model_id: 'scribe_v2',
      language_code: 'en',
      temperature: '0.5',
      timestamps_granularity: 'word',
      tag_audio_events: 'false',
    });
    const answer = transcription.protocol.readAnswer(await response.json());
    expect(answer).toMatchObject({
      text: 'The ferry is late. Take the bridge.',
      language: 'eng',
      durationMs: 3100,
      segments: [
        { startS: 0.1, endS: 1.4, text: 'The ferry is late.' },
        { startS: 1.5, endS: 2.6, text: 'Take the bridge.' },
      ],
    });
    expect(answer.words).toHaveLength(7);
  });

  test('the audio is not copied', () => {
    expect(transcription.protocol.writeRequest(request, 'm').parts[1]).toBe(sound);
  });

  test('refusals in all their forms', () => {
    const { readComplaint } = transcription.protocol;
    expect(readComplaint(fixture('invalid-key.json'))).toMatchObject({
      code: 'invalid_api_key',
      message: 'This key opens no lock.',
    });
    expect(speech.protocol.readComplaint(fixture('unknown-voice.json'))).toEqual({
      code: 'voice_not_found',
      type: 'not_found',
      message: 'Nobody here has that voice.',
      param: 'voice_id',
      status: null,
    });
    expect(readComplaint(fixture('missing-field.json'))).toMatchObject({
      message: 'Field required',
      param: 'model_id',
      type: 'missing',
    });
    expect(readComplaint('{"detail":"Not here."}')).toMatchObject({ message: 'Not here.' });
    expect(readComplaint('{"text":"an answer"}')).toBeNull();
  });
});

test('speech is asked for with the voice in the path and the format in the query', async () => {
  const asked = readSpeechRequest(JSON.stringify({ model: 'x', input: 'Hello', voice: 'aB3', speed: 1.1 }));
  const { body, path } = speech.protocol.writeRequest(asked, 'eleven_flash_v2_5');
  const { url, headers } = await speech.address(task);
  const response = await fetch(url + path, { method: 'POST', body, headers });
  expect(await response.text()).toBe('sound');
  const received = vendor.requests.at(-1);
  expect(received?.url.pathname).toBe('/v1/text-to-speech/aB3');
  expect(received?.url.search).toBe('?output_format=mp3_44100_128');
  expect(received?.headers.get('xi-api-key')).toBe('k');
  expect(JSON.parse(received?.bytes.toString() ?? '')).toEqual({
    text: 'Hello',
    model_id: 'eleven_flash_v2_5',
    voice_settings: { speed: 1.1 },
  });
});

test('without an address of its own a row means the vendor', async () => {
  const target = { ...task.target, baseUrl: null };
  const { url } = await transcription.address({ ...task, target });
  expect(url).toBe('https://api.elevenlabs.io/v1/speech-to-text');
  expect((await speech.address({ ...task, target })).url).toBe('https://api.elevenlabs.io/v1/text-to-speech');
});
