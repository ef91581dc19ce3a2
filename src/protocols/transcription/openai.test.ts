import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { GrowingBytes } from './form-reader.ts';
import { openaiTranscription } from './openai.ts';
import type { TranscriptionBody, TranscriptionRequest } from './transcription.ts';

const protocol = openaiTranscription();

/** As an upload holds it: a view into memory that grew. */
function heldSound(): Uint8Array {
  const held = new GrowingBytes(10_000);
  for (const piece of ['before', 'the ', 'sound\r\n--', ' itself', 'behind']) held.append(Buffer.from(piece));
  return held.bytes.subarray(6, held.bytes.length - 6);
}

const request: TranscriptionRequest = {
  model: null,
  file: { bytes: heldSound(), container: 'mp3', durationMs: null },
  format: 'srt',
  wordTimes: false,
  task: 'transcribe',
  wantsEvents: false,
};

let form: FormData | undefined;
const server = Bun.serve({
  port: 0,
  async fetch(http) {
    form = await http.formData();
    return new Response();
  },
});
beforeAll(() => server.unref());
afterAll(() => server.stop(true));

/** Sent part after part, as a connection takes them. */
async function send({ parts, contentType }: TranscriptionBody): Promise<FormData> {
  const rest = [...parts];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = rest.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  await fetch(server.url, { method: 'POST', body, headers: { 'content-type': contentType } });
  if (form === undefined) throw new Error('no form came');
  return form;
}

test('models that answer at length are asked to, whatever the caller wants', async () => {
  const sent = await send(protocol.writeRequest(request, 'whisper-1'));
  const file = sent.get('file');
  if (!(file instanceof File)) throw new Error('the form has no file');
  expect(file.name).toBe('audio.mp3');
  expect(await file.text()).toBe('the sound\r\n-- itself');
  sent.delete('file');
  expect(Object.fromEntries(sent)).toEqual({ model: 'whisper-1', response_format: 'verbose_json' });
});

test('every option goes along', async () => {
  const options = { language: 'de', prompt: 'Grüße,\r\n--x', temperature: 0.2, wordTimes: true };
  const sent = await send(protocol.writeRequest({ ...request, ...options }, 'whisper-large-v3-turbo'));
  expect(sent.get('language')).toBe('de');
  expect(sent.get('prompt')).toBe('Grüße,\r\n--x');
  expect(sent.get('temperature')).toBe('0.2');
  expect(sent.getAll('timestamp_granularities[]')).toEqual(['segment', 'word']);
});

test('the others send plain JSON unasked, and cannot give the times of words', async () => {
  const sent = await send(protocol.writeRequest(request, 'gpt-4o-transcribe'));
  expect(sent.has('response_format')).toBe(false);
  expect(() => protocol.writeRequest({ ...request, wordTimes: true }, 'gpt-4o-transcribe')).toThrow(
    'times of words',
  );
  const host = openaiTranscription({ verboseModels: /^parrot/ });
  expect((await send(host.writeRequest(request, 'parrot-2'))).get('response_format')).toBe('verbose_json');
});

test('the audio is not copied', () => {
  expect(protocol.writeRequest(request, 'whisper-1').parts[1]).toBe(request.file.bytes);
});

test('an answer at length', () => {
  const scores = { temperature: 0, avg_logprob: -0.2, compression_ratio: 1.1, no_speech_prob: 0.01 };
  const answer = protocol.readAnswer({
    task: 'transcribe',
    language: 'english',
    duration: 2.5,
    text: 'The ferry is late.',
    segments: [{ id: 0, seek: 0, start: 0, end: 2.4, text: ' The ferry is late.', tokens: [1], ...scores }],
    words: [{ word: 'The', start: 0, end: 0.4 }],
    usage: { type: 'duration', seconds: 3 },
  });
  expect(answer).toEqual({
    text: 'The ferry is late.',
    language: 'english',
    durationMs: 2500,
    billedMs: 3000,
    segments: [
      {
        startS: 0,
        endS: 2.4,
        text: ' The ferry is late.',
        scores: { temperature: 0, averageLogprob: -0.2, compressionRatio: 1.1, noSpeechProbability: 0.01 },
      },
    ],
    words: [{ startS: 0, endS: 0.4, text: 'The' }],
    tokens: null,
  });
});

test('an answer of a model that counts tokens', () => {
  const usage = { type: 'tokens', input_tokens: 40, output_tokens: 9, total_tokens: 49 };
  expect(protocol.readAnswer({ text: '', usage, languages: [{ code: 'de' }] })).toEqual({
    text: '',
    language: 'de',
    durationMs: null,
    segments: [],
    words: [],
    tokens: { input: 40, output: 9 },
  });
});

test('an answer of a host that counts both in its own words', () => {
  const usage = { prompt_audio_seconds: 36, prompt_tokens: 13, completion_tokens: 151, total_tokens: 164 };
  expect(protocol.readAnswer({ model: 'v', text: 'x', language: null, segments: [], usage })).toMatchObject({
    durationMs: 36_000,
    tokens: { input: 13, output: 151 },
  });
});

test('seconds that a host writes as text', () => {
  const lasting = (duration: unknown) => protocol.readAnswer({ text: 'x', duration }).durationMs;
  expect(['5.0', '36', '', 'long', '-1', '1e9'].map(lasting)).toEqual([5000, 36_000, null, null, null, null]);
});

test('what is no answer', () => {
  expect(() => protocol.readAnswer({ error: { message: 'no' } })).toThrow(ComplaintError);
  for (const json of [undefined, null, [], {}, { text: 1 }, 'text']) {
    expect(() => protocol.readAnswer(json)).toThrow(UnreadableAnswerError);
  }
  expect(protocol.readAnswer({ text: 'x', duration: -1, segments: 'none' })).toMatchObject({
    durationMs: null,
    segments: [],
  });
});

test.each([0, -1, 0.0001, 360_001, 1e12, 1e308, Number.NaN, '9s'])('%p seconds are no length', (seconds) => {
  const usage = { type: 'duration', seconds };
  const answer = protocol.readAnswer({ text: 'x', duration: seconds, usage });
  expect(answer).toMatchObject({ durationMs: null });
  expect(answer.billedMs).toBeUndefined();
  expect(protocol.readAnswer({ text: 'x', duration: 7, usage })).toMatchObject({ durationMs: 7000 });
});

test('no tokens at all are no count', () => {
  const usage = { type: 'tokens', input_tokens: 0, output_tokens: 0 };
  expect(protocol.readAnswer({ text: 'x', usage }).tokens).toBeNull();
});
