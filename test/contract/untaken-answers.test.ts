/** Clients that do not take their whole answers: what is held for them, and for how long. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createConnection, type Socket } from 'node:net';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

let sluice: TestSluice;
let upstream: Bun.Server<undefined>;
let answer: () => Response;
const json = 'application/json';

beforeAll(async () => {
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  sluice = await startTestSluice({
    file: () => ({
      providers: [{ ...usualProvider(`${upstream.url.origin}/v1`), name: 'openai' }],
      models: [{ ...usualModel, id: 'openai', providers: [{ provider: 'openai', upstream_id: 'openai-1' }] }],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await upstream.stop(true);
});
afterEach(async () => {
  const { metrics, bodies } = sluice.running.services;
  expect(metrics.requestsUnderWay).toBe(0);
  while (bodies.heldBytes > 0) await turn();
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** On a connection that is not read. */
function ask(path: string, body: object): Socket {
  const { hostname, port } = new URL(sluice.url);
  const socket = createConnection(Number(port), hostname);
  socket.pause();
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sluice.token}`;
  socket.write(`${head}\r\nContent-Type: ${json}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  return socket;
}

describe('a long whole answer', () => {
  const wholeOf = (content: string) =>
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
    });
  const question = { model: 'openai', messages: [{ role: 'user', content: 'Hello' }] };
  const answerWith = (text: string) => {
    answer = () => new Response(text, { headers: { 'content-type': json } });
  };

  /** Settled, and taken no further than the sockets go. */
  async function leaveUntaken(): Promise<{ socket: Socket; bytes: number }> {
    const text = wholeOf('é'.repeat(8_000_000));
    answerWith(text);
    const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
    const socket = ask('/v1/chat/completions', question);
    const record = await sluice.nextUsage(({ requestId }) => !known.has(requestId));
    expect(record).toMatchObject({ outcome: 'complete', status: 200 });
    return { socket, bytes: Buffer.byteLength(text) };
  }

  test('arrives whole, and then holds nothing', async () => {
    const content = `x${'🌊'.repeat(400_000)}`;
    answerWith(wholeOf(content));
    const response = await sluice.post('/v1/chat/completions', question);
    expect(response.headers.get('x-sluice-cost-usd')).not.toBeNull();
    expect((await response.json()).choices[0].message.content).toBe(content);
  });

  test('keeps its bytes until its client has left', async () => {
    const { bodies } = sluice.running.services;
    const { socket, bytes } = await leaveUntaken();
    expect(bodies.heldBytes).toBe(bytes);
    socket.destroy();
    while (bodies.heldBytes > 0) await turn();
  });

  test('keeps them until its client has taken it', async () => {
    const { bodies } = sluice.running.services;
    const { socket, bytes } = await leaveUntaken();
    expect(bodies.heldBytes).toBe(bytes);
    let received = 0;
    socket.on('data', (piece) => {
      received += piece.length;
    });
    socket.resume();
    while (bodies.heldBytes > 0) await turn();
    while (received < bytes) await turn();
    socket.destroy();
  });

  test('is given up, and its connection closed, when nothing of it is taken for five minutes', async () => {
    const { bodies } = sluice.running.services;
    const { socket } = await leaveUntaken();
    sluice.leap(200_000);
    expect(bodies.heldBytes).toBeGreaterThan(0);
    sluice.leap(110_000);
    while (bodies.heldBytes > 0) await turn();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.resume();
    await closed;
  });

  test('keeps large bodies of its key out, and nobody else', async () => {
    const { bodies } = sluice.running.services;
    const share = bodies.maxBytes / 4;
    const socket = (await leaveUntaken()).socket;
    const others = [];
    while (bodies.heldBytes < share + 16_000_000) others.push((await leaveUntaken()).socket);
    const refused = await sluice.post('/v1/chat/completions', question);
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'server_busy']);
    for (const each of [socket, ...others]) each.destroy();
    while (bodies.heldBytes > 0) await turn();
    answerWith(wholeOf('x'));
    expect((await sluice.post('/v1/chat/completions', question)).status).toBe(200);
  });
});
