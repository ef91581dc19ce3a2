import { expect, test } from 'bun:test';
import { ByteBudget } from './byte-budget.ts';
import { Deadlines } from './deadlines.ts';
import { readRequestText } from './request-text.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('what comes of a body after it was found late is not held', async () => {
  const clock = new ManualClock();
  const bodies = new ByteBudget(1_000_000);
  const sender = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>({ start: (controller) => sender.resolve(controller) });
  const http = new Request('http://localhost', { method: 'POST', body });
  const deadlines = new Deadlines(clock);
  const reading = readRequestText(http, { bodies, deadlines }, { maxBytes: 65_536 });
  reading.catch(() => undefined);
  await clock.advance(31_000);
  await expect(reading).rejects.toMatchObject({ code: 'request_timeout' });
  (await sender.promise).enqueue(new Uint8Array(1000));
  await new Promise((resolve) => setImmediate(resolve));
  expect(bodies.heldBytes).toBe(0);
});
