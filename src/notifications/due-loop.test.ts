import { expect, test } from 'bun:test';
import { openLog } from '../base/log.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { SilentFeed } from '../ledger/testing/silent-feed.ts';
import { DueLoop } from './due-loop.ts';

function begin(clock: ManualClock, round: () => Promise<number | null>): DueLoop {
  return new DueLoop({
    changes: new SilentFeed(),
    topic: 'mail',
    clock,
    log: openLog({ level: 'silent' }),
    failure: 'it failed',
    round,
  });
}

test('what is due and locked elsewhere is looked for again at once, and from then on four times a second', async () => {
  const clock = new ManualClock();
  let rounds = 0;
  const loop = begin(clock, async () => {
    rounds += 1;
    return clock.nowMs() - 1_000;
  });
  await clock.advance(0);
  expect(rounds).toBe(2);
  await clock.advance(1_000);
  expect(rounds).toBe(6);
  loop.stop();
});

test('after a round that failed there is another one soon, and ever more seldom while they fail', async () => {
  const clock = new ManualClock();
  const roundsAtMs: number[] = [];
  const beganAtMs = clock.nowMs();
  const loop = begin(clock, () => {
    roundsAtMs.push(clock.nowMs() - beganAtMs);
    return roundsAtMs.length < 4 ? Promise.reject(new Error('the database is away')) : Promise.resolve(null);
  });
  for (let second = 0; second < 8; second += 1) {
    await clock.advance(0);
    await clock.advance(1000);
  }
  expect(roundsAtMs).toEqual([0, 1000, 3000, 7000]);
  loop.stop();
});
