import { expect, test } from 'bun:test';
import type { OpenStream } from '../upstream/index.ts';
import { ReadingOn } from './reading-on.ts';

const state = { isEnded: false, isComplete: false, usage: null, complaint: null };

function readingOn(isTextDone: boolean) {
  const waits: number[] = [];
  const translator = { ...state, isTextDone };
  const call = { linger: (ms: number) => waits.push(ms) };
  return { waits, translator, reading: new ReadingOn({ translator, call } as unknown as OpenStream) };
}

test('a stream that generates is waited for until so many bytes came', () => {
  const { waits, reading } = readingOn(false);
  expect([reading.goesOn(65_536), reading.goesOn(1)]).toEqual([true, false]);
  expect(waits).toEqual([5000]);
});

test('one whose text is done is waited for longer, whatever it repeats, and once', () => {
  const { waits, translator, reading } = readingOn(false);
  translator.isTextDone = true;
  expect([reading.goesOn(100_000), reading.goesOn(100_000)]).toEqual([true, true]);
  expect(waits).toEqual([5000, 10_000]);
});

test('one whose text was done when its client left is waited for longer at once', () => {
  expect(readingOn(true).waits).toEqual([5000, 10_000]);
});
