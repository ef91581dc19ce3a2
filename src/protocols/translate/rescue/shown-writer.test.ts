import { expect, test } from 'bun:test';
import type { EventWriter, TurnEvent } from '../../turn/events.ts';
import { ShownWriter } from './shown-writer.ts';

const silent: EventWriter = { write: () => '' };
const opened: TurnEvent = { type: 'open', choice: 0, block: 0, head: { kind: 'text' } };
const delta = (text: string): TurnEvent => ({ type: 'delta', choice: 0, block: 0, kind: 'text', text });

function writing(takeRoom: (bytes: number) => boolean) {
  const shown = new ShownWriter(silent, takeRoom);
  shown.write(opened);
  return shown;
}

test('what is shown takes its room before it is kept, some at a time', () => {
  const taken: number[] = [];
  const shown = writing((bytes) => taken.push(bytes) > 0);
  for (let at = 0; at < 3000; at += 1) shown.write(delta('word '));
  expect(shown.text).toHaveLength(15_000);
  expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThanOrEqual(3000 * (32 + 10));
  expect(taken.length).toBeLessThan(5);
});

test('where there is no room for it, it is let go and not gone on with', () => {
  let left = 100_000;
  const shown = writing((bytes) => {
    left -= bytes;
    return left >= 0;
  });
  shown.write(delta('x'.repeat(10_000)));
  expect(shown.isContinuable).toBe(true);
  for (let at = 0; at < 10; at += 1) shown.write(delta('x'.repeat(10_000)));
  expect(shown.isContinuable).toBe(false);
  expect(shown.text).toBe('');
});

test('what is too long to be sent again is let go too', () => {
  const shown = writing(() => true);
  for (let at = 0; at < 40; at += 1) shown.write(delta('x'.repeat(10_000)));
  expect(shown.isContinuable).toBe(true);
  shown.write(delta('x'));
  expect(shown.isContinuable).toBe(false);
  expect(shown.text).toBe('');
});
