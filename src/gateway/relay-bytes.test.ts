import { expect, test } from 'bun:test';
import { ByteBudget } from '../base/byte-budget.ts';
import { Deadlines } from '../base/deadlines.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { relayWhole } from './relay-bytes.ts';

test('a client that takes a long answer bit by bit has a minute for each megabyte, and then gives its place back', async () => {
  const clock = new ManualClock();
  const bodies = new ByteBudget(10_000_000);
  const settings = { clientStallMs: 300_000 };
  const body = relayWhole('x'.repeat(2_000_000), 1, { bodies, deadlines: new Deadlines(clock), settings });
  if (typeof body === 'string') throw new Error('it is not relayed');
  expect(bodies.heldBytes).toBe(2_000_000);
  const reader = body.getReader();
  for (let piece = 0; piece < 3; piece += 1) {
    await reader.read();
    await clock.advance(100_000);
    expect(bodies.heldBytes).toBe(2_000_000);
  }
  await reader.read();
  await clock.advance(20_000);
  expect(bodies.heldBytes).toBe(0);
  await expect(reader.read()).rejects.toBeUndefined();
});
