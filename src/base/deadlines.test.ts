import { describe, expect, test } from 'bun:test';
import { Deadlines } from './deadlines.ts';
import { ManualClock } from './testing/manual-clock.ts';

describe('Deadlines', () => {
  test('fire once, not before their time, and at most two ticks after it', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const firedAtMs: number[] = [];
    deadlines.start(120, () => firedAtMs.push(clock.monotonicMs()));
    await clock.advance(10_000);
    expect(firedAtMs).toHaveLength(1);
    expect(firedAtMs[0]).toBeGreaterThanOrEqual(120);
    expect(firedAtMs[0]).toBeLessThanOrEqual(220);
  });

  test('that are extended or stopped do not fire', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const fired: string[] = [];
    const extended = deadlines.start(100, () => fired.push('extended'));
    deadlines.start(100, () => fired.push('stopped')).stop();
    extended.extend(60_000);
    await clock.advance(1_000);
    expect(fired).toEqual([]);
    extended.stop();
  });

  test('an infinite extension never fires and can be ended by a finite one', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    let fired = 0;
    const deadline = deadlines.start(50, () => (fired += 1));
    deadline.extend(Number.POSITIVE_INFINITY);
    await clock.advance(1_000_000);
    expect(fired).toBe(0);
    deadline.extend(50);
    await clock.advance(200);
    expect(fired).toBe(1);
  });

  test('hold no timer while none is open', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    deadlines.start(10, () => undefined);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1_000);
    expect(clock.pendingTimers).toBe(0);
  });

  test('can be started by one that fires', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    let fired = 0;
    deadlines.start(10, () => deadlines.start(10, () => (fired += 1)));
    await clock.advance(1_000);
    expect(fired).toBe(1);
  });

  test('that have fired fire again when they are extended, unless they were stopped', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const firedAtMs: number[] = [];
    const deadline = deadlines.start(50, () => firedAtMs.push(clock.monotonicMs()));
    await clock.advance(1_000);
    deadline.extend(500);
    await clock.advance(1_000);
    expect(firedAtMs).toHaveLength(2);
    expect(firedAtMs[1]).toBeGreaterThanOrEqual(1_500);
    deadline.stop();
    deadline.extend(50);
    await clock.advance(1_000);
    expect(firedAtMs).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  test('that are stopped by one that fires in the same moment do not fire', async () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const fired: string[] = [];
    deadlines.start(50, () => {
      fired.push('first');
      second.stop();
    });
    const second = deadlines.start(50, () => fired.push('second'));
    deadlines.start(50, () => fired.push('third'));
    await clock.advance(1_000);
    expect(fired).toEqual(['first', 'third']);
  });

  test('do not take the time that the process stood still for silence of others', () => {
    let nowMs = 0;
    let run = (): void => undefined;
    const clock = {
      monotonicMs: () => nowMs,
      after: (_delayMs: number, due: () => void) => {
        run = due;
        return { cancel: () => undefined };
      },
    };
    let fired = 0;
    new Deadlines(clock).start(200, () => (fired += 1));
    nowMs = 5_000;
    run();
    expect(fired).toBe(0);
    for (let ticks = 0; ticks < 4; ticks += 1) {
      nowMs += 50;
      run();
    }
    expect(fired).toBe(1);
  });
});
