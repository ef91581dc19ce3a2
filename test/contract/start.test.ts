/** How the program starts, how a start that fails leaves nothing behind, and what it answers while it stops. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '../../src/base/log.ts';
import { Catalogue } from '../../src/catalogue/index.ts';
import { loadConfiguration } from '../../src/main/configuration.ts';
import { startSluice } from '../../src/main/start.ts';
import { providerAdapters } from '../../src/providers/index.ts';
import { TokenLog } from '../../src/routing/index.ts';
import { describeOnEachDatabase, type PreparedDatabase, usualDatabase } from '../support/databases.ts';
import { portOfOwn } from '../support/port-of-own.ts';
import { newToken, owner, startTestSluice } from '../support/sluice.ts';

const secret = 'a secret of the tests, long enough';
const ask = { model: 'double-1', messages: [{ role: 'user', content: 'Hello' }] };

describeOnEachDatabase('a start that fails', (_openDatabase, database) => {
  let prepared: PreparedDatabase;

  beforeEach(async () => {
    prepared = await database.prepare();
  });
  afterEach(() => prepared.discard());

  async function start(port: number, more: Readonly<Record<string, string>> = {}) {
    const variables = { SLUICE_SECRET: secret, ...prepared.variables, ...more, PORT: String(port) };
    const configuration = await loadConfiguration(variables, providerAdapters);
    return startSluice({ configuration, log: openLog({ level: 'silent' }) });
  }

  test('for a port that is taken applies nothing of its configuration', async () => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
    const variables = { SLUICE_SECRET: secret, ...prepared.variables };
    const settings = { ...variables, PORT: String(other.port) };
    const configuration = {
      ...(await loadConfiguration(settings, providerAdapters)),
      get declared(): never {
        throw new Error('it was applied');
      },
    };
    const starting = startSluice({ configuration, log: openLog({ level: 'silent' }) });
    await expect(starting).rejects.toThrow(`Port ${other.port} `);
    await other.stop(true);
  });

  test('for a port that is taken says so; the next start shows the first account all the same', async () => {
    const port = await portOfOwn();
    const other = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() });
    await expect(start(port)).rejects.toMatchObject({
      name: 'AppError',
      message: expect.stringContaining(`Port ${port} `),
    });
    await other.stop(true);
    const running = await start(port);
    expect(running.welcome?.token).toStartWith('sluice_');
    await running.stop();
  });

  test('for a spool that cannot be made closes what it has opened, so that the program ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-start-'));
    const dataDir = prepared.variables['SLUICE_DATA_DIR'] ?? folder;
    await writeFile(join(dataDir, 'spool'), 'in the way');
    const closeCatalogue = spyOn(Catalogue.prototype, 'close');
    const closeTokenLog = spyOn(TokenLog.prototype, 'close');
    await expect(start(0, { SLUICE_DATA_DIR: dataDir })).rejects.toMatchObject({
      name: 'AppError',
      message: expect.stringContaining(`The folder ${join(dataDir, 'spool')}, where usage is kept`),
    });
    expect([closeCatalogue.mock.calls.length, closeTokenLog.mock.calls.length]).toEqual([1, 1]);
    closeCatalogue.mockRestore();
    closeTokenLog.mockRestore();
    const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../src/main/sluice.ts'), 'serve'], {
      env: {
        ...{ PORT: '0', SLUICE_METRICS_ADDRESS: 'off', SLUICE_SECRET: secret },
        ...{ ...prepared.variables, SLUICE_DATA_DIR: dataDir },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect(await new Response(child.stderr).text()).toContain(
      'where usage is kept until the database has it, cannot be used',
    );
    expect(await child.exited).toBe(1);
    await rm(folder, { recursive: true });
  });

  if (database.kind !== 'embedded') return;

  test('for a control socket that cannot be opened listens nowhere and lets go of the data folder', async () => {
    const port = await portOfOwn();
    const inTheWay = join(prepared.options.dataDir, 'run', 'control.sock');
    await mkdir(join(inTheWay, 'folder'), { recursive: true });
    await expect(start(port)).rejects.toMatchObject({
      name: 'AppError',
      message: expect.stringContaining('control socket'),
    });
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
    await rm(inTheWay, { recursive: true });
    const running = await start(port);
    expect((await fetch(`${running.url}/health`)).status).toBe(200);
    await running.stop();
  });
});

describeOnEachDatabase('a process that stops', (_openDatabase, database) => {
  test('until nobody can connect any more it serves in full; answers under way then end whole, and nothing is refused', async () => {
    const sluice = await startTestSluice({ database });
    const closed = Promise.withResolvers<void>();
    const hold = { until: closed.promise, lastWrites: 1 };
    sluice.upstream.byDefault({ generate: { tokens: 40 }, shape: { hold } });
    const before = await sluice.post('/v1/chat/completions', { ...ask, stream: true });
    const stopped = sluice.running.stop(noticeMs);
    const health = await fetch(`${sluice.url}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toEqual({ status: 'unavailable' });
    const meanwhile = await sluice.post('/v1/chat/completions', { ...ask, stream: true });
    const page = await fetch(`${sluice.url}/login`, { headers: { accept: 'text/html' } });
    expect([meanwhile.status, page.status]).toEqual([200, 200]);
    for (const { headers } of [health, meanwhile, page]) expect(headers.get('connection')).toBe('close');
    sluice.leap(noticeMs);
    await refusesConnections(sluice.url);
    expect(sluice.running.services.relays.size).toBe(2);
    closed.resolve();
    for (const answer of [before, meanwhile])
      expect((await answer.text()).trimEnd()).toEndWith('data: [DONE]');
    await stopped;
    await sluice.stop();
  });
});

/** Less than the time that any deadline of a request has. */
const noticeMs = 20_000;

/** It passes only once a connection is refused, as one is while answers still go on. */
async function refusesConnections(url: string): Promise<void> {
  while (
    await fetch(`${url}/health`).then(
      () => true,
      () => false,
    )
  )
    await Bun.sleep(1);
}

test.each([
  ['/v1/chat/completions', ask],
  ['/v1/messages', { ...ask, max_tokens: 99 }],
  ['/v1/responses', { model: 'double-1', input: 'Hello' }],
])('a stream on %s that outlasts the drain ends with an error event', async (path, body) => {
  const sluice = await startTestSluice({ variables: { SLUICE_DRAIN_TIMEOUT_MS: '0' } });
  sluice.upstream.byDefault({ fault: { name: 'mid_stream_stall', afterEvents: 3 } });
  const answer = await sluice.post(path, { ...body, stream: true });
  expect(answer.status).toBe(200);
  const told = answer.text();
  while (sluice.running.services.relays.size === 0) await Bun.sleep(1);
  await sluice.running.stop();
  const lastFrame = (await told).trim().split('\n\n').at(-1);
  expect(lastFrame).toContain('shut down in the middle of the answer');
  await sluice.stop();
});

describeOnEachDatabase('while the database is away', (_openDatabase, database) => {
  // The embedded one is inside the process.
  if (database.kind === 'embedded') return;

  test('503 with a wait for a key that was not seen before, the answer for one that was, and a page that says so', async () => {
    const line = await openLine();
    const through: typeof database = {
      ...database,
      async prepare(options) {
        const prepared = await database.prepare(options);
        const url = new URL(prepared.variables['DATABASE_URL'] ?? '');
        line.leadTo({ host: url.hostname, port: Number(url.port) });
        url.host = `127.0.0.1:${line.port}`;
        return { ...prepared, variables: { ...prepared.variables, DATABASE_URL: String(url) } };
      },
    };
    const unseen = newToken();
    const file = () => ({ keys: [{ name: 'unseen', owner, token: unseen }] });
    const log = openLog({ level: 'silent' });
    const logged = spyOn(log, 'error');
    const sluice = await startTestSluice({ database: through, file, log });
    expect((await sluice.post('/v1/chat/completions', ask)).status).toBe(200);
    await sluice.usage();
    const mended = Promise.withResolvers<void>();
    sluice.upstream.enqueue({ shape: { hold: { until: mended.promise, lastWrites: 1 } } });
    // While one is under way, what is set aside for its payer does not go back.
    const underWay = await sluice.post('/v1/chat/completions', { ...ask, stream: true });
    line.cut();
    const refused = await sluice.post('/v1/chat/completions', ask, { authorization: `Bearer ${unseen}` });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.headers.get('x-should-retry')).toBe('true');
    const { error } = await refused.json();
    expect(error).toMatchObject({ code: 'database_unavailable', type: 'server_error' });
    expect(error.message).toContain('cannot be reached at the moment');
    const told = logged.mock.calls.filter(([message]) => message === 'request failed inside the gateway');
    expect(told).toEqual([[told[0]?.[0] ?? '', expect.not.objectContaining({ stack: expect.anything() })]]);
    expect(told[0]?.[1]?.detail).toStartWith('the database cannot be reached: ');
    expect((await sluice.post('/v1/chat/completions', ask)).status).toBe(200);
    const page = await fetch(`${sluice.url}/dashboard`, { headers: { cookie: 'sluice=any' } });
    expect(page.status).toBe(503);
    expect(page.headers.get('retry-after')).toBe('5');
    expect(await page.text()).toContain('The database cannot be reached');
    expect((await fetch(`${sluice.url}/health`)).status).toBe(503);
    line.mend();
    mended.resolve();
    expect((await underWay.text()).trimEnd()).toEndWith('data: [DONE]');
    expect(
      (await sluice.post('/v1/chat/completions', ask, { authorization: `Bearer ${unseen}` })).status,
    ).toBe(200);
    await sluice.stop();
    line.close();
  });
});

/** A connection to somewhere that can be cut and mended. */
async function openLine() {
  let target = { host: '127.0.0.1', port: 1 };
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    leadTo(to: typeof target) {
      target = to;
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    mend() {
      isCut = false;
    },
    close: () => server.close(),
  };
}

/** By hand, because no client sends such a request. */
function askBare(url: string, firstLine: string, hosts: readonly string[]): Promise<Response> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      const lines = [firstLine, ...hosts.map((host) => `Host: ${host}`), 'Connection: close'];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    });
    socket.setEncoding('utf8');
    socket.on('error', reject);
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const [statusLine = '', ...lines] = head.split('\r\n');
      const headers = lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]);
      resolve(new Response(body, { status: Number(statusLine.split(' ')[1]), headers }));
    });
  });
}

describe('what pages load', () => {
  test('is made when the server has started, before anybody asks for a page', async () => {
    const prepared = await usualDatabase.prepare();
    const made = Promise.withResolvers<string>();
    const log = { ...openLog({ level: 'silent' }), debug: made.resolve, error: made.reject };
    const variables = { SLUICE_SECRET: secret, ...prepared.variables, PORT: '0' };
    const running = await startSluice({
      configuration: await loadConfiguration(variables, providerAdapters),
      log,
    });
    expect(await made.promise).toBe('what pages load is made');
    await running.stop();
    await prepared.discard();
  });
});

describe('answers outside of every face', () => {
  const expectError = async (response: Response, code: string, type: string) => {
    const { error, detail } = await response.json();
    expect(error).toMatchObject({ code, type, param: null });
    expect(detail).toBe(error.message);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    expect(Number(response.headers.get('x-sluice-overhead-ms'))).toBeGreaterThanOrEqual(0);
    expectHeld(response);
  };
  /** By no cache, and by no browser that guesses what it is. */
  const expectHeld = ({ headers }: Response) => {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  };

  test('404 for an unknown address in the form of who asks, 400 for what is not one host, in the shape of every other error', async () => {
    const sluice = await startTestSluice();
    const unknown = await fetch(`${sluice.url}/nowhere`);
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('x-should-retry')).toBe('false');
    await expectError(unknown, 'not_found', 'invalid_request_error');
    const page = await fetch(`${sluice.url}/nowhere`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toStartWith('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('There is no page here');
    const account = await fetch(`${sluice.url}/api/2.0/nowhere/`);
    expect(account.status).toBe(404);
    expect(await account.json()).toMatchObject([{ error_point: null, error_type: 'notexist' }]);
    for (const response of [account, await fetch(`${sluice.url}/health`)]) expectHeld(response);
    const { error } = await (await sluice.post('/chat/completions', ask)).json();
    expect(error.message).toBe('There is nothing at /chat/completions. Did you mean /v1/chat/completions?');
    const twice = await sluice.post('/v1/v1/chat/completions', ask);
    expect(twice.status).toBe(404);
    expect((await twice.json()).error.message).toContain('Leave /v1 out of the base URL');
    const twoHosts = await askBare(sluice.url, 'GET /health HTTP/1.1', ['one.test', 'two.test']);
    expect(twoHosts.status).toBe(400);
    expect(twoHosts.headers.get('x-should-retry')).toBe('false');
    await expectError(twoHosts, 'malformed_request', 'invalid_request_error');
    const notHosts = ['a b', '[', 'a/b', 'a?b', 'a:99999', 'user@a', 'http://a', '%', '\u00ff', 'a,b'];
    for (const host of notHosts) {
      for (const path of ['/health', '/nowhere', '/v1/models', 'http://a/v1/models']) {
        const refused = await askBare(sluice.url, `GET ${path} HTTP/1.1`, [host]);
        expect({ host, path, status: refused.status }).toEqual({ host, path, status: 400 });
        await expectError(refused, 'malformed_request', 'invalid_request_error');
      }
    }
    // Under the account API an error is an array, also where the request does not reach it.
    for (const path of ['/api/2.0/notification_contacts/', '/api/2.0', '/api/2.0/?limit=0']) {
      const refused = await askBare(sluice.url, `GET ${path} HTTP/1.1`, ['a b']);
      expect([path, refused.status]).toEqual([path, 400]);
      expect(await refused.json()).toMatchObject([{ error_point: null, error_type: 'validation' }]);
    }
    const tunnel = await askBare(sluice.url, 'CONNECT one.test:443 HTTP/1.1', ['one.test:443']);
    expect(tunnel.status).toBe(400);
    await expectError(tunnel, 'malformed_request', 'invalid_request_error');
    for (const target of ['http://any.test/health', 'https://any.test/health']) {
      const absolute = await askBare(sluice.url, `GET ${target} HTTP/1.1`, ['one.test']);
      expect(absolute.status).toBe(200);
    }
    const withoutHost = await askBare(sluice.url, 'GET /health HTTP/1.0', []);
    expect(withoutHost.status).toBe(200);
    const nowhere = await askBare(sluice.url, 'GET /nowhere HTTP/1.0', []);
    expect(nowhere.status).toBe(404);
    await expectError(nowhere, 'not_found', 'invalid_request_error');
    await sluice.stop();
  });

  test('an idle process says at /health that it stops, for as long as it was told, and then closes', async () => {
    const sluice = await startTestSluice();
    let hasStopped = false;
    const stopped = sluice.running.stop(3_600_000).then(() => {
      hasStopped = true;
    });
    for (let asked = 0; asked < 3; asked += 1) {
      const health = await fetch(`${sluice.url}/health`);
      expect(health.status).toBe(503);
    }
    expect(hasStopped).toBe(false);
    sluice.leap(3_600_000);
    await stopped;
    await expect(fetch(`${sluice.url}/health`)).rejects.toThrow();
    await sluice.stop();
  });
});
