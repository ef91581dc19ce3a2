import { describe, expect, test } from 'bun:test';
import { BodyPace, BodyTooLargeError, readTextWithin } from './bounded-body.ts';
import { ByteBudget, HeldBytes } from './byte-budget.ts';
import { Deadlines } from './deadlines.ts';
import { ManualClock } from './testing/manual-clock.ts';

const roomy = new ByteBudget(1_000_000);
const within = (
  maxBytes: number,
  onProgress = (_receivedBytes: number): void => undefined,
  budget = roomy,
) => ({
  maxBytes,
  held: HeldBytes.ofAnswer(budget),
  onProgress,
});

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
  await expect(readTextWithin(request, within(10))).rejects.toThrow(BodyTooLargeError);
  expect(request.bodyUsed).toBe(false);
});

test('a body of unknown length is refused as soon as it passes the bound', async () => {
  const { response, pulls } = endless(new Uint8Array(1000));
  await expect(readTextWithin(response, within(10_000))).rejects.toThrow(BodyTooLargeError);
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
  const counted = within(100, () => {
    progress += 1;
  });
  const text = await readTextWithin(new Response(body), counted);
  expect(text).toBe('grüße 🌊');
  expect(progress).toBeGreaterThan(0);
});

test.each([
  ['declared', (bytes: Uint8Array) => ({ headers: { 'content-length': String(bytes.byteLength) } })],
  ['undeclared', () => ({})],
] as const)('a body of %s length that is no UTF-8 is refused where it must be', async (_, init) => {
  const read = (bytes: Uint8Array<ArrayBuffer>, mustBeUtf8: boolean) => {
    const body = new Response(bytes).body;
    const request = new Request('http://localhost', { method: 'POST', body, ...init(bytes) });
    return readTextWithin(request, { ...within(1000), mustBeUtf8 });
  };
  const latin1 = Uint8Array.from(Buffer.from('gr\xfc\xdfe', 'latin1'));
  expect(await read(latin1, false)).toBe('gr\ufffd\ufffde');
  await expect(read(latin1, true)).rejects.toMatchObject({ code: 'malformed_request', status: 400 });
  expect(await read(new TextEncoder().encode('grüße 🌊 \ufffd'), true)).toBe('grüße 🌊 \ufffd');
  expect(await read(new Uint8Array(), true)).toBe('');
});

test('a long body is read piece by piece into the room that its length takes', async () => {
  const text = 'grüße '.repeat(50_000);
  const length = Buffer.byteLength(text);
  const request = new Request('http://localhost', {
    method: 'POST',
    body: new Response(text).body,
    headers: { 'content-length': String(length) },
  });
  const budget = new ByteBudget(length);
  const bounds = within(length, undefined, budget);
  expect(await readTextWithin(request, bounds)).toBe(text);
  expect(budget.heldBytes).toBe(length);
  bounds.held.giveBack();
  bounds.held.giveBack();
  expect(budget.heldBytes).toBe(0);
});

test('a body for which there is no room is refused: before it is read where it says its length', async () => {
  const budget = new ByteBudget(5000);
  const declared = new Request('http://localhost', {
    method: 'POST',
    body: 'x'.repeat(5001),
    headers: { 'content-length': '5001' },
  });
  const busy = { code: 'server_busy', status: 503, retryAfterSeconds: 1 };
  await expect(readTextWithin(declared, within(10_000, undefined, budget))).rejects.toMatchObject(busy);
  expect(declared.bodyUsed).toBe(false);
  const { response, pulls } = endless(new Uint8Array(1000));
  const bounds = within(1_000_000, undefined, budget);
  await expect(readTextWithin(response, bounds)).rejects.toMatchObject(busy);
  expect(pulls()).toBeLessThan(20);
  expect(budget.heldBytes).toBe(5000);
  bounds.held.giveBack();
  expect(budget.heldBytes).toBe(0);
});

describe('the pace of a body', () => {
  /** When it is found to be late, with so many bytes coming each second; null when it is not within the hour. */
  async function lateAfter(bytesPerSecond: number, silentFromMs = Number.POSITIVE_INFINITY) {
    const clock = new ManualClock();
    let lateAtMs: number | null = null;
    const pace = new BodyPace(new Deadlines(clock), () => {
      lateAtMs = clock.monotonicMs();
    });
    for (let ms = 1000; ms <= 3_600_000 && lateAtMs === null; ms += 1000) {
      await clock.advance(1000);
      if (ms < silentFromMs) pace.progressed((bytesPerSecond * ms) / 1000);
    }
    pace.stop();
    return lateAtMs === null ? null : Math.round(lateAtMs / 1000);
  }

  test('bears a slow line, and silences of half a minute', async () => {
    expect(await lateAfter(100_000)).toBeNull();
    expect(await lateAfter(100_000, 200_000)).toBe(229);
  });

  test('ends for one that keeps sending next to nothing', async () => {
    expect(await lateAfter(1)).toBe(60);
    expect(await lateAfter(8000)).toBe(120);
  });
});

test.each(['3, 3', '-1', '1e3', '', '9'.repeat(16)])(
  'a client whose length is %p is refused, and the budget stays whole',
  async (length) => {
    const budget = new ByteBudget(10);
    const request = new Request('http://localhost', { method: 'POST', body: 'abc' });
    request.headers.set('content-length', length);
    await expect(readTextWithin(request, within(10, undefined, budget))).rejects.toMatchObject({
      code: 'malformed_request',
    });
    expect(budget.heldBytes).toBe(0);
  },
);

test.each([{ 'content-length': '3, 3' }, { 'content-length': '3', 'transfer-encoding': 'chunked' }])(
  'an upstream that says %j is read within its bound all the same',
  async (headers) => {
    const long = new Response('x'.repeat(100), { headers });
    await expect(readTextWithin(long, within(10))).rejects.toThrow(BodyTooLargeError);
    expect(await readTextWithin(new Response('xyz', { headers }), within(10))).toBe('xyz');
  },
);

test('a budget takes nothing but numbers of bytes', () => {
  const held = HeldBytes.ofAnswer(new ByteBudget(10));
  for (const bytes of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY]) {
    expect(() => held.take(bytes)).toThrow(RangeError);
  }
});
