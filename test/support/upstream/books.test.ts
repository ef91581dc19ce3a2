/** What the double records of its requests, and how its script chooses. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { startUpstream, type Upstream } from './index.ts';
import { chatRequest, rawClient } from './raw-client.ts';

let upstream: Upstream;
beforeEach(() => {
  upstream = startUpstream();
});
afterEach(() => upstream.stop());

const messages = [{ role: 'user', content: 'Hello' }];

function post(fields: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions?try=1`, {
    method: 'POST',
    body: JSON.stringify({ model: 'barge-1', messages, ...fields }),
    ...init,
  });
}

async function contentOf(response: Response): Promise<string> {
  const text = await response.text();
  return /"content":"([^"]*)"/.exec(text)?.[1] ?? text;
}

describe('requests', () => {
  test('are kept with method, path, query, headers and body as they came', async () => {
    await post({ odd: { ünicode: [1, null] } }, { headers: { 'X-Odd': 'Yes', authorization: 'Bearer k' } });
    const request = await upstream.received(1);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      query: '?try=1',
      model: 'barge-1',
    });
    expect(request.headers).toMatchObject({ 'x-odd': 'Yes', authorization: 'Bearer k' });
    expect(request.bodyText).toContain('"odd":{"ünicode":[1,null]}');
    expect(request.body).toEqual({ model: 'barge-1', messages, odd: { ünicode: [1, null] } });
  });

  test('can be waited for by number, before or after they come', async () => {
    const second = upstream.received(2);
    await post({ model: 'a' });
    await post({ model: 'b' });
    expect((await second).model).toBe('b');
    expect((await upstream.received(1)).model).toBe('a');
  });

  test('only the latest are kept when told so', async () => {
    const small = startUpstream({ keepRequests: 2 });
    for (const model of ['a', 'b', 'c']) {
      await fetch(`${small.url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model, messages }),
      });
    }
    expect(small.requests.map((request) => request.model)).toEqual(['b', 'c']);
    await expect(small.received(1)).rejects.toThrow('no longer kept');
    small.stop();
  });

  test('bytes are counted both ways exactly', async () => {
    const client = await rawClient(upstream.port);
    const request = chatRequest({ stream: true }, 'connection: close\r\n');
    client.send(request);
    const { bytes } = await client.end;
    const bodyBytes = Buffer.byteLength(request.split('\r\n\r\n')[1] ?? '');
    expect(upstream.counts).toMatchObject({ bytesReceived: bodyBytes, bytesSent: bytes.length });
    expect(upstream.requests[0]?.bytesSent).toBe(bytes.length);
  });

  test('counts are told over HTTP without counting the asking', async () => {
    await (await post({ max_tokens: 5 })).text();
    const counts = await (await fetch(`http://127.0.0.1:${upstream.port}/double/counts`)).json();
    expect(counts).toEqual({ ...upstream.counts });
    expect(upstream.counts.requests).toBe(1);
  });
});

describe('a client that leaves', () => {
  test('is seen in the middle of an answer that is still being written', async () => {
    upstream.enqueue({ fault: { name: 'huge_body', bytes: 60_000_000 } });
    const control = new AbortController();
    const response = await post({ stream: true }, { signal: control.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    control.abort();
    const request = await upstream.received(1);
    expect(await request.ended).toBe('client_closed');
    expect(upstream.inFlight).toBe(0);
  });

  test('is seen between chunks, and no more of them are sent', async () => {
    upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs: 5 } });
    const client = await rawClient(upstream.port);
    client.send(chatRequest({ stream: true }));
    await client.until('rivers');
    client.leave();
    const request = await upstream.received(1);
    expect(await request.ended).toBe('client_closed');
    expect(request.clientClosed).toBe('after_first_event');
    const sent = request.eventsSent;
    // An answer at the same pace goes by, in whose time the deserted one could have gone on.
    upstream.enqueue({ generate: { tokens: 5 }, shape: { chunkDelayMs: 5 } });
    await (await post({ stream: true })).text();
    expect(request.eventsSent).toBe(sent);
    expect(upstream.counts.contentTokens).toBe(request.tokensSent + 5);
  });

  test('after its answer has done nothing early', async () => {
    const client = await rawClient(upstream.port);
    client.send(chatRequest());
    await client.until('"usage"');
    client.leave();
    const request = await upstream.received(1);
    expect(await request.ended).toBe('answered');
    expect(request.clientClosed).toBeUndefined();
  });
});

describe('the script', () => {
  test('gives queued answers first, each once, then the default', async () => {
    upstream.byDefault({ generate: { text: 'usual' } });
    upstream.enqueue({ generate: { text: 'first' } }, { generate: { text: 'second' } });
    expect(upstream.queued).toBe(2);
    const said = [
      await contentOf(await post({})),
      await contentOf(await post({})),
      await contentOf(await post({})),
    ];
    expect(said).toEqual(['first', 'second', 'usual']);
    expect(upstream.queued).toBe(0);
  });

  test('gives a model its own answer, and a later rule goes before an earlier one', async () => {
    upstream.forModel('tug-2', { generate: { text: 'tug' } });
    upstream.when((request) => request.headers['x-odd'] === 'yes', { generate: { text: 'odd' } });
    expect(await contentOf(await post({ model: 'tug-2' }))).toBe('tug');
    expect(await contentOf(await post({ model: 'tug-2' }, { headers: { 'x-odd': 'yes' } }))).toBe('odd');
    expect(await contentOf(await post({ model: 'barge-1', max_tokens: 1 }))).toBe('calm');
  });

  test('is forgotten together with requests and counts', async () => {
    upstream.enqueue({ fault: 'status_500' }, { fault: 'status_500' });
    await post({});
    upstream.forget();
    expect((await post({})).status).toBe(200);
    expect(upstream.requests.map((request) => request.number)).toEqual([1]);
    expect(upstream.counts.requests).toBe(1);
  });

  test('is not touched by requests a real host would refuse', async () => {
    upstream.enqueue({ generate: { text: 'kept' } });
    const refused = [
      post({}, { body: '{"model":' }),
      post({ model: '' }),
      post({ messages: [] }),
      post({ stream_options: { include_usage: true } }),
      fetch(`${upstream.url}/nothing-here`),
    ];
    const statuses = (await Promise.all(refused)).map((response) => response.status);
    expect(statuses).toEqual([400, 400, 400, 400, 404]);
    expect(await contentOf(await post({}))).toBe('kept');
  });
});

describe('HTTP', () => {
  test('one connection serves many requests, also when they come at once', async () => {
    const client = await rawClient(upstream.port);
    client.send(
      chatRequest({ model: 'a' }) +
        chatRequest({ model: 'b' }) +
        chatRequest({ model: 'c' }, 'connection: close\r\n'),
    );
    const text = (await client.end).bytes.toString();
    expect([...text.matchAll(/"model":"(\w)"/g)].map((match) => match[1])).toEqual(['a', 'b', 'c']);
    expect(upstream.connections).toMatchObject({ accepted: 1, open: 0 });
  });

  test('a request is understood in any pieces, by length or in chunks', async () => {
    const body = JSON.stringify({ model: 'größer', messages });
    const chunked = `POST /v1/chat/completions HTTP/1.1\r\nhost: d\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
    const parts = Buffer.concat([
      Buffer.from(chatRequest({ model: 'größer' })),
      Buffer.from(chunked),
      ...[body.slice(0, 12), body.slice(12)].map((part) =>
        Buffer.from(`${Buffer.byteLength(part).toString(16)};odd=1\r\n${part}\r\n`),
      ),
      Buffer.from('0\r\nx-trailer: 1\r\n\r\n'),
    ]);
    const client = await rawClient(upstream.port);
    for (let index = 0; index < parts.length; index += 5) {
      client.send(parts.subarray(index, index + 5));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.end;
    expect(upstream.requests.map((request) => request.model)).toEqual(['größer', 'größer']);
  });

  test('a body of many megabytes arrives whole', async () => {
    const content = 'x'.repeat(20_000_000);
    const response = await post({ messages: [{ role: 'user', content }] });
    expect(response.status).toBe(200);
    expect(upstream.counts.bytesReceived).toBeGreaterThan(content.length);
  });

  test('a body that is held back for "100 Continue" is asked for', async () => {
    const [head = '', body = ''] = chatRequest({}, 'expect: 100-continue\r\n').split('\r\n\r\n');
    const client = await rawClient(upstream.port);
    client.send(`${head}\r\n\r\n`);
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    client.send(body);
    await client.until('HTTP/1.1 200 OK');
    client.leave();
  });

  test('what is not HTTP is refused and closed', async () => {
    for (const text of ['hello\r\n\r\n', 'POST / HTTP/1.1\r\ncontent-length: ten\r\n\r\n']) {
      const client = await rawClient(upstream.port);
      client.send(text);
      expect((await client.end).bytes.toString()).toStartWith('HTTP/1.1 400 ');
    }
    expect(upstream.requests).toHaveLength(0);
  });

  test('a body it cannot read is no JSON to it', async () => {
    expect((await post({}, { body: gzipSync('{}') })).status).toBe(400);
    expect(upstream.requests[0]?.body).toBeUndefined();
  });

  test('a stop resets what is open, is recorded, and frees the port', async () => {
    upstream.enqueue({ fault: 'mid_stream_stall' });
    const client = await rawClient(upstream.port);
    client.send(chatRequest({ stream: true }));
    await client.until('calm');
    upstream.stop();
    expect((await client.end).how).toBe('reset');
    expect(await upstream.requests[0]?.ended).toBe('stopped');
    const again = startUpstream({ port: upstream.port });
    expect((await fetch(`${again.url}/models`)).status).toBe(200);
    again.stop();
  });
});

test('like requests share one plan when told so, and are counted each for itself', async () => {
  const cheap = startUpstream({ reusesPlans: true });
  const ask = async (): Promise<string> => {
    const body = JSON.stringify({ model: 'barge-1', messages, max_tokens: 3 });
    return (await fetch(`${cheap.url}/chat/completions`, { method: 'POST', body })).text();
  };
  expect(await ask()).toBe(await ask());
  expect(cheap.counts).toMatchObject({ requests: 2, completionTokens: 6 });
  cheap.stop();
});
