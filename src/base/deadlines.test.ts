import { describe, expect, test } from 'bun:test';
import { Deadlines } from './deadlines.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('Deadlines', () => {
  test('fires once, not before its time', async () => {
    const deadlines = new Deadlines();
    const startedAt = performance.now();
    const { promise, resolve } = Promise.withResolvers<number>();
    let fired = 0;
    deadlines.start(120, () => {
      fired += 1;
      resolve(performance.now() - startedAt);
    });
    expect(await promise).toBeGreaterThanOrEqual(120);
    await wait(200);
    expect(fired).toBe(1);
  });

  test('a deadline that is extended or stopped does not fire', async () => {
    const deadlines = new Deadlines();
    const fired: string[] = [];
    const extended = deadlines.start(100, () => fired.push('extended'));
    deadlines.start(100, () => fired.push('stopped')).stop();
    extended.extend(60_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    deadlines.start(300, resolve);
    await promise;
    expect(fired).toEqual([]);
    extended.stop();
  });

  test('an infinite extension never fires and can be ended by a finite one', async () => {
    const deadlines = new Deadlines();
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = deadlines.start(50, resolve);
    deadline.extend(Number.POSITIVE_INFINITY);
    deadline.extend(50);
    await promise;
  });
});
