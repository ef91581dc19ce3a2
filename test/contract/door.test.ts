/** What one request, one client or one upstream cannot do to the process, whatever it sends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createConnection, type Socket } from 'node:net';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const tooDeep = deep(40_000);
const kinds = ['openai', 'anthropic', 'google', 'cohere'] as const;

/** Room for two bodies of the size that the tests send, and not for a third; a key's share is less than one. */
const bodyBytes = 3_000_000;
const budgetBytes = 8_388_608;
const tokens = { single: newToken(), poor: newToken(), limited: newToken(), reader: newToken() };
/** Keys without limits. */
const senders = [newToken(), newToken(), newToken(), newToken()] as const;

let sluice: TestSluice;
/** An upstream that answers whatever a test wants, also what no double would. */
let upstream: Bun.Server<undefined>;
let answer: () => Response | Promise<Response>;

beforeAll(async () => {
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  sluice = await startTestSluice({
    variables: { SLUICE_MAX_BODY_BYTES: '4194304', SLUICE_BODY_BUDGET_BYTES: String(budgetBytes) },
    file: () => ({
      users: [
        { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
        { email: 'poor@example.test', password: 'a long enough password', role: 'member' },
      ],
      keys: [
        { name: 'single', owner, token: tokens.single, concurrent_requests: 1 },
        { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
        { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1, tokens_per_minute: 1000 },
        { name: 'reader', owner, token: tokens.reader, scopes: ['read'] },
        ...senders.map((token, at) => ({ name: `sender ${at}`, owner, token })),
      ],
      providers: kinds.map((kind) => ({ ...usualProvider(`${upstream.url.origin}/v1`), name: kind, kind })),
      models: [
        ...kinds.map((kind) => ({
          ...usualModel,
          id: kind,
          aliases: [],
          providers: [{ provider: kind, upstream_id: `${kind}-1` }],
        })),
        {
          ...{ id: 'voice', type: 'speech', owned_by: 'doubles', prices: { character: 15 } },
          providers: [{ provider: 'openai', upstream_id: 'voice-1' }],
        },
      ],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await upstream.stop(true);
});

const chat = (model: string, stream: boolean) =>
  sluice.post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'Hello' }] });
const messages = (model: string, stream: boolean) =>
  sluice.post('/v1/messages', {
    ...{ model, stream, max_tokens: 100 },
    messages: [{ role: 'user', content: 'Hello' }],
  });

afterEach(async () => {
  const { metrics, bodies } = sluice.running.services;
  expect(metrics.requestsUnderWay).toBe(0);
  // A text whose tokens are counted after its answer has gone is held until then.
  while (bodies.heldBytes > 0) await turn();
});

describe('an upstream that answers with very many levels', () => {
  /** Each has its deep part where the protocol has room for anything. */
  const wholes: Readonly<Record<(typeof kinds)[number], string>> = {
    openai: `{"choices":[{"index":0,"message":{"role":"assistant","content":"x","odd":${tooDeep}},"finish_reason":"stop"}]}`,
    anthropic: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${tooDeep}}],"stop_reason":"tool_use"}`,
    google: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${tooDeep}}}]},"finishReason":"STOP"}]}`,
    cohere: `{"message":{"content":[{"type":"text","text":"x","odd":${tooDeep}}]},"finish_reason":"COMPLETE"}`,
  };
  const json = { 'content-type': 'application/json' };
  const events = { 'content-type': 'text/event-stream' };

  test.each(kinds)('whole, of the kind %s, has failed, and nobody pays', async (kind) => {
    answer = () => new Response(wholes[kind], { headers: json });
    for (const ask of [chat, messages]) {
      const response = await ask(kind, false);
      expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('answer')]);
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({ errorCode: 'upstream_invalid_answer', chargedNanoUsd: 0n });
    }
  });

  test.each(kinds)('streamed, of the kind %s, has failed, and nobody pays', async (kind) => {
    answer = () => new Response(`data: ${wholes[kind]}\n\n`, { headers: events });
    for (const ask of [chat, messages]) {
      const response = await ask(kind, true);
      expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('provider')]);
      expect((await sluice.usage()).at(-1)).toMatchObject({ status: 502, chargedNanoUsd: 0n });
    }
  });

  test.each(kinds)('as an error of the kind %s is an error like any other', async (kind) => {
    answer = () => new Response(`{"error":${tooDeep}}`, { status: 500, headers: json });
    for (const ask of [chat, messages]) expect((await ask(kind, false)).status).toBe(502);
  });

  test('in the arguments of a call passes them on as text', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: tooDeep } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage });
    answer = () => new Response(body, { headers: json });
    const response = await messages('openai', false);
    expect(response.status).toBe(200);
    expect((await response.json()).content[0].input).toEqual({ INVALID_JSON: tooDeep });
  });

  test('in the middle of a stream ends it with an error, and what was delivered is paid for', async () => {
    const first = '{"choices":[{"index":0,"delta":{"role":"assistant","content":"Once upon"}}]}';
    const later = `{"choices":[{"index":0,"delta":{"content":${tooDeep}}}],"error":{"message":"broken"}}`;
    answer = () => new Response(`data: ${first}\n\n${`data: ${later}\n\n`.repeat(5)}`, { headers: events });
    for (const ask of [chat, messages]) {
      const text = await (await ask('openai', true)).text();
      expect(text).toContain('Once upon');
      expect(text).toContain('error');
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({ outcome: 'upstream_failed', estimated: true });
      expect(record?.chargedNanoUsd).toBeGreaterThan(0n);
    }
  });
});

const json = 'application/json';
const whole = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
});
/** A question of a million letters. */
const large = { model: 'openai', messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] };

/** Sends a head that declares a body, and as much of it as is given. */
function begin(
  token: string,
  { path = '/v1/chat/completions', bytes = bodyBytes, body = '', type = json } = {},
) {
  const { hostname, port } = new URL(sluice.url);
  const socket = createConnection(Number(port), hostname);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { socket, answer: answerOn(socket) };
}

/** The first that comes, as text. */
function answerOn(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.once('data', (data) => resolve(String(data)));
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('closed without an answer')));
  promise.catch(() => undefined);
  return promise;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('who may not be served is told so before the body is read', () => {
  const paths = [
    ...['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/native/responses', '/v1/embeddings'],
    ...['/v1/rerank', '/v1/audio/speech', '/v1/messages/count_tokens', '/v1beta/models/x:generateContent'],
  ];

  test.each(paths)('%s: a token that is none, a scope that is missing', async (path) => {
    for (const [token, status] of [
      [newToken(), 401],
      [tokens.reader, 403],
    ] as const) {
      const { socket, answer } = begin(token, { path });
      expect(await answer).toStartWith(`HTTP/1.1 ${status}`);
      socket.destroy();
    }
  });

  test.each(paths.filter((path) => !path.includes('count')))('%s: an empty wallet', async (path) => {
    const { socket, answer } = begin(tokens.poor, { path });
    expect(await answer).toStartWith('HTTP/1.1 402');
    socket.destroy();
  });

  test('a key whose requests of the minute are used up', async () => {
    const token = tokens.limited;
    await sluice.post('/v1/chat/completions', '{}', { authorization: `Bearer ${token}` });
    for (const path of ['/v1/chat/completions', '/v1/messages/count_tokens']) {
      const { socket, answer } = begin(token, { path });
      expect(await answer).toStartWith('HTTP/1.1 429');
      socket.destroy();
    }
  });

  test('200 bodies at once on a key with one request at once: one is read', async () => {
    const { metrics } = sluice.running.services;
    const first = begin(tokens.single, { body: '{' });
    while (metrics.requestsUnderWay < 1) await turn();
    const others = Array.from({ length: 199 }, () => begin(tokens.single, { body: ' '.repeat(50_000) }));
    for (const { answer } of others) expect(await answer).toStartWith('HTTP/1.1 429');
    expect(metrics.requestsUnderWay).toBe(1);
    for (const { socket } of [first, ...others]) socket.destroy();
    while (metrics.requestsUnderWay > 0) await turn();
  });
});

describe('the bytes that are held at once', () => {
  const upload = {
    path: '/v1/audio/transcriptions',
    type: 'multipart/form-data; boundary=B',
    body: '--B\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n',
  };
  /** All of a body but its last byte. */
  const almostWhole = (body = '') => body.padEnd(bodyBytes - 1);
  const [first, second, third] = senders;

  test.each([
    ['bodies', { body: almostWhole() }],
    ['uploads', { ...upload, body: almostWhole(upload.body) }],
  ] as const)(
    '40 large %s at once stay within the budget: 503 for those without room',
    async (_what, sent) => {
      const { metrics, bodies } = sluice.running.services;
      const all = Array.from({ length: 40 }, (_, at) => begin(senders[at % senders.length] ?? first, sent));
      let held = 0;
      let refused = 0;
      for (const { answer } of all) {
        answer.then(
          (text) => {
            refused += 1;
            expect(text).toStartWith('HTTP/1.1 503');
            expect(text).toContain('server_busy');
            expect(text.toLowerCase()).toContain('retry-after: 1\r\n');
          },
          () => undefined,
        );
      }
      while (refused < 38 || refused + metrics.requestsUnderWay > 40) {
        held = Math.max(held, bodies.heldBytes);
        await turn();
      }
      expect(held).toBeGreaterThan(0);
      expect(held).toBeLessThanOrEqual(budgetBytes * (3 / 4));
      const page = await (await fetch(sluice.running.metricsUrl ?? '')).text();
      expect(page).toContain(`sluice_body_bytes_budget ${budgetBytes}`);
      expect(page).toMatch(/sluice_body_bytes_held \d+/);
      for (const { socket } of all) socket.destroy();
      while (metrics.requestsUnderWay > 0) await turn();
    },
  );

  /** Two bodies that leave no room for a third. */
  async function fill(): Promise<() => Promise<void>> {
    const { bodies, metrics } = sluice.running.services;
    const others = [first, second].map((token) => begin(token, { body: almostWhole() }));
    while (bodies.heldBytes < 2 * (bodyBytes - 1)) await turn();
    return async () => {
      for (const { socket } of others) socket.destroy();
      while (metrics.requestsUnderWay > 0) await turn();
    };
  }

  test('a body of unknown length is counted as it comes', async () => {
    const { hostname, port } = new URL(sluice.url);
    const empty = await fill();
    const socket = createConnection(Number(port), hostname);
    const answer = answerOn(socket);
    socket.write(
      `POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${third}\r\nContent-Type: ${json}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 200 && !socket.destroyed; sent += 1) socket.write(chunk);
    expect(await answer).toStartWith('HTTP/1.1 503');
    socket.destroy();
    await empty();
  });

  test('bodies that are declared and do not come keep nobody out', async () => {
    const { metrics } = sluice.running.services;
    const idle = Array.from({ length: 16 }, () => begin(first, { body: '{', bytes: 1_000_000 }));
    const uploads = Array.from({ length: 16 }, () => begin(second, { ...upload, bytes: 1_000_000 }));
    while (metrics.requestsUnderWay < 32) await turn();
    const others = [...idle, ...uploads];
    answer = () => new Response(whole, { headers: { 'content-type': json } });
    for (const token of [first, third]) {
      const response = await sluice.post('/v1/chat/completions', large, { authorization: `Bearer ${token}` });
      expect(response.status).toBe(200);
    }
    for (const { socket } of others) socket.destroy();
    while (metrics.requestsUnderWay > 0) await turn();
  });

  test('the requests of one key hold a quarter together, whoever else there is', async () => {
    const { bodies, metrics } = sluice.running.services;
    const one = begin(first, { body: almostWhole() });
    while (bodies.heldBytes < bodyBytes - 1) await turn();
    const same = begin(first, { body: almostWhole() });
    const refusal = await same.answer;
    expect(refusal).toStartWith('HTTP/1.1 503');
    expect(refusal).toContain('of one key');
    const other = begin(second, { body: almostWhole() });
    while (bodies.heldBytes < 2 * (bodyBytes - 1)) await turn();
    for (const { socket } of [one, same, other]) socket.destroy();
    while (metrics.requestsUnderWay > 0) await turn();
  });

  test('what is parsed of a body counts too: 503 where there is no room for it now, 413 where there never is', async () => {
    const { bodies } = sluice.running.services;
    const asking = (objects: number, token: string) =>
      sluice.post(
        '/v1/chat/completions',
        `{"model":"openai","messages":[{"role":"user","content":"Hello"}],"odd":[${'{},'.repeat(objects)}{}]}`,
        { authorization: `Bearer ${token}` },
      );
    const arrived = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<Response>();
    answer = () => {
      arrived.resolve();
      return leave.promise;
    };
    const taken = asking(budgetBytes / 150, first);
    await arrived.promise;
    expect(bodies.heldBytes / budgetBytes).toBeCloseTo(0.5, 1);
    const busy = await asking(budgetBytes / 150, second);
    expect([busy.status, (await busy.json()).error.code]).toEqual([503, 'server_busy']);
    const never = await asking(budgetBytes / 90, third);
    expect([never.status, (await never.json()).error.code]).toEqual([413, 'body_too_large']);
    leave.resolve(new Response(whole, { headers: { 'content-type': json } }));
    expect((await taken).status).toBe(200);
  });

  test('a large body is taken while small ones of its key are under way', async () => {
    const { bodies, metrics } = sluice.running.services;
    const small = Array.from({ length: 8 }, () => begin(first, { body: '{', bytes: 2 }));
    while (bodies.heldBytes < 8) await turn();
    answer = () => new Response(whole, { headers: { 'content-type': json } });
    const more = { ...large, messages: [{ role: 'user', content: 'x'.repeat(budgetBytes * 0.3) }] };
    const headers = { authorization: `Bearer ${first}` };
    expect((await sluice.post('/v1/chat/completions', more, headers)).status).toBe(200);
    for (const { socket } of small) socket.destroy();
    while (metrics.requestsUnderWay > 0) await turn();
  });

  test('requests leave room for answers', async () => {
    const empty = await fill();
    answer = () => new Response(whole.padEnd(1_500_000), { headers: { 'content-type': json } });
    expect((await chat('openai', false)).status).toBe(200);
    await empty();
  });

  test('an answer for which there is no room is not asked for again elsewhere: 503', async () => {
    const empty = await fill();
    let asked = 0;
    answer = () => {
      asked += 1;
      return new Response(' '.repeat(10_000_000), { headers: { 'content-type': json } });
    };
    const response = await chat('openai', false);
    expect([response.status, (await response.json()).error.code]).toEqual([503, 'server_busy']);
    expect(asked).toBe(1);
    await empty();
  });

  test('a body that stops coming gives its place back: 408, and the connection is closed', async () => {
    const { bodies } = sluice.running.services;
    const { socket, answer } = begin(sluice.token, { body: ' '.repeat(100_000) });
    while (bodies.heldBytes < 100_000) await turn();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    sluice.leap(31_000);
    expect(await answer).toStartWith('HTTP/1.1 408');
    await closed;
  });
});

describe('a client that does not take its answer', () => {
  let isCancelled: boolean;

  /** An endless answer of such pieces; resolves once nothing of it is asked for any more. */
  function endless(first: string, piece: string, type: string): { untilStalled(): Promise<void> } {
    let pulls = 0;
    isCancelled = false;
    const encoder = new TextEncoder();
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulls += 1;
          controller.enqueue(encoder.encode(pulls === 1 ? first : piece));
        },
        cancel() {
          isCancelled = true;
        },
      });
    answer = () => new Response(body(), { headers: { 'content-type': type } });
    return {
      async untilStalled() {
        let known = -1;
        // Each of these takes the way that the pieces take, through the thread of the runtime's client.
        for (let quiet = 0; quiet < 30 || pulls === 0; quiet += 1) {
          if (pulls !== known) quiet = 0;
          known = pulls;
          await (await fetch(`${sluice.url}/health`)).text();
        }
      },
    };
  }

  function ask(path: string, body: object): Socket {
    const { hostname, port } = new URL(sluice.url);
    const socket = createConnection(Number(port), hostname);
    socket.pause();
    const text = JSON.stringify(body);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sluice.token}`;
    socket.write(`${head}\r\nContent-Type: ${json}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    return socket;
  }

  const event = (text: string) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
  const question = { model: 'openai', stream: true, messages: [{ role: 'user', content: 'Hello' }] };

  test.each([
    ['events', '/v1/chat/completions', question, event('x'.repeat(50_000)), 'text/event-stream'],
    [
      'events, converted',
      '/v1/messages',
      { ...question, max_tokens: 9 },
      event('y'.repeat(50_000)),
      'text/event-stream',
    ],
    [
      'bytes',
      '/v1/audio/speech',
      { model: 'voice', input: 'Hello', voice: 'a' },
      'z'.repeat(50_000),
      'audio/mpeg',
    ],
  ])(
    '%s: after five minutes its provider is let go and its connection closed, and it pays',
    async (...stream) => {
      const [, path, body, piece, type] = stream;
      const upstreams = endless(piece, piece, type);
      const socket = ask(path, body);
      const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
      await upstreams.untilStalled();
      expect(sluice.running.services.metrics.requestsUnderWay).toBe(1);
      sluice.leap(200_000);
      expect(sluice.running.services.metrics.requestsUnderWay).toBe(1);
      sluice.leap(110_000);
      const record = await sluice.nextUsage(({ requestId }) => !known.has(requestId));
      expect(record).toMatchObject({ outcome: 'client_closed', status: 200 });
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined);
      socket.resume();
      await closed;
      while (!isCancelled) await turn();
    },
  );
});

test('each connection is held while its request is answered, and then left to the runtime', async () => {
  const { connections, metrics } = sluice.running.services;
  const seen = new Map<Request, string[]>();
  const { hold, release } = connections;
  connections.hold = (http) => {
    seen.set(http, ['held']);
    hold.call(connections, http);
  };
  connections.release = (http) => {
    seen.get(http)?.push('released');
    release.call(connections, http);
  };
  const frames = `data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
  answer = () => new Response(whole, { headers: { 'content-type': json } });
  expect((await chat('openai', false)).status).toBe(200);
  expect((await chat('nobody', false)).status).toBe(404);
  answer = () => new Response(frames, { headers: { 'content-type': 'text/event-stream' } });
  await (await chat('openai', true)).text();
  const leaving = begin(sluice.token);
  while (metrics.requestsUnderWay < 1) await turn();
  leaving.socket.destroy();
  while (metrics.requestsUnderWay > 0) await turn();
  Object.assign(connections, { hold, release });
  expect([...seen.values()]).toEqual(Array.from({ length: 4 }, () => ['held', 'released']));
});
