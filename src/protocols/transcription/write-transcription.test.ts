import { expect, test } from 'bun:test';
import type { TranscriptFormat, TranscriptionAnswer, TranscriptionRequest } from './transcription.ts';
import { writeTranscription } from './write-transcription.ts';

const file = { bytes: new Uint8Array(1), container: 'wav', durationMs: 4000 } as const;
const answer: TranscriptionAnswer = {
  text: 'The ferry is late. Take the bridge.',
  language: 'english',
  durationMs: 3_725_400,
  segments: [
    { startS: 0, endS: 1.4, text: ' The ferry\n\nis late.' },
    { startS: 3_723.0004, endS: 3_725.3996, text: ' Take <the> bridge & --> go.' },
  ],
  words: [{ startS: 0, endS: 0.3, text: 'The' }],
  tokens: null,
};

function write(
  format: TranscriptFormat,
  changes: Partial<TranscriptionAnswer> = {},
  asked: Partial<TranscriptionRequest> = {},
) {
  const plain = { task: 'transcribe', wordTimes: false, wantsEvents: false } as const;
  const request: TranscriptionRequest = { ...plain, model: null, file, format, ...asked };
  return writeTranscription({ ...answer, ...changes }, request);
}

test('json is the text and nothing else', () => {
  expect(write('json')).toEqual({
    contentType: 'application/json',
    body: '{"text":"The ferry is late. Take the bridge."}',
  });
});

test('events are one piece and the end, with the tokens that were counted', () => {
  const { contentType, body } = write(
    'json',
    { text: 'Hi', tokens: { input: 9, output: 1 } },
    { wantsEvents: true },
  );
  expect(contentType).toStartWith('text/event-stream');
  expect(
    body
      .trim()
      .split('\n\n')
      .map((frame) => JSON.parse(frame.slice(6))),
  ).toEqual([
    { type: 'transcript.text.delta', delta: 'Hi' },
    {
      type: 'transcript.text.done',
      text: 'Hi',
      usage: { type: 'tokens', input_tokens: 9, output_tokens: 1, total_tokens: 10 },
    },
  ]);
});

test('text is plain', () => {
  const { contentType, body } = write('text');
  expect(contentType).toBe('text/plain; charset=utf-8');
  expect(body).toBe('The ferry is late. Take the bridge.\n');
});

test('srt has numbered cues with a comma in their times', () => {
  expect(write('srt').body).toBe(
    '1\n00:00:00,000 --> 00:00:01,400\nThe ferry\nis late.\n\n' +
      '2\n01:02:03,000 --> 01:02:05,400\nTake <the> bridge & -> go.\n\n',
  );
});

test('vtt has its mark, a point in the times, and its own escapes', () => {
  expect(write('vtt').body).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.400\nThe ferry\nis late.\n\n' +
      '01:02:03.000 --> 01:02:05.400\nTake &lt;the&gt; bridge &amp; -&gt; go.\n\n',
  );
});

test('without segments there is one cue, as long as the upstream, the file or the last word says', () => {
  const cueEnd = (changes: Partial<TranscriptionAnswer>, durationMs: number | null) =>
    write('vtt', { segments: [], ...changes }, { file: { ...file, durationMs } }).body.slice(25, 37);
  expect(cueEnd({}, null)).toBe('01:02:05.400');
  expect(cueEnd({ durationMs: null }, 4000)).toBe('00:00:04.000');
  expect(cueEnd({ durationMs: null }, null)).toBe('00:00:00.300');
  expect(cueEnd({ durationMs: null, words: [] }, null)).toBe('99:59:59.999');
});

test('where nothing was said there is no cue', () => {
  const silence = { segments: [], text: ' ', words: [] };
  expect(write('srt', silence).body).toBe('');
  expect(write('vtt', silence).body).toBe('WEBVTT\n\n');
});

test('verbose_json has the shape of the official clients', () => {
  const scores = { temperature: 0, averageLogprob: -0.3, compressionRatio: 1.2, noSpeechProbability: 0.1 };
  const segments = [
    { startS: 0, endS: 1.4, text: 'Late.', scores },
    { startS: 2, endS: 3, text: 'Go.' },
  ];
  expect(JSON.parse(write('verbose_json', { segments }, { wordTimes: true }).body)).toEqual({
    task: 'transcribe',
    language: 'english',
    duration: 3725.4,
    text: 'The ferry is late. Take the bridge.',
    segments: [
      {
        id: 0,
        start: 0,
        end: 1.4,
        text: 'Late.',
        temperature: 0,
        avg_logprob: -0.3,
        compression_ratio: 1.2,
        no_speech_prob: 0.1,
      },
      { id: 1, start: 2, end: 3, text: 'Go.' },
    ],
    words: [{ word: 'The', start: 0, end: 0.3 }],
  });
});

test('verbose_json leaves out what nobody knows, and words that were not asked for', () => {
  const unknown = { language: undefined, durationMs: null, segments: [], words: [] };
  const body = write('verbose_json', unknown, { file: { ...file, durationMs: null } }).body;
  expect(JSON.parse(body)).toEqual({ task: 'transcribe', text: answer.text, segments: [] });
  const asked = write('verbose_json', { language: undefined }, { language: 'de' }).body;
  expect(JSON.parse(asked)).toMatchObject({ language: 'de' });
  expect(JSON.parse(asked)).not.toHaveProperty('words');
});
