import { expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { KeptResponses } from './kept-responses.ts';

const hourMs = 3_600_000;

function open() {
  const clock = new ManualClock();
  const kept = new KeptResponses({ clock, lifetimeMs: hourMs });
  const keep = (keyId: number, id: string, characters = 0, input: string | null = '"hi"') =>
    kept.keep(keyId, {
      response: JSON.stringify({ id, output: [{ id: `msg_${id}`, text: 'x'.repeat(characters) }] }),
      input,
      previousId: null,
      isMadeHere: true,
    });
  return { clock, kept, keep };
}

test('a response is found by its id and by those of its items, by its key alone', () => {
  const { kept, keep } = open();
  keep(1, 'a');
  expect(kept.find(1, 'a')).toBe(kept.find(1, 'msg_a'));
  expect(kept.find(1, 'a')?.input).toBe('"hi"');
  expect(kept.find(2, 'a')).toBeUndefined();
  keep(1, 'b');
  expect(kept.find(1, 'msg_b')).toBeDefined();
});

test('each ends when its time is over, whether somebody looks or not', async () => {
  const { clock, kept, keep } = open();
  keep(1, 'a');
  await clock.advance(hourMs / 2);
  keep(1, 'b');
  await clock.advance(hourMs / 2);
  expect([kept.find(1, 'a'), kept.find(1, 'b')?.keyId]).toEqual([undefined, 1]);
  await clock.advance(hourMs / 2);
  expect(kept.find(1, 'b')).toBeUndefined();
});

test('a key has 8 MiB, and the process 64: the oldest goes first, and other keys keep theirs', () => {
  const { kept, keep } = open();
  keep(99, 'other');
  for (let at = 0; at < 12; at += 1) keep(1, `r${at}`, 500_000);
  expect(kept.find(1, 'r3')).toBeUndefined();
  expect(kept.find(1, 'r4')).toBeDefined();
  expect(kept.find(1, 'msg_r11')).toBeDefined();
  expect(kept.find(99, 'other')).toBeDefined();
  for (let key = 2; key < 12; key += 1) for (let at = 0; at < 7; at += 1) keep(key, 'x', 500_000);
  expect(kept.find(99, 'other')).toBeUndefined();
  expect(kept.find(11, 'x')).toBeDefined();
});

test('what is too large is not kept: the response, or its input alone', () => {
  const { kept, keep } = open();
  keep(1, 'large', 1_100_000);
  expect(kept.find(1, 'large')).toBeUndefined();
  keep(1, 'asked', 1, JSON.stringify('x'.repeat(1_100_000)));
  expect(kept.find(1, 'asked')).toMatchObject({ input: null, lacksInput: true });
});

test('of two answers with one id the later one is meant, until it is dropped', () => {
  const { kept, keep } = open();
  keep(1, 'a', 1);
  keep(1, 'a', 2);
  const later = kept.find(1, 'a');
  expect(later?.response).toContain('"xx"');
  if (later !== undefined) kept.drop(later);
  expect(kept.find(1, 'a')).toBeUndefined();
  kept.close();
});
