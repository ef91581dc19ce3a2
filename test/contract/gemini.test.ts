/** Gemini's addresses: models, generateContent, streamGenerateContent and countTokens, as plain HTTP and its client see them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import { type Log, openLog } from '../../src/base/log.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const contents = [{ role: 'user', parts: [{ text: 'Where does the river go?' }] }];
const tokens = {
  poor: newToken(),
  expired: newToken(),
  reader: newToken(),
  locked: newToken(),
  limited: newToken(),
};
const password = 'a long enough password';
const chatMethods = ['generateContent', 'streamGenerateContent', 'countTokens'];

let sluice: TestSluice;
let log: Log;
const logFile = join(tmpdir(), `sluice-gemini-${process.pid}.log`);
let logDescriptor: number;

beforeAll(async () => {
  const model = (id: string, provider: string, upstreamId: string) => ({
    ...usualModel,
    id,
    aliases: [],
    providers: [{ provider, upstream_id: upstreamId }],
  });
  logDescriptor = openSync(logFile, 'w');
  log = openLog({ level: 'debug', fileDescriptor: logDescriptor });
  sluice = await startTestSluice({
    log,
    variables: { SLUICE_MAX_BODY_BYTES: '300000', SLUICE_STREAM_KEEP_ALIVE_MS: '50' },
    file: (url) => ({
      users: [
        { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
        { email: 'poor@example.test', password, role: 'member' },
      ],
      providers: [
        usualProvider(url),
        { ...usualProvider(url), name: 'gemini', kind: 'google', base_url: url.replace(/\/v1$/, '/v1beta') },
      ],
      models: [
        model('gemini-3-flash-preview', 'gemini', 'gemini-3-flash-preview'),
        model('maker/one:8b', 'main', 'double-1-2026'),
        { ...model('thinker', 'main', 'double-1-2026'), capabilities: ['tools', 'thinking'] },
        model('tunedModels/mine', 'main', 'double-1-2026'),
        { ...model('vectors', 'main', 'v'), type: 'embedding' },
        {
          ...model('cheap', 'main', 'double-cheap'),
          capabilities: [],
          prices: { input: 0.01, output: 0.01 },
        },
      ],
      keys: [
        { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
        { name: 'expired', owner, token: tokens.expired, expires_at: '2020-01-01T00:00:00Z' },
        { name: 'reader', owner, token: tokens.reader, scopes: ['read'] },
        { name: 'locked', owner, token: tokens.locked, allowed_models: ['thinker'] },
        { name: 'limited', owner, token: tokens.limited, requests_per_minute: 2 },
      ],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  closeSync(logDescriptor);
  rmSync(logFile);
});
beforeEach(() => sluice.upstream.forget());

const google = 'gemini-3-flash-preview';

interface Sent {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly signal?: AbortSignal;
}

/** As a program sends it that read the documentation; a token of null is left out. */
function post(path: string, { token = sluice.token, headers, body = { contents }, signal }: Sent = {}) {
  return fetch(`${sluice.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { 'x-goog-api-key': token }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const get = (path: string, headers: Readonly<Record<string, string>> = { 'x-goog-api-key': sluice.token }) =>
  fetch(`${sluice.url}${path}`, { headers });

const generate = (model: string, sent?: Sent) => post(`/v1beta/models/${model}:generateContent`, sent);

async function lastUsage() {
  const record = (await sluice.usage()).at(-1);
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

describe('the token', () => {
  test.each([
    ['x-goog-api-key', (token: string) => ({ path: '', headers: { 'x-goog-api-key': token } })],
    ['?key=', (token: string) => ({ path: `?key=${token}`, headers: {} })],
    ['Bearer', (token: string) => ({ path: '', headers: { authorization: `Bearer ${token}` } })],
    ['x-api-key', (token: string) => ({ path: '', headers: { 'x-api-key': token } })],
  ])('is taken as %s, for requests and for the list of models', async (_name, send) => {
    const { path, headers } = send(sluice.token);
    const answer = await generate('thinker', { token: null, headers }).then(({ status }) => status);
    expect(answer).toBe(path === '' ? 200 : 401);
    expect(
      (await post(`/v1beta/models/thinker:generateContent${path}`, { token: null, headers })).status,
    ).toBe(200);
    for (const version of ['v1beta', 'v1'])
      expect((await get(`/${version}/models${path}`, headers)).status).toBe(200);
  });

  test('in an address reaches no log, no error and no upstream', async () => {
    const secrets = [sluice.token, tokens.expired, tokens.poor, newToken()];
    for (const secret of secrets) {
      for (const path of [
        '/v1beta/models/thinker:generateContent',
        '/v1beta/models/nothing:generateContent',
        '/v1beta/models/thinker:streamGenerateContent',
        '/v1beta/models/thinker:countTokens',
        '/v1beta/models/thinker:embedContent',
        '/v1beta/nowhere',
      ]) {
        const answer = await post(`${path}?key=${secret}`, { token: null });
        expect(await answer.text()).not.toContain(secret);
        for (const value of answer.headers.values()) expect(value).not.toContain(secret);
      }
      expect(await (await get(`/v1beta/models/nothing?key=${secret}`, {})).text()).not.toContain(secret);
    }
    sluice.upstream.byDefault({ fault: 'status_500' });
    await post(`/v1beta/models/${google}:generateContent?key=${sluice.token}`, { token: null });
    for (const { path, headers, bodyText } of sluice.upstream.requests)
      expect(JSON.stringify([path, headers, bodyText])).not.toContain(sluice.token);
    await log.flush();
    const lines = readFileSync(logFile, 'utf8');
    expect(lines).toContain('upstream failed');
    expect(lines).toMatch(/"upstreamUrl":"127\.0\.0\.1:\d+\/[^"?]+"/);
    for (const secret of secrets) expect(lines).not.toContain(secret);
  });
});

describe('the model in the address', () => {
  test.each([
    ['/v1beta/models/thinker:generateContent', 'thinker'],
    ['/v1/models/thinker:generateContent', 'thinker'],
    ['/v1beta/models/maker/one:8b:generateContent', 'maker/one:8b'],
    ['/v1beta/models/maker%2Fone%3A8b:generateContent', 'maker/one:8b'],
    ['/v1beta/models/thinker%3AgenerateContent', 'thinker'],
    ['/v1beta/tunedModels/mine:generateContent', 'tunedModels/mine'],
  ])('%s', async (path, model) => {
    const answer = await post(path);
    expect(answer.status).toBe(200);
    expect(await lastUsage()).toMatchObject({ model, endpoint: '/v1beta/models/{model}:generateContent' });
  });

  test('may be auto, which minds tools and images', async () => {
    const plain = await generate('auto');
    expect(plain.headers.get('x-sluice-autorouter-model')).toBe('cheap');
    const parts = [{ inline_data: { mime_type: 'image/png', data: 'aaaa' } }];
    const shown = await generate('auto', { body: { contents: [{ parts }] } });
    expect(shown.headers.get('x-sluice-autorouter-model')).toBe(google);
  });
});

describe('an answer', () => {
  test('has the headers of every answer, and is paid for', async () => {
    const answer = await generate('thinker');
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
    expect(answer.headers.get('x-sluice-provider')).toBe('main');
    const record = await lastUsage();
    expect(Number(answer.headers.get('x-sluice-cost-usd')) * 1e9).toBeCloseTo(
      Number(record.chargedNanoUsd),
      3,
    );
    expect(record.chargedNanoUsd).toBeGreaterThan(0n);
  });

  test('of the same protocol keeps what nobody here knows, in the request and in the answer', async () => {
    const text = `{"contents":[{"parts":[{"text":"hi"}]}], "safetySettings":[],"labels":{"big":12345678901234567890}}`;
    const answer = await generate(google, { body: text });
    expect(answer.status).toBe(200);
    const [asked] = sluice.upstream.requests;
    expect(asked?.bodyText).toBe(text);
    expect(asked?.path).toBe('/v1beta/models/gemini-3-flash-preview:generateContent');
  });

  test('without counts is estimated by all that was said', async () => {
    sluice.upstream.enqueue({ generate: { text: 'To the sea.', usage: 'never' } });
    const said = 'a long story '.repeat(100);
    await generate('thinker', { body: { contents: [{ parts: [{ text: said }] }] } });
    expect((await lastUsage()).inputTokens).toBeGreaterThan(300);
  });

  test('stops at a sequence also where the upstream cannot, in both forms of the request', async () => {
    for (const generationConfig of [{ stopSequences: ['three'] }, { stop_sequences: ['three'] }]) {
      sluice.upstream.enqueue({ generate: { text: 'One two three four' } });
      const answer = await generate('thinker', { body: { contents, generationConfig } });
      expect(await answer.json()).toMatchObject({
        candidates: [{ content: { parts: [{ text: 'One two ' }] } }],
      });
    }
  });
});

describe('a streamed answer', () => {
  const stream = (model: string, query: string, sent?: Sent) =>
    post(`/v1beta/models/${model}:streamGenerateContent${query}`, sent);

  test.each(['thinker', google])('of %s is events with alt=sse, and one array without', async (model) => {
    sluice.upstream.byDefault({ generate: { text: 'To the sea.' } });
    const events = await stream(model, '?alt=sse');
    expect(events.headers.get('content-type')).toStartWith('text/event-stream');
    const pieces = (await events.text())
      .split(/\r?\n\r?\n/)
      .flatMap((frame) => (frame.startsWith('data: ') ? [JSON.parse(frame.slice('data: '.length))] : []));
    const array = await stream(model, '');
    expect(array.headers.get('content-type')).toStartWith('application/json');
    expect(array.headers.get('x-sluice-provider')).toMatch(/main|gemini/);
    const elements: readonly unknown[] = await array.json();
    const plain = (all: readonly unknown[]) =>
      JSON.parse(JSON.stringify(all).replaceAll(/double-?\w*\d+/g, 'id'));
    expect(elements.map(textOf)).toEqual(pieces.map(textOf));
    expect(pieces.map(textOf).join('')).toBe('To the sea.');
    expect(plain(elements.slice(0, 1))[0]).toHaveProperty('candidates');
    expect(await lastUsage()).toMatchObject({ outcome: 'complete', streamed: true });
  });

  test('an error before it has its status, in a list of one where an array was asked for', async () => {
    for (const model of ['thinker', google]) {
      sluice.upstream.byDefault({ fault: 'rate_limited' });
      const events = await stream(model, '?alt=sse');
      expect(events.status).toBe(503);
      expect(await events.json()).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
      const array = await stream(model, '');
      expect(array.status).toBe(503);
      expect(await array.json()).toMatchObject([{ error: { code: 503, status: 'UNAVAILABLE' } }]);
    }
  });

  test.each(['?alt=sse', ''])('an error inside it is told in its last piece (%p)', async (query) => {
    const fault = { name: 'in_band_error', afterEvents: 8 } as const;
    for (const model of ['thinker', google]) {
      sluice.upstream.byDefault({ generate: { tokens: 30 }, fault });
      const text = await (await stream(model, query)).text();
      const last: unknown =
        query === '' ? JSON.parse(text).at(-1) : JSON.parse(text.trimEnd().split('data: ').at(-1) ?? '');
      expect(last).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } });
      expect(text).not.toContain('"finishReason"');
      expect(await lastUsage()).toMatchObject({ outcome: 'upstream_failed', status: 200 });
    }
  });

  test('shows that it is alive while the upstream is silent, in both forms', async () => {
    for (const query of ['?alt=sse', '']) {
      sluice.upstream.byDefault({ generate: { tokens: 2 }, shape: { chunkDelayMs: 200 } });
      const text = await (await stream('thinker', query)).text();
      expect(text).toMatch(
        query === ''
          ? /,\r\n\{"candidates":\[\{"content":\{"parts":\[\{"text":""\}\]/
          : /\ndata: \{"candidates":\[\{"content":\{"parts":\[\{"text":""\}\]/,
      );
    }
  });

  test.each(['?alt=sse', ''])('ends at the upstream too when its client leaves (%p)', async (query) => {
    const known = (await sluice.usage()).length;
    sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs: 20 } });
    const controller = new AbortController();
    const reader = (await stream('thinker', query, { signal: controller.signal })).body?.getReader();
    for (let pieces = 0; pieces < 3; pieces += 1) await reader?.read();
    const received = await sluice.upstream.received(1);
    controller.abort();
    await sluice.readsOnNoLonger();
    await received.ended;
    expect(received.clientClosed).toBe('after_first_event');
    let records = await sluice.usage();
    while (records.length === known) records = await sluice.usage();
    expect(records.at(-1)).toMatchObject({ outcome: 'client_closed', status: 200 });
  });
});

function textOf(piece: unknown): string {
  const { candidates } = JSON.parse(JSON.stringify(piece));
  return candidates?.[0]?.content?.parts?.map((part: { text?: string }) => part.text ?? '').join('') ?? '';
}

describe('a refusal', () => {
  const refused: readonly (readonly [string, number, string, () => Promise<Response>])[] = [
    ['JSON that is none', 400, 'INVALID_ARGUMENT', () => generate('thinker', { body: '{"contents":' })],
    [
      'a body of another type',
      400,
      'INVALID_ARGUMENT',
      () => generate('thinker', { headers: { 'content-type': 'text/html' } }),
    ],
    [
      'what no provider can take',
      400,
      'INVALID_ARGUMENT',
      () => generate('thinker', { body: { contents, cachedContent: 'cachedContents/1' } }),
    ],
    ['no token', 401, 'UNAUTHENTICATED', () => generate('thinker', { token: null })],
    ['a token of nobody', 401, 'UNAUTHENTICATED', () => generate('thinker', { token: newToken() })],
    ['an expired token', 401, 'UNAUTHENTICATED', () => generate('thinker', { token: tokens.expired })],
    ['an empty wallet', 402, 'FAILED_PRECONDITION', () => generate('thinker', { token: tokens.poor })],
    [
      'a scope that is missing',
      403,
      'PERMISSION_DENIED',
      () => generate('thinker', { token: tokens.reader }),
    ],
    ['a locked model', 403, 'PERMISSION_DENIED', () => generate(google, { token: tokens.locked })],
    ['a model of nobody', 404, 'NOT_FOUND', () => generate('nothing')],
    ['a model of another kind', 404, 'NOT_FOUND', () => generate('vectors')],
    ['an address of nothing', 404, 'NOT_FOUND', () => post('/v1beta/nowhere')],
    ['a method of nobody', 405, 'UNIMPLEMENTED', () => post('/v1beta/models/thinker:dance')],
    ['a read of what is written', 405, 'UNIMPLEMENTED', () => get('/v1beta/models/thinker:generateContent')],
    [
      'a long body',
      413,
      'INVALID_ARGUMENT',
      () => generate('thinker', { body: { contents, x: 'a'.repeat(310_000) } }),
    ],
    ['a field that is missing', 422, 'INVALID_ARGUMENT', () => generate('thinker', { body: {} })],
  ];

  test.each(refused)('of %s is %d %s', async (_what, status, name, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
    const body: { error: { message: string } } = await answer.json();
    expect(body).toMatchObject({ error: { code: status, status: name }, detail: body.error.message });
    expect(sluice.upstream.requests).toHaveLength(0);
  });

  test('names the fields at fault', async () => {
    const body = { contents: [{ role: 'assistant', parts: [] }], generationConfig: { topP: 3 } };
    const answer: { error: { details: readonly object[] } } = await (
      await generate('thinker', { body })
    ).json();
    expect(answer.error.details[1]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [
        { field: 'contents.0.role' },
        { field: 'contents.0.parts' },
        { field: 'generationConfig.topP' },
      ],
    });
  });

  test('of one request too many says when to come back', async () => {
    const answers = [];
    for (let sent = 0; sent < 3; sent += 1)
      answers.push(await generate('thinker', { token: tokens.limited }));
    const [, , last] = answers;
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    if (last === undefined) throw new Error('it was not answered');
    const { error }: { error: { status: string; details: readonly object[] } } = await last.json();
    expect(error.status).toBe('RESOURCE_EXHAUSTED');
    const retryDelay = `${last.headers.get('retry-after')}s`;
    expect(error.details).toContainEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });
  });
});

describe('counting tokens', () => {
  test.each([
    [google, 'exact'],
    ['thinker', 'estimated'],
  ])('of %s is %s, costs nothing and leaves no record', async (model, how) => {
    const known = (await sluice.usage()).length;
    for (const body of [{ contents }, { generateContentRequest: { model: `models/${model}`, contents } }]) {
      const answer = await post(`/v1beta/models/${model}:countTokens`, { body });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-sluice-token-count')).toBe(how);
      const { totalTokens }: { totalTokens: number } = await answer.json();
      expect(totalTokens).toBeGreaterThan(3);
    }
    expect(await sluice.usage()).toHaveLength(known);
  });

  test('is refused as other requests are', async () => {
    expect((await post('/v1beta/models/nothing:countTokens')).status).toBe(404);
    expect((await post('/v1beta/models/thinker:countTokens', { body: {} })).status).toBe(422);
    expect((await post('/v1beta/models/thinker:countTokens', { token: tokens.reader })).status).toBe(403);
  });
});

/** The ids of all models, as other clients are told them. */
async function allIds(): Promise<readonly string[]> {
  const list: readonly { id: string }[] = await (
    await get('/v1/models', { authorization: `Bearer ${sluice.token}` })
  ).json();
  return list.map(({ id }) => id);
}

describe('models', () => {
  const expected = (id: string, methods: readonly string[]) =>
    expect.objectContaining({ name: `models/${id}`, displayName: id, supportedGenerationMethods: methods });

  test('are listed with their limits and methods, under both versions', async () => {
    for (const version of ['v1beta', 'v1']) {
      const { models }: { models: readonly { name: string }[] } = await (
        await get(`/${version}/models`)
      ).json();
      expect(models.map(({ name }) => name)).toEqual((await allIds()).map((id) => `models/${id}`));
      expect(models).toContainEqual(expected('thinker', chatMethods));
      expect(models).toContainEqual(expected('vectors', []));
      expect(models.find(({ name }) => name === 'models/thinker')).toMatchObject({
        inputTokenLimit: 128_000,
        outputTokenLimit: 16_384,
        thinking: true,
      });
    }
  });

  test('are in the same form for a key in the address', async () => {
    const answer: object = await (await get(`/v1/models?key=${sluice.token}&pageSize=1`, {})).json();
    expect(Object.keys(answer)).toEqual(['models', 'nextPageToken']);
  });

  test('are those that the key may use', async () => {
    const list = await get('/v1beta/models', { 'x-goog-api-key': tokens.locked });
    expect(await list.json()).toEqual({ models: [expected('thinker', chatMethods)] });
  });

  test('come in pages, each of which says where the next begins', async () => {
    const names: string[] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const answer = await get(`/v1beta/models?pageSize=4&pageToken=${encodeURIComponent(token)}`);
      const page: { models: readonly { name: string }[]; nextPageToken?: string } = await answer.json();
      expect(page.models.length).toBeLessThanOrEqual(4);
      names.push(...page.models.map(({ name }) => name));
      token = page.nextPageToken;
    }
    expect(names).toEqual((await allIds()).map((id) => `models/${id}`));
  });

  test('one by one, whatever their ids hold', async () => {
    expect(await (await get('/v1beta/models/maker/one:8b')).json()).toEqual(
      expected('maker/one:8b', chatMethods),
    );
    const missing = await get('/v1/models/nothing');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { status: 'NOT_FOUND' } });
  });

  test('other clients still get the list that they know under /v1', async () => {
    expect(await allIds()).toContain('thinker');
  });
});

describe.each(['v1', 'v1beta'])('the official client at %s', (apiVersion) => {
  const client = () =>
    new GoogleGenAI({ apiKey: sluice.token, apiVersion, httpOptions: { baseUrl: sluice.url } });

  test('lists models page by page, and gets one', async () => {
    const names: (string | undefined)[] = [];
    for await (const { name } of await client().models.list({ config: { pageSize: 2 } })) names.push(name);
    expect(names).toEqual((await allIds()).map((id) => `models/${id}`));
    for (const model of ['thinker', 'models/maker/one:8b'])
      expect(await client().models.get({ model })).toMatchObject({ inputTokenLimit: 128_000 });
    expect(client().models.get({ model: 'nothing' })).rejects.toMatchObject({ status: 404 });
  });

  test('counts tokens', async () => {
    for (const model of [google, 'thinker']) {
      const { totalTokens } = await client().models.countTokens({ model, contents });
      expect(totalTokens).toBeGreaterThan(3);
    }
  });

  test('sees the fields at fault', async () => {
    const asking = client().models.generateContent({ model: 'thinker', contents, config: { topP: 7 } });
    expect(asking).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('generationConfig.topP'),
    });
  });
});
