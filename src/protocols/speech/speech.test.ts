import { expect, test } from 'bun:test';
import { readSpeechRequest } from './request.ts';
import { estimateSpeechBytes, estimateSpokenTokens, isOtherFormat } from './speech.ts';

test.each([
  'audio/opus',
  'audio/ogg; codecs=opus',
  'audio/aac',
  'audio/flac',
  'audio/L16;rate=24000',
  'Audio/PCM',
  'audio/wav',
])('%p is not MP3', (type) => {
  expect(isOtherFormat(type, 'mp3')).toBe(true);
});

test('MP3 is no WAV', () => {
  expect(isOtherFormat('audio/mpeg', 'wav')).toBe(true);
});

test.each([
  ['audio/mpeg', 'mp3'],
  ['audio/mp3; charset=binary', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['application/octet-stream', 'mp3'],
  ['audio/*', 'wav'],
  ['constructor', 'wav'],
  ['', 'mp3'],
] as const)('%p may be %s', (type, format) => {
  expect(isOtherFormat(type, format)).toBe(false);
});

const requestOf = (fields: object) =>
  readSpeechRequest(JSON.stringify({ model: 'x', input: 'x'.repeat(60), ...fields }));
const tokensOf = (fields: object) => estimateSpokenTokens(requestOf(fields));

test('fifteen letters are a second of 21 tokens of audio, in whatever script', () => {
  expect(tokensOf({})).toBe(84);
  expect(tokensOf({ input: 'ж'.repeat(60) })).toBe(84);
});

test('slow speech is longer, and fast speech is not cheaper', () => {
  expect(tokensOf({ speed: 0.25 })).toBe(4 * 84);
  expect(tokensOf({ speed: 4 })).toBe(84);
});

test('characters that are syllables count as such, and digits as words', () => {
  expect(tokensOf({ input: '渡'.repeat(60) })).toBe(3 * 84);
  expect(tokensOf({ input: '7'.repeat(60) })).toBe(4 * 84);
});

test('bytes are those of the format, as long as the speed makes them', () => {
  expect(estimateSpeechBytes(requestOf({}))).toBe(4 * 16_000);
  expect(estimateSpeechBytes(requestOf({ response_format: 'wav', speed: 2 }))).toBe(2 * 48_000);
});
