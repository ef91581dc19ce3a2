import { describe, expect, test } from 'bun:test';
import { closeKeepers, Keeper } from './keeper.ts';
import type { Log } from './log.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { silentLog } from './testing/silent-log.ts';

function keeping(round: (closing: AbortSignal) => Promise<void>, pauseMs = 2_000) {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => warnings.push(`${message}: ${fields?.detail}`),
  };
  const keeper = new Keeper({ clock, log, pauseMs, failure: 'it could not be kept', round });
  return { clock, warnings, keeper };
}

describe('a keeper', () => {
  test('does a round at once, and the next one a pause after the end of each', async () => {
    let begun = 0;
    const ends: (() => void)[] = [];
    const { clock, keeper } = keeping(() => {
      begun += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    });
    expect(begun).toBe(1);
    await clock.advance(60_000);
    expect(begun).toBe(1);
    ends.shift()?.();
    await clock.advance(1_999);
    expect(begun).toBe(1);
    await clock.advance(1);
    expect(begun).toBe(2);
    ends.shift()?.();
    await keeper.close();
  });

  test('tries again after a round that failed, and says so once a minute until one goes well', async () => {
    let isFailing = true;
    let rounds = 0;
    const { clock, keeper, warnings } = keeping(async () => {
      rounds += 1;
      if (isFailing) throw new Error('the database is away');
    });
    await clock.advance(58_000);
    expect(rounds).toBe(30);
    expect(warnings).toEqual(['it could not be kept: the database is away']);
    await clock.advance(2_000);
    expect(warnings).toHaveLength(2);
    isFailing = false;
    await clock.advance(2_000);
    isFailing = true;
    await clock.advance(2_000);
    expect(warnings).toHaveLength(3);
    await keeper.close();
  });

  test('ends with its process: the round under way is told and awaited, and none begins after it', async () => {
    let rounds = 0;
    let isOver = false;
    const { clock, keeper } = keeping(async (closing) => {
      rounds += 1;
      await new Promise((resolve) => closing.addEventListener('abort', resolve));
      isOver = true;
    });
    await keeper.close();
    expect(isOver).toBe(true);
    await clock.advance(86_400_000);
    expect(rounds).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

test('keepers are not waited for beyond a limit, and not until it where they are done', async () => {
  const endless = keeping(() => new Promise<void>(() => undefined));
  const done = keeping(async () => undefined);
  const { clock } = endless;
  let isClosed = false;
  const closing = closeKeepers([endless.keeper, done.keeper], { clock, limitMs: 5000 }).then(() => {
    isClosed = true;
  });
  await clock.advance(4999);
  expect(isClosed).toBe(false);
  await clock.advance(1);
  await closing;
  await closeKeepers([done.keeper], { clock, limitMs: 5000 });
});
