import { expect, test } from 'bun:test';
import { Deadlines } from '../base/deadlines.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { TurnWatch } from './turn-watch.ts';

/** How often a client got a sign of life, with a piece of the upstream's every `everyMs`. */
async function signsAmong(everyMs: number, isContent: boolean): Promise<number> {
  const clock = new ManualClock();
  let signs = 0;
  const turn = new TurnWatch(new Deadlines(clock), {
    keepAliveMs: 15_000,
    onSilence: () => {
      signs += 1;
    },
    clientStallMs: 60_000,
    onStall: () => undefined,
  });
  turn.clients(true);
  for (let pieces = 0; pieces < 10; pieces += 1) {
    turn.upstreams();
    await clock.advance(everyMs);
    turn.clients(isContent);
  }
  turn.stop();
  return signs;
}

test('an upstream’s own signs of life put off none of ours, and content does', async () => {
  expect(await signsAmong(10_000, true)).toBe(0);
  // 100 s, in steps of 15 s.
  expect(await signsAmong(10_000, false)).toBe(6);
});
