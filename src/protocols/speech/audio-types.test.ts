import { expect, test } from 'bun:test';
import { isOtherFormat } from './audio-types.ts';

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
