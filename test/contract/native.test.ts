/** The native endpoint at both its addresses: what is refused, what goes on byte for byte, and what it costs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  AccountService,
  accountId,
  eventStream,
  spokenFrames,
  spokenUsage,
} from '../support/account-service.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const paths = ['/v1/native/responses', '/v1/codex/responses'] as const;
const [path] = paths;
const ask = { model: 'relay', input: [{ role: 'user', content: 'Hello' }], stream: true };
const tokens = {
  poor: newToken(),
  expired: newToken(),
  reader: newToken(),
  locked: newToken(),
  limited: newToken(),
  elsewhere: newToken(),
};
const password = 'a long enough password';

describe('the native endpoint', () => {
  let sluice: TestSluice;
  let account: AccountService;
  let backup: AccountService;

  beforeAll(async () => {
    account = new AccountService();
    backup = new AccountService();
    const model = (id: string, ...providers: readonly string[]) => ({
      ...usualModel,
      id,
      aliases: [],
      providers: providers.map((provider) => ({ provider, upstream_id: `${id}-upstream` })),
    });
    sluice = await startTestSluice({
      file: (url) => ({
        users: [
          { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
          { email: 'poor@example.test', password, role: 'member' },
        ],
        providers: [usualProvider(url), account.provider('account'), backup.provider('backup')],
        models: [
          { ...model('relay-1', 'main', 'account'), aliases: ['relay'] },
          model('safe', 'account', 'backup'),
          model('chat-only', 'main'),
          { ...model('vectors', 'main'), type: 'embedding' },
        ],
        keys: [
          { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
          { name: 'expired', owner, token: tokens.expired, expires_at: '2020-01-01T00:00:00Z' },
          { name: 'reader', owner, token: tokens.reader, scopes: ['read'] },
          { name: 'locked', owner, token: tokens.locked, allowed_models: ['chat-only'] },
          { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1 },
          { name: 'elsewhere', owner, token: tokens.elsewhere, allowed_regions: ['us'] },
        ],
      }),
      variables: { SLUICE_MAX_BODY_BYTES: '300000' },
    });
  });
  afterAll(async () => {
    await sluice.stop();
    await account.stop();
    await backup.stop();
  });
  beforeEach(() => {
    sluice.upstream.forget();
    for (const service of [account, backup]) {
      service.calls.length = 0;
      service.answer = () => eventStream(spokenFrames('Hello.'));
    }
  });

  const post = (body: unknown, headers: Record<string, string> = {}) => sluice.post(path, body, headers);
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  const lastRecord = async () => (await sluice.usage()).at(-1);

  /** @returns the sentence, which is all that an error holds, but for what is told of money. */
  async function refusalIn(response: Response): Promise<string> {
    const body = await response.json();
    const ofMoney = ['affordable_tokens', 'held', 'balance', 'top_up_url'];
    const ofLocks = 'lock' in body ? ['level', 'lock', 'allowed'] : [];
    expect(Object.keys(body)).toEqual(['detail', ...(response.status === 402 ? ofMoney : ofLocks)]);
    expect(body.detail).toBeString();
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'));
    return body.detail;
  }

  describe.each(paths)('at %s', (here) => {
    test('the request goes on byte for byte, to the native provider only, and the stream comes back so', async () => {
      const body =
        ' {"store" : false,\n"model":"relay", "input" : [ {"n":12345678901234567890,"x":1.50e+2} ],\t"stream":true,"made_up":{"a":[ ]},"text":"\\u00e9 é"}\n';
      const frames = spokenFrames('To the sea, slowly. 水門 👩‍🔧');
      account.answer = () => eventStream(frames, 2);
      const response = await sluice.post(here, body);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toStartWith('text/event-stream');
      expect(response.headers.get('x-sluice-provider')).toBe('account');
      expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'));
      expect(await response.text()).toBe(frames.join(''));
      expect(account.calls).toHaveLength(1);
      expect(account.calls[0]?.bodyText).toBe(body);
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test.each([
      ['Input must be a list', { ...ask, input: 'Hello' }],
      ['Input must be a list', { ...ask, input: undefined }],
      ['Input must be a list', { ...ask, input: { role: 'user' }, stream: false }],
      ['Stream must be set to true', { ...ask, stream: false }],
      ['Stream must be set to true', { ...ask, stream: undefined }],
      ['Stream must be set to true', { ...ask, stream: 'true' }],
    ])('400 %s', async (detail, body) => {
      const response = await sluice.post(here, body);
      expect(response.status).toBe(400);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(await response.json()).toEqual({ detail });
      expect(account.calls).toHaveLength(0);
    });

    test.each([
      ['no token', 401, ask, { authorization: '' }],
      ['an unknown token', 401, ask, as(newToken())],
      ['an expired token', 401, ask, as(tokens.expired)],
      ['an empty wallet', 402, ask, as(tokens.poor)],
      ['a key without the scope', 403, ask, as(tokens.reader)],
      ['a key locked to other models', 403, ask, as(tokens.locked)],
      ['a key locked to other regions', 403, ask, as(tokens.elsewhere)],
      ['an unknown model', 404, { ...ask, model: 'nobody' }, {}],
      ['a model of another type', 404, { ...ask, model: 'vectors' }, {}],
      ['the model auto, which is none here', 404, { ...ask, model: 'auto' }, {}],
      ['no model', 422, { ...ask, model: undefined }, {}],
      ['a model that is no text', 422, { ...ask, model: 7 }, {}],
      ['a model twice', 400, JSON.stringify(ask).replace('{', '{"model":"safe",'), {}],
      ['a model in other letters', 400, { ...ask, Model: 'safe' }, {}],
      ['no JSON', 400, '{', {}],
      ['a list', 400, '[]', {}],
      ['another content type', 400, JSON.stringify(ask), { 'content-type': 'text/plain' }],
      ['too large a body', 413, { ...ask, instructions: 'x'.repeat(400_000) }, {}],
    ])('%s is a %d with a detail', async (_name, status, body, headers) => {
      const known = (await lastRecord())?.requestId;
      const response = await sluice.post(here, body, headers);
      expect(response.status).toBe(status);
      expect(await refusalIn(response)).not.toBe('');
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(account.calls).toHaveLength(0);
      expect((await lastRecord())?.requestId).toBe(known);
    });

    test('another method is a 405 with a detail', async () => {
      const response = await fetch(sluice.url + here);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      await refusalIn(response);
    });
  });

  test('a member that would choose another model is a 400 that names it', async () => {
    const response = await post({ ...ask, fallbacks: ['safe'] });
    expect(response.status).toBe(400);
    expect(await refusalIn(response)).toStartWith('fallbacks is not passed on');
    expect(account.calls).toHaveLength(0);
    expect((await lastRecord())?.costNanoUsd).toBe(0n);
  });

  test('one request too many is a 429 with the time to wait', async () => {
    await (await post(ask, as(tokens.limited))).text();
    const response = await post(ask, as(tokens.limited));
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    await refusalIn(response);
  });

  test('a model without a native provider is a 503 with the time to wait, and is asked nowhere', async () => {
    const response = await post({ ...ask, model: 'chat-only' });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refusalIn(response)).toContain('chat-only');
    expect(sluice.upstream.counts.requests).toBe(0);
  });

  test('a model behind the native provider alone is not for the other addresses', async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    for (const elsewhere of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
      const body = { model: 'safe', messages, max_tokens: 20, input: 'Hello' };
      expect((await sluice.post(elsewhere, body)).status).toBe(503);
    }
    expect(account.calls).toHaveLength(0);
  });

  describe('the headers of the call', () => {
    test('are the credential’s and the provider’s own; nothing of the client’s but its session', async () => {
      const headers = {
        'x-api-key': 'of-the-client',
        'chatgpt-account-id': 'of-the-client',
        originator: 'of-the-client',
        session_id: 'of-the-client',
        cookie: 'a=of-the-client',
        'openai-beta': 'of-the-client',
        'x-session-id': 'session-1',
      };
      await (await post(ask, headers)).text();
      const sent = account.calls[0]?.headers ?? {};
      expect(sent).toMatchObject({
        authorization: `Bearer ${account.accessToken}`,
        'chatgpt-account-id': accountId,
        originator: 'sluice_tests',
        'openai-beta': 'responses=experimental',
        'content-type': 'application/json',
        accept: 'text/event-stream',
        session_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      });
      expect(JSON.stringify(sent)).not.toContain('of-the-client');
      expect(JSON.stringify(sent)).not.toContain(sluice.token);
    });

    test('tell sessions of one key apart, and never say what a caller called its own', async () => {
      const sessions: (string | undefined)[] = [];
      for (const session of ['one', 'two', 'one', 'x'.repeat(300), 'a b;c']) {
        await (await post(ask, { 'x-session-id': session })).text();
        sessions.push(account.calls.at(-1)?.headers['session_id']);
      }
      expect(sessions[0]).toBe(sessions[2]);
      expect(new Set(sessions).size).toBe(4);
      for (const session of sessions) expect(session).toMatch(/^[0-9a-f]{16}$/);
    });
  });

  test('the usage that the service tells is recorded and charged once', async () => {
    const before = await sluice.availableNanoUsd();
    await (await post(ask)).text();
    const cost = 60n * 150n + 40n * 75n + 9n * 600n;
    expect(await lastRecord()).toMatchObject({
      endpoint: path,
      model: 'relay-1',
      provider: 'account',
      upstreamModel: 'relay-1-upstream',
      streamed: true,
      status: 200,
      outcome: 'complete',
      attempts: 1,
      inputTokens: spokenUsage.input_tokens - 40,
      cacheReadTokens: 40,
      outputTokens: 9,
      reasoningTokens: 2,
      estimated: false,
      costNanoUsd: cost,
      chargedNanoUsd: cost,
    });
    expect(before - (await sluice.availableNanoUsd())).toBe(cost);
  });

  test('a client that leaves ends the call and pays for what it got', async () => {
    const known = (await lastRecord())?.requestId;
    account.answer = () => eventStream(spokenFrames('word '.repeat(2000)), 10);
    const controller = new AbortController();
    const response = await fetch(sluice.url + path, {
      method: 'POST',
      headers: { ...as(sluice.token), 'content-type': 'application/json' },
      body: JSON.stringify(ask),
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    for (let pieces = 0; pieces < 5; pieces += 1) await reader?.read();
    controller.abort();
    await sluice.readsOnNoLonger();
    let record = await lastRecord();
    for (; record?.requestId === known; record = await lastRecord()) await Bun.sleep(10);
    expect(record).toMatchObject({ outcome: 'client_closed', status: 200, estimated: true });
    expect(record?.outputTokens).toBeGreaterThan(0);
    expect(record?.chargedNanoUsd).toBeGreaterThan(0n);
    const { signal } = account.calls[0] ?? {};
    while (signal?.aborted === false) await Bun.sleep(10);
    expect(signal?.aborted).toBe(true);
  });

  describe('what the service does wrong', () => {
    const frames = spokenFrames('one two three');
    const failed = {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Too much.' } },
    };
    const failure = `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;

    test.each([
      [400, { detail: 'Instructions are not valid' }, 400, 'Instructions are not valid'],
      [400, { error: { message: 'No such tool.', param: 'tools' } }, 400, 'No such tool.'],
      [429, { error: { message: 'Spent by plan-holder@corp.test.' } }, 503, 'limiting'],
      [404, { detail: 'Not Found' }, 502, 'does not have this model'],
      [403, { detail: `Forbidden for ${accountId}` }, 502, 'credentials'],
      [500, { detail: 'Internal' }, 502, 'failed'],
      [503, { detail: 'Busy' }, 503, 'overloaded'],
    ])('a %d is told with a detail and costs nothing', async (status, body, told, words) => {
      account.answer = () => Response.json(body, { status, headers: { 'retry-after': '17' } });
      const response = await post(ask);
      expect(response.status).toBe(told);
      const detail = await refusalIn(response);
      expect(detail).toContain(words);
      expect(detail).not.toMatch(/corp\.test|-0017-/);
      if (told === 503) expect(response.headers.get('retry-after')).toBe('17');
      expect(await lastRecord()).toMatchObject({ status: told, costNanoUsd: 0n });
    });

    test('what it quotes of our credential is not told', async () => {
      const detail = `${accountId} may not use ${account.accessToken} so`;
      account.answer = () => Response.json({ detail }, { status: 400 });
      const told = await refusalIn(await post(ask));
      expect(told).toContain('may not use');
      expect(told).not.toContain(accountId);
      expect(told).not.toContain(account.accessToken);
    });

    test('an error before any content is an answer with its status', async () => {
      account.answer = () => eventStream([...frames.slice(0, 2), failure]);
      const response = await post(ask);
      expect(response.status).toBe(503);
      await refusalIn(response);
    });

    test.each([
      ['an error', [...frames.slice(0, 5), failure]],
      ['the end of the stream', frames.slice(0, 5)],
    ])('%s after the first content is told inside the stream, which is paid for', async (_name, sent) => {
      account.answer = () => eventStream(sent, 5);
      const text = await (await post(ask)).text();
      expect(text).toStartWith(frames.slice(0, 5).join(''));
      const events = text.match(/^event: .+$/gm) ?? [];
      expect(events.slice(-2)).toEqual(['event: error', 'event: response.failed']);
      expect(text).not.toContain('response.completed');
      const record = await lastRecord();
      expect(record).toMatchObject({ outcome: 'upstream_failed', status: 200, estimated: true });
      expect(record?.chargedNanoUsd).toBeGreaterThan(0n);
    });

    test.each([429, 500])('a %d goes to the next native provider, with the same bytes', async (status) => {
      account.answer = () => Response.json({ detail: 'no' }, { status });
      const response = await post({ ...ask, model: 'safe' });
      expect(response.headers.get('x-sluice-provider')).toBe('backup');
      expect(await response.text()).toBe(spokenFrames('Hello.').join(''));
      expect(backup.calls[0]?.bodyText).toBe(account.calls[0]?.bodyText ?? '');
      expect(await lastRecord()).toMatchObject({ provider: 'backup', attempts: 2 });
    });
  });
});
