import { expect, test } from 'bun:test';
import { openLog } from '../base/log.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { SilentFeed } from '../ledger/testing/silent-feed.ts';
import { DueLoop } from './due-loop.ts';

test('what is due and locked elsewhere is looked for again at once, and from then on four times a second', async () => {
  const clock = new ManualClock();
  let rounds = 0;
  const loop = new DueLoop({
    changes: new SilentFeed(),
    topic: 'mail',
    clock,
    log: openLog({ level: 'silent' }),
    failure: 'it failed',
    round: async () => {
      rounds += 1;
      return clock.nowMs() - 1_000;
    },
  });
  await clock.advance(0);
  expect(rounds).toBe(2);
  await clock.advance(1_000);
  expect(rounds).toBe(6);
  loop.stop();
});
