/** Requests with an `Idempotency-Key`: answered once, charged once, and told again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { testDatabases } from '../support/databases.ts';
import { describeOnRedis, startOwnRedis } from '../support/redis.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  type TestSluiceOptions,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const poorOwner = 'poor@example.test';
const [other, poor] = [newToken(), newToken()];
const file: NonNullable<TestSluiceOptions['file']> = (url) => ({
  users: [
    { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
    { email: poorOwner, password: 'a long enough password', role: 'member', wallet_usd: 0.01 },
  ],
  providers: [usualProvider(url)],
  models: [
    usualModel,
    {
      ...{ id: 'vectors', type: 'embedding', owned_by: 'doubles', prices: { input: 0.02 } },
      providers: [{ provider: 'main', upstream_id: 'vectors' }],
    },
  ],
  keys: [
    { name: 'other', owner, token: other },
    { name: 'poor', owner: poorOwner, token: poor },
  ],
});

const chatPath = '/v1/chat/completions';
const body = (text = 'Hello', fields: object = {}) => ({
  ...{ model: 'double-1', messages: [{ role: 'user', content: text }] },
  ...fields,
});
const key = (name: string, token?: string): Record<string, string> => ({
  'idempotency-key': name,
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
});
const isReplay = ({ headers }: Response) => headers.get('x-sluice-idempotent-replay') === 'true';

describe('an idempotency key', () => {
  let sluice: TestSluice;
  beforeAll(async () => {
    sluice = await startTestSluice({ file });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  test('answers the same bytes, status and cost again, and is charged once', async () => {
    sluice.upstream.enqueue({ generate: { text: 'once' } });
    const first = await sluice.post(chatPath, body(), key('a'));
    const second = await sluice.post(chatPath, body(), key('a'));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
    expect([isReplay(first), isReplay(second)]).toEqual([false, true]);
    const costs = [first, second].map(({ headers }) => headers.get('x-sluice-cost-usd'));
    expect(costs[0]).not.toBeNull();
    expect(costs[1]).toBe(costs[0] ?? '');
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(sluice.upstream.requests).toHaveLength(1);
    expect(await sluice.usage()).toHaveLength(1);
  });

  test('is for every endpoint whose answer is whole', async () => {
    const ask = { model: 'vectors', input: ['one', 'two'] };
    sluice.upstream.enqueue({});
    const first = await sluice.post('/v1/embeddings', ask, key('vectors'));
    const second = await sluice.post('/v1/embeddings', ask, key('vectors'));
    expect(first.status).toBe(200);
    expect(await second.text()).toBe(await first.text());
    expect(isReplay(second)).toBe(true);
    expect(sluice.upstream.requests).toHaveLength(1);
  });

  test('under way is 409 with a pause, and asks the provider once', async () => {
    const told = Promise.withResolvers<void>();
    const hold = { until: told.promise, lastWrites: 0 };
    sluice.upstream.enqueue({ generate: { text: 'slow' }, shape: { hold } });
    const first = sluice.post(chatPath, body(), key('parallel'));
    await sluice.upstream.received(1);
    const refused = await sluice.post(chatPath, body(), key('parallel'));
    told.resolve();
    expect([(await first).status, refused.status]).toEqual([200, 409]);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-should-retry')).toBe('true');
    expect(sluice.upstream.requests).toHaveLength(1);
    expect(isReplay(await sluice.post(chatPath, body(), key('parallel')))).toBe(true);
  });

  test('with another body or address is 422', async () => {
    sluice.upstream.enqueue({ generate: { text: 'one' } });
    await sluice.post(chatPath, body(), key('b'));
    const answer = await sluice.post(chatPath, body('Something else'), key('b'));
    expect(answer.status).toBe(422);
    expect((await answer.json()).error).toMatchObject({ code: 'idempotency_key_reused' });
    const elsewhere = await sluice.post('/v1/responses', { model: 'double-1', input: 'Hi' }, key('b'));
    expect(elsewhere.status).toBe(422);
    expect(sluice.upstream.requests).toHaveLength(1);
  });

  test('is one of its API key alone, and none at all where the request is streamed or wants nothing kept', async () => {
    for (const text of ['mine', 'theirs']) sluice.upstream.enqueue({ generate: { text } });
    await sluice.post(chatPath, body(), key('c'));
    expect(isReplay(await sluice.post(chatPath, body(), key('c', other)))).toBe(false);
    expect(sluice.upstream.requests).toHaveLength(2);
    for (const fields of [{ stream: true }, { store: false }]) {
      sluice.upstream.forget();
      for (const text of ['one', 'two']) {
        sluice.upstream.enqueue({ generate: { text } });
        const answer = await sluice.post(chatPath, body('Hello', fields), key('d'));
        expect([answer.status, isReplay(answer)]).toEqual([200, false]);
        await answer.text();
      }
      expect(sluice.upstream.requests).toHaveLength(2);
    }
  });

  test('keeps what the request itself is refused for, and no failure of a provider', async () => {
    sluice.upstream.enqueue({ fault: 'status_400' });
    const refused = await sluice.post(chatPath, body(), key('e'));
    const again = await sluice.post(chatPath, body(), key('e'));
    expect([refused.status, again.status, isReplay(again)]).toEqual([400, 400, true]);
    expect(await again.text()).toBe(await refused.text());
    for (let count = 0; count < 4; count += 1) {
      sluice.upstream.enqueue({ fault: 'status_500' });
    }
    expect((await sluice.post(chatPath, body(), key('f'))).status).toBe(502);
    sluice.upstream.forget();
    sluice.upstream.enqueue({ generate: { text: 'mended' } });
    const mended = await sluice.post(chatPath, body(), key('f'));
    expect([mended.status, isReplay(mended)]).toEqual([200, false]);
  });

  test('that cannot be is 400', async () => {
    for (const name of ['with space', 'x'.repeat(256)]) {
      expect((await sluice.post(chatPath, body(), key(name))).status).toBe(400);
    }
  });

  test('answers again when the money is spent', async () => {
    sluice.upstream.enqueue({ generate: { text: 'dear', promptTokens: 70_000 } });
    const first = await sluice.post(chatPath, body(), key('g', poor));
    expect(first.status).toBe(200);
    expect((await sluice.post(chatPath, body('More'), key('h', poor))).status).toBe(402);
    const again = await sluice.post(chatPath, body(), key('g', poor));
    expect([again.status, isReplay(again)]).toEqual([200, true]);
  });

  test('finds the answer of a request whose client has left', async () => {
    const gate = Promise.withResolvers<void>();
    sluice.upstream.enqueue({
      generate: { text: 'left' },
      shape: { hold: { until: gate.promise, lastWrites: 1 } },
    });
    const leaving = new AbortController();
    const left = fetch(`${sluice.url}${chatPath}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
        ...key('leaving'),
      },
      body: JSON.stringify(body()),
      signal: leaving.signal,
    }).catch(() => null);
    while (sluice.upstream.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    expect(await left).toBeNull();
    // Longer than an answer is awaited that nobody waits for.
    for (let count = 0; count < 4; count += 1) {
      expect((await sluice.post(chatPath, body(), key('leaving'))).status).toBe(409);
      sluice.leap(5000);
    }
    gate.resolve();
    let answer = await sluice.post(chatPath, body(), key('leaving'));
    while (answer.status === 409) answer = await sluice.post(chatPath, body(), key('leaving'));
    expect([answer.status, isReplay(answer)]).toEqual([200, true]);
    expect(sluice.upstream.requests).toHaveLength(1);
  });

  test('is over after a day', async () => {
    for (const text of ['today', 'tomorrow']) sluice.upstream.enqueue({ generate: { text } });
    await sluice.post(chatPath, body(), key('i'));
    sluice.leap(86_400_000);
    expect(isReplay(await sluice.post(chatPath, body(), key('i')))).toBe(false);
  });
});

test('nothing is kept where answers must not be', async () => {
  for (const variables of [{ SLUICE_IDEMPOTENCY: 'off' }, { SLUICE_KEEP_RESPONSES_MS: '0' }]) {
    const sluice = await startTestSluice({ file, variables });
    try {
      for (const text of ['one', 'two']) {
        sluice.upstream.enqueue({ generate: { text } });
        expect(isReplay(await sluice.post(chatPath, body(), key('a')))).toBe(false);
      }
      expect(sluice.upstream.requests).toHaveLength(2);
    } finally {
      await sluice.stop();
    }
  }
});

describeOnRedis('idempotency keys of replicas', () => {
  for (const database of testDatabases.filter(({ kind }) => kind === 'postgres')) {
    test('are known to all, sealed, and to each alone while Redis is away', async () => {
      const redis = await startOwnRedis();
      const prepared = await database.prepare();
      const shared = newToken();
      let isKilled = false;
      const options: TestSluiceOptions = {
        database: { ...database, prepare: async () => ({ ...prepared, discard: async () => undefined }) },
        variables: { REDIS_URL: redis.url },
        file: (url) => ({ ...file(url), keys: [{ name: 'shared', owner, token: shared }] }),
      };
      const one = await startTestSluice(options);
      const two = await startTestSluice(options);
      const post = (sluice: TestSluice, name: string, text = 'Hello') =>
        sluice.post(chatPath, body(text), key(name, shared));
      const answering = (text: string) => {
        for (const { upstream } of [one, two]) upstream.enqueue({ generate: { text } });
      };
      try {
        answering('a secret of the client');
        const first = await post(one, 'a');
        const second = await post(two, 'a');
        expect(first.status).toBe(200);
        expect(isReplay(second)).toBe(true);
        expect(await second.text()).toBe(await first.text());
        expect((await post(two, 'a', 'Something else')).status).toBe(422);
        const client = new Bun.RedisClient(redis.url);
        const [name = ''] = await client.keys('sluice:idempotency:*');
        expect(await client.get(name)).not.toContain('secret of the client');
        client.close();
        const told = Promise.withResolvers<void>();
        const hold = { until: told.promise, lastWrites: 0 };
        // Both know the provider as whoever started last declared it, which the first may have learned just now.
        const asked = [one, two].map(({ upstream }) => {
          upstream.forget();
          upstream.enqueue({ generate: { text: 'slow' }, shape: { hold } });
          return upstream.received(1);
        });
        const underWay = post(one, 'b');
        await Promise.race(asked);
        const refused = await post(two, 'b');
        told.resolve();
        expect([(await underWay).status, refused.status]).toEqual([200, 409]);
        await redis.kill();
        isKilled = true;
        answering('alone');
        const statuses = [await post(one, 'c'), await post(one, 'c')];
        expect(statuses.map((answer) => [answer.status, isReplay(answer)])).toEqual([
          [200, false],
          [200, true],
        ]);
      } finally {
        await one.stop();
        await two.stop();
        await prepared.discard();
        if (!isKilled) await redis.kill();
      }
    });
  }
});
