/** Every fault as it looks on the wire. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type FaultName, faultNames, refusedUrl, startUpstream, type Upstream } from './index.ts';
import { bodyOf, chatRequest, chunksOf, type RawClient, rawClient } from './raw-client.ts';

let upstream: Upstream;
let client: RawClient;

beforeEach(async () => {
  upstream = startUpstream({ defaultAnswer: { generate: { tokens: 6 } } });
  client = await rawClient(upstream.port);
});
afterEach(() => {
  client.leave();
  upstream.stop();
});

const stream = chatRequest({ stream: true, stream_options: { include_usage: true } });
const whole = chatRequest();
const closing = 'connection: close\r\n';

test('a connection is refused where nothing listens', async () => {
  const refused = await refusedUrl();
  await expect(rawClient(refused.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  refused.release();
});

describe('broken connections', () => {
  test('reset_before_headers: no byte, then a reset', async () => {
    upstream.enqueue({ fault: 'reset_before_headers' });
    client.send(stream);
    const { bytes, how } = await client.end;
    expect([bytes.length, how]).toEqual([0, 'reset']);
    expect(await upstream.requests[0]?.ended).toBe('broken_off');
  });

  test('reset_mid_stream: the events asked for, then a reset', async () => {
    upstream.enqueue({ fault: { name: 'reset_mid_stream', afterEvents: 4 } });
    client.send(stream);
    const { bytes, how } = await client.end;
    expect(how).toBe('reset');
    expect(chunksOf(bytes)).toHaveLength(4);
    expect(upstream.requests[0]).toMatchObject({ eventsSent: 4, tokensSent: 3, usage: undefined });
    expect(upstream.counts).toMatchObject({ completionTokens: 0, contentTokens: 3 });
  });

  test('reset_mid_stream of a whole answer: half of the promised length, then a reset', async () => {
    upstream.enqueue({ fault: 'reset_mid_stream' });
    client.send(whole);
    const { bytes, how } = await client.end;
    const [head = '', body = ''] = bytes.toString().split('\r\n\r\n');
    const promised = Number(/content-length: (\d+)/.exec(head)?.[1]);
    expect([how, body.length]).toEqual(['reset', Math.floor(promised / 2)]);
    expect(upstream.counts.completionTokens).toBe(0);
  });

  test('truncated_stream: a clean end of the body without finish, usage or terminator', async () => {
    upstream.enqueue({ fault: 'truncated_stream' });
    client.send(chatRequest({ stream: true }, closing));
    const { bytes, how } = await client.end;
    expect(how).toBe('fin');
    expect(bytes.toString()).toEndWith('0\r\n\r\n');
    expect(chunksOf(bytes)).toHaveLength(3);
    expect(bodyOf(bytes)).not.toContain('[DONE]');
  });

  test('truncated_stream can lack nothing but the terminator', async () => {
    upstream.enqueue({ fault: { name: 'truncated_stream', afterEvents: 1000 } });
    client.send(chatRequest({ stream: true }, closing));
    const { bytes } = await client.end;
    expect(bodyOf(bytes)).toContain('"finish_reason":"stop"');
    expect(bodyOf(bytes)).not.toContain('[DONE]');
  });

  test('truncated_stream can leave the HTTP body open as well', async () => {
    upstream.enqueue({ fault: { name: 'truncated_stream', isAbrupt: true } });
    client.send(stream);
    const { bytes, how } = await client.end;
    expect(how).toBe('fin');
    expect(bytes.toString()).not.toEndWith('0\r\n\r\n');
    expect(upstream.requests[0]?.outcome).toBe('broken_off');
  });
});

describe('stalls', () => {
  /** A stall is seen by what does not come while a whole other answer goes by. */
  async function otherAnswerPasses(): Promise<void> {
    const other = await rawClient(upstream.port);
    other.send(chatRequest({ stream: true }, closing));
    expect((await other.end).bytes.toString()).toContain('[DONE]');
  }

  test('header_stall: nothing comes, and the client that leaves is seen before the first byte', async () => {
    upstream.enqueue({ fault: 'header_stall' });
    client.send(stream);
    const request = await upstream.received(1);
    await otherAnswerPasses();
    expect(client.bytes).toHaveLength(0);
    client.leave();
    expect(await request.ended).toBe('client_closed');
    expect(request.clientClosed).toBe('before_first_byte');
  });

  test('first_token_stall: headers only, and the client that leaves is seen after them', async () => {
    upstream.enqueue({ fault: 'first_token_stall' });
    client.send(stream);
    await client.until('\r\n\r\n');
    await otherAnswerPasses();
    expect(client.bytes.toString()).toEndWith('\r\n\r\n');
    client.leave();
    const request = await upstream.received(1);
    expect(await request.ended).toBe('client_closed');
    expect(request.clientClosed).toBe('after_headers');
  });

  test('mid_stream_stall: some events, and the client that leaves is seen after them', async () => {
    upstream.enqueue({ fault: { name: 'mid_stream_stall', afterEvents: 2 } });
    client.send(stream);
    await client.until('calm');
    await otherAnswerPasses();
    expect(chunksOf(client.bytes)).toHaveLength(2);
    client.leave();
    const request = await upstream.received(1);
    expect(await request.ended).toBe('client_closed');
    expect(request).toMatchObject({ clientClosed: 'after_first_event', eventsSent: 2, tokensSent: 1 });
  });

  test('a stall can murmur comments that are no events', async () => {
    upstream.enqueue({ fault: { name: 'first_token_stall', commentEveryMs: 1 } });
    client.send(stream);
    await client.until(': keep-alive');
    expect(upstream.requests[0]).toMatchObject({ eventsSent: 0, outcome: undefined });
  });
});

describe('bad content', () => {
  test('malformed_chunk: one event is no JSON, the rest goes on to the end', async () => {
    upstream.enqueue({ generate: { tokens: 6 }, fault: { name: 'malformed_chunk', afterEvents: 2 } });
    client.send(stream);
    const bytes = await client.until('[DONE]');
    const events = chunksOf(bytes).map((chunk) => chunk.toString().replace('data: ', '').trim());
    const broken = events.slice(0, -1).filter((event) => !isJson(event));
    expect(broken).toEqual([events[2] ?? '']);
    expect(upstream.requests[0]).toMatchObject({ tokensSent: 5, outcome: 'answered' });
  });

  test('malformed_chunk of a whole answer: a body of the stated length that is no JSON', async () => {
    upstream.enqueue({ fault: 'malformed_chunk' });
    const response = await post({});
    expect(response.status).toBe(200);
    expect(isJson(await response.text())).toBe(false);
  });

  for (const [afterEvents, isBefore] of [
    [0, true],
    [1, true],
    [3, false],
  ] as const) {
    test(`in_band_error after ${afterEvents} events comes ${isBefore ? 'before' : 'after'} the first content`, async () => {
      upstream.enqueue({ fault: { name: 'in_band_error', afterEvents } });
      client.send(stream);
      const body = bodyOf(await client.until('\r\n0\r\n\r\n'));
      const events = body.trim().split('\n\n');
      expect(JSON.parse(events.at(-1)?.slice('data: '.length) ?? '')).toHaveProperty('error.message');
      expect(events).toHaveLength(afterEvents + 1);
      expect(body.includes('calm')).toBe(!isBefore);
      expect(body).not.toContain('[DONE]');
    });
  }

  test('in_band_error can ride inside an ordinary chunk', async () => {
    upstream.enqueue({ fault: { name: 'in_band_error', insideChunk: true } });
    const text = await (await post({ stream: true })).text();
    const last: unknown = JSON.parse(text.trim().split('\n\n').at(-1)?.slice('data: '.length) ?? '');
    expect(last).toMatchObject({ object: 'chat.completion.chunk', error: { code: 500 } });
  });

  test('error_in_200: an error in the body of a success, streamed or not', async () => {
    for (const asked of [{}, { stream: true }]) {
      upstream.enqueue({ fault: 'error_in_200' });
      const response = await post(asked);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toHaveProperty('error.type', 'server_error');
    }
  });

  test('html_answer: a page with either status', async () => {
    for (const status of [200, 502] as const) {
      upstream.enqueue({ fault: { name: 'html_answer', status } });
      const response = await post({});
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toStartWith('text/html');
      expect(await response.text()).toStartWith('<!doctype html>');
    }
  });

  test('empty_body: success without a byte, streamed or not', async () => {
    for (const asked of [{}, { stream: true }]) {
      upstream.enqueue({ fault: 'empty_body' });
      const response = await post(asked);
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
  });

  test('huge_body: as many bytes as told, as one answer or one event', async () => {
    for (const asked of [{}, { stream: true }]) {
      upstream.enqueue({ fault: { name: 'huge_body', bytes: 20_000_000 } });
      const text = await (await post(asked)).text();
      const json = text.replace(/^data: /, '').split('\n\n')[0] ?? '';
      expect(isJson(json)).toBe(true);
      // Far more than the kernel takes at once: a lost or doubled byte would show.
      expect(/x+/.exec(json.slice(json.indexOf('content')))?.[0].length).toBe(20_000_000);
    }
  });
});

describe('refusals', () => {
  const expected: readonly (readonly [FaultName, number, string | null])[] = [
    ['rate_limited', 429, 'rate_limit_exceeded'],
    ['content_filter', 400, 'content_filter'],
    ['context_overflow', 400, 'context_length_exceeded'],
    ['wrong_model', 404, 'model_not_found'],
    ['status_400', 400, null],
    ['status_401', 401, 'invalid_api_key'],
    ['status_403', 403, null],
    ['status_404', 404, null],
    ['status_500', 500, null],
    ['status_503', 503, 'overloaded'],
  ];
  for (const [fault, status, code] of expected) {
    test(`${fault}: ${status} with code ${code}, in the protocol's error shape`, async () => {
      upstream.enqueue({ fault });
      const response = await post({ stream: true });
      expect(response.status).toBe(status);
      expect(await response.json()).toHaveProperty('error.code', code);
      expect(response.headers.get('retry-after')).toBeNull();
    });
  }

  test('rate_limited and the statuses state when to come back if told to', async () => {
    upstream.enqueue(
      { fault: { name: 'rate_limited', retryAfter: 7 } },
      { fault: { name: 'status_503', retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' } },
    );
    expect((await post({})).headers.get('retry-after')).toBe('7');
    expect((await post({})).headers.get('retry-after')).toBe('Wed, 21 Oct 2026 07:28:00 GMT');
  });

  test('status_401 repeats the key it was given, so that a leak can be caught', async () => {
    upstream.enqueue({ fault: 'status_401' });
    expect(await (await post({})).text()).toContain('key-of-the-test');
  });
});

test('every named fault leaves the double able to answer the next request', async () => {
  for (const fault of faultNames) {
    upstream.enqueue({ fault });
    const victim = await rawClient(upstream.port);
    victim.send(stream);
    const request = await upstream.received(upstream.requests.length + 1);
    victim.leave();
    await request.ended;
    const sound = await post({});
    expect([fault, sound.status]).toEqual([fault, 200]);
    expect(await sound.json()).toHaveProperty('usage.completion_tokens', 6);
  }
  expect(upstream.inFlight).toBe(0);
});

function post(fields: Readonly<Record<string, unknown>>): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-of-the-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'barge-1', messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
