import { expect, test } from 'bun:test';
import { systemClock } from '../base/clock.ts';
import { Deadlines } from '../base/deadlines.ts';
import { readJsonText } from './request-body.ts';

const bounds = { maxBytes: 1000, timeoutMs: 200, deadlines: new Deadlines(systemClock) };
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://localhost', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

test('a body that never arrives whole is given up after its time: 408', async () => {
  const trickle = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
  });
  await expect(readJsonText(post(trickle), bounds)).rejects.toMatchObject({
    code: 'request_timeout',
    status: 408,
  });
});

test('a body that breaks off: 400', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('reset')),
  });
  await expect(readJsonText(post(broken), bounds)).rejects.toMatchObject({
    code: 'malformed_request',
    status: 400,
  });
});

test('content types of JSON are accepted with their parameters, others are not', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json']) {
    expect(await readJsonText(post('{}', { 'content-type': type }), bounds)).toBe('{}');
  }
  for (const type of ['text/plain', 'application/jsonp', 'application/xml']) {
    await expect(readJsonText(post('{}', { 'content-type': type }), bounds)).rejects.toMatchObject({
      status: 400,
    });
  }
});
