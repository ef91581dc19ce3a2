import { beforeEach, expect, test } from 'bun:test';
import { ByteBudget, HeldBytes } from '../base/byte-budget.ts';
import { Deadlines } from '../base/deadlines.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { readBody } from './request-body.ts';

const settings = { maxBodyBytes: 1_000_000 };
const budget = new ByteBudget(2_000_000);
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
});

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://localhost', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

const read = (http: Request) =>
  readBody(
    { http, held: HeldBytes.ofRequest(budget) },
    { settings, deadlines: new Deadlines(clock) },
    (text) => text,
  );

test('a body that never arrives whole is given up: 408', async () => {
  const begun = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
  });
  const reading = read(post(begun));
  reading.catch(() => undefined);
  await clock.advance(31_000);
  await expect(reading).rejects.toMatchObject({ code: 'request_timeout', status: 408 });
});

test('a body that trickles is given up, and is not read any further: 408', async () => {
  let wasCancelled = false;
  let trickle: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      trickle = controller;
    },
    cancel: () => {
      wasCancelled = true;
    },
  });
  const reading = read(post(body));
  reading.catch(() => undefined);
  for (let seconds = 0; seconds < 70; seconds += 1) {
    trickle?.enqueue(new Uint8Array(1));
    await clock.advance(1000);
    if (wasCancelled) break;
  }
  await expect(reading).rejects.toMatchObject({ code: 'request_timeout', status: 408 });
  expect(wasCancelled).toBe(true);
});

test('a body that breaks off: 400', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('reset')),
  });
  await expect(read(post(broken))).rejects.toMatchObject({
    code: 'malformed_request',
    status: 400,
  });
});

test('content types of JSON are accepted with their parameters, others are not', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json']) {
    expect(await read(post('{}', { 'content-type': type }))).toBe('{}');
  }
  for (const type of ['text/plain', 'application/jsonp', 'application/xml']) {
    await expect(read(post('{}', { 'content-type': type }))).rejects.toMatchObject({ status: 400 });
  }
});
