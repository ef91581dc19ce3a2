import { expect, test } from 'bun:test';
import { BodyTooLargeError, readTextWithin } from './bounded-body.ts';

/** A body of unknown length that counts how many pieces were asked for. */
function endless(piece: Uint8Array): { response: Response; pulls: () => number } {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(piece);
    },
  });
  return { response: new Response(body), pulls: () => pulled };
}

test('a declared length beyond the bound is refused without reading', async () => {
  const request = new Request('http://localhost', {
    method: 'POST',
    body: 'x'.repeat(11),
    headers: { 'content-length': '11' },
  });
  await expect(readTextWithin(request, 10)).rejects.toThrow(BodyTooLargeError);
  expect(request.bodyUsed).toBe(false);
});

test('a body of unknown length is refused as soon as it passes the bound', async () => {
  const { response, pulls } = endless(new Uint8Array(1000));
  await expect(readTextWithin(response, 10_000)).rejects.toThrow(BodyTooLargeError);
  expect(pulls()).toBeLessThan(20);
});

test('pieces that cut characters apart are joined before they are decoded', async () => {
  const whole = new TextEncoder().encode('grüße 🌊');
  const pieces = [...whole].map((byte) => Uint8Array.of(byte));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  let progress = 0;
  const text = await readTextWithin(new Response(body), 100, () => {
    progress += 1;
  });
  expect(text).toBe('grüße 🌊');
  expect(progress).toBeGreaterThan(0);
});
