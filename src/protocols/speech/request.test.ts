import { expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readSpeechRequest } from './request.ts';

const read = (changes: object) =>
  readSpeechRequest(JSON.stringify({ model: 'm', input: 'Hello', ...changes }));

function refusalOf(changes: object): AppError {
  try {
    read(changes);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

test('what is left out has its default', () => {
  expect(read({})).toEqual({
    text: '{"model":"m","input":"Hello"}',
    json: { model: 'm', input: 'Hello' },
    model: 'm',
    input: 'Hello',
    voice: undefined,
    format: 'mp3',
    speed: 1,
    instructions: undefined,
  });
  const nulls = { voice: null, response_format: null, speed: null, instructions: null, stream_format: null };
  expect(read(nulls)).toMatchObject({ format: 'mp3', speed: 1 });
});

test('every field is read, and unknown ones are kept', () => {
  const fields = { voice: 'v', response_format: 'wav', speed: 0.25, instructions: 'slowly', other: 1 };
  expect(read(fields)).toMatchObject({
    voice: 'v',
    format: 'wav',
    speed: 0.25,
    instructions: 'slowly',
    json: fields,
  });
  expect(read({ speed: 4, stream_format: 'audio' }).speed).toBe(4);
});

test('characters are counted as people count them', () => {
  expect(read({ input: 'x'.repeat(4096) }).input.length).toBe(4096);
  expect(read({ input: '🌊'.repeat(4096) }).input.length).toBe(8192);
  expect(refusalOf({ input: 'x'.repeat(4097) }).param).toBe('input');
  expect(refusalOf({ input: '🌊'.repeat(4097) }).param).toBe('input');
  expect(refusalOf({ input: `🌊${'x'.repeat(4096)}` }).param).toBe('input');
});

test.each([
  [{ model: '' }, 'model'],
  [{ model: undefined }, 'model'],
  [{ input: '' }, 'input'],
  [{ input: undefined }, 'input'],
  [{ input: ['Hello'] }, 'input'],
  [{ voice: '' }, 'voice'],
  [{ voice: { id: 'v' } }, 'voice'],
  [{ response_format: 'opus' }, 'response_format'],
  [{ speed: 0.24 }, 'speed'],
  [{ speed: 4.01 }, 'speed'],
  [{ speed: '1' }, 'speed'],
  [{ instructions: 7 }, 'instructions'],
  [{ stream_format: 'sse' }, 'stream_format'],
])('%j: 422 for %s', (changes, param) => {
  expect(refusalOf(changes)).toMatchObject({ code: 'validation_failed', status: 422, param });
});

test('a refused format is told the two that there are, and all mistakes are listed', () => {
  expect(refusalOf({ response_format: 'flac' }).message).toBe('response_format: must be mp3 or wav');
  expect(refusalOf({ speed: 9, voice: 1 }).fields.map(({ loc }) => loc[0])).toEqual(['voice', 'speed']);
  expect(() => readSpeechRequest('[]')).toThrow('must be a JSON object');
});
