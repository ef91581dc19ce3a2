import { describe, expect, test } from 'bun:test';
import { ManualClock } from './manual-clock.ts';

describe('a manual clock', () => {
  test('fires timers in the order of their times, and those that they set', async () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push(`second at ${clock.monotonicMs()}`));
    clock.after(10, () => {
      fired.push(`first at ${clock.monotonicMs()}`);
      clock.after(5, () => fired.push(`set by the first at ${clock.monotonicMs()}`));
    });
    await clock.advance(30);
    expect(fired).toEqual(['first at 10', 'set by the first at 15', 'second at 20']);
    expect(clock.monotonicMs()).toBe(30);
  });

  test('does not fire a timer that is cancelled, or before its time', async () => {
    const clock = new ManualClock();
    let fired = 0;
    clock.after(10, () => (fired += 1)).cancel();
    clock.after(11, () => (fired += 1));
    await clock.advance(10);
    expect(fired).toBe(0);
    expect(clock.pendingTimers).toBe(1);
  });

  test('ends a sleep at its time, or when its signal is aborted', async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const ended: string[] = [];
    void clock.sleep(1_000).then(() => ended.push('slept'));
    void clock.sleep(86_400_000, abort.signal).then(() => ended.push('woken'));
    await clock.advance(999);
    expect(ended).toEqual([]);
    abort.abort();
    await clock.advance(1);
    expect(ended).toEqual(['woken', 'slept']);
    expect(clock.pendingTimers).toBe(0);
  });
});
