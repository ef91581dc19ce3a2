/** What a request wants of who answers it: `provider` and `models`, as users of public routers write them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

let sluice: TestSluice;
const lockedToken = newToken();
const claim = { source: 'https://provider.test/terms', as_of: '2026-11-01' };
const forgets = { ...claim, retention_days: 0, training: false, regions: ['eu'], quantization: 'bf16' };
const served = (provider: string, prices: object) => ({ provider, upstream_id: 'double-1-2026', prices });

beforeAll(async () => {
  sluice = await startTestSluice({
    file: (url) => ({
      providers: ['dear', 'Cheap', 'private'].map((name) => ({
        ...usualProvider(url),
        name,
        ...(name === 'private' ? { data_policy: forgets } : {}),
      })),
      models: [
        {
          ...usualModel,
          providers: [
            served('dear', { input: 3, cached_input: 0.3, output: 9 }),
            served('Cheap', { input: 1, cached_input: 0.1, output: 3 }),
            served('private', { input: 2, cached_input: 0.2, output: 6 }),
          ],
        },
        {
          ...usualModel,
          id: 'double-2',
          aliases: ['two'],
          context_window: 1_000_000,
          providers: [served('Cheap', { input: 0.5, output: 1 })],
        },
        {
          ...usualModel,
          id: 'by-price',
          aliases: [],
          routing: 'price',
          providers: [
            served('dear', { input: 3, cached_input: 0.3, output: 9 }),
            served('Cheap', { input: 1, cached_input: 0.1, output: 3 }),
          ],
        },
      ],
      keys: [{ name: 'locked', owner, token: lockedToken, allowed_models: ['double-1'] }],
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const paths = ['/v1/chat/completions', '/v1/messages'];

const ask = (body: object, path = '/v1/chat/completions', headers: Record<string, string> = {}) =>
  sluice.post(
    path,
    { model: 'double-1', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }], ...body },
    headers,
  );

const answererOf = async (provider: object, path?: string) => {
  const answer = await ask({ provider }, path);
  await answer.text();
  return answer.status === 200 ? answer.headers.get('x-sluice-provider') : answer.status;
};

describe.each(paths)('at %s', (path) => {
  test.each([
    [{}, 'dear'],
    [{ order: ['private', 'dear'] }, 'private'],
    [{ order: ['nobody', 'CHEAP'] }, 'Cheap'],
    [{ only: ['cheap', 'private'] }, 'Cheap'],
    [{ ignore: ['dear', 'cheap'] }, 'private'],
    [{ sort: 'price' }, 'Cheap'],
    [{ sort: { by: 'price', partition: 'model' } }, 'Cheap'],
    [{ sort: 'price', order: ['dear'] }, 'dear'],
    [{ max_price: { prompt: 2.5 } }, 'Cheap'],
    [{ max_price: { prompt: '2', completion: 6 }, order: ['dear', 'private'] }, 'private'],
    [{ data_collection: 'deny' }, 'private'],
    [{ zdr: true, order: ['dear'] }, 'private'],
    [{ quantizations: ['bf16'] }, 'private'],
    [{ quantizations: ['bf16', 'unknown'] }, 'dear'],
    [{ quantizations: [] }, 'dear'],
    [{ data_collection: 'allow', zdr: false }, 'dear'],
    [{ max_price: { prompt: 0.5 } }, 404],
    [{ only: ['nobody'] }, 404],
    [{ quantizations: ['int4'] }, 404],
    [{ only: ['dear'], zdr: true }, 404],
  ])('%j is answered by %s', async (provider, answerer) => {
    expect(await answererOf(provider, path)).toBe(answerer);
    for (const { bodyText } of sluice.upstream.requests) expect(bodyText).not.toContain('"provider"');
  });

  test('without fallbacks nobody else is asked, with an order nobody who is not in it', async () => {
    const failing = [{ fault: 'status_500' }, { fault: 'status_500' }, { fault: 'status_500' }] as const;
    sluice.upstream.enqueue(...failing);
    expect(await answererOf({ allow_fallbacks: false }, path)).toBe(502);
    expect(sluice.upstream.requests).toHaveLength(2);
    sluice.upstream.forget();
    sluice.upstream.enqueue({ fault: 'status_500' });
    expect(await answererOf({ allow_fallbacks: false, order: ['private', 'dear'] }, path)).toBe('dear');
    sluice.upstream.enqueue({ fault: 'status_500' });
    expect(await answererOf({ order: ['private'] }, path)).toBe('dear');
  });

  test('a model of the list answers where the first one fails, and is paid for and written down', async () => {
    sluice.upstream.enqueue(...Array.from({ length: 2 }, () => ({ fault: 'status_500' }) as const));
    const explained = { 'x-sluice-explain': '1' };
    const answer = await ask({ models: ['two'], provider: { ignore: ['private'] } }, path, explained);
    await answer.text();
    expect(answer.status).toBe(200);
    const { attempts, filtered } = JSON.parse(answer.headers.get('x-sluice-decision') ?? '{}');
    expect(attempts.map(({ model }: { model: string }) => model).at(0)).toBe('double-1');
    expect(attempts.at(-1)).toMatchObject({ model: 'double-2', provider: 'Cheap' });
    expect(filtered).toContainEqual({ model: 'double-1', provider: 'private', by: 'request_ignore' });
    expect(answer.headers.get('x-sluice-model')).toBe('double-2');
    const record = await sluice.nextUsage(
      ({ requestId }) => requestId === answer.headers.get('x-request-id'),
    );
    expect(record).toMatchObject({ model: 'double-2', provider: 'Cheap', outcome: 'complete' });
    expect(record.attemptRecords.at(-1)).toMatchObject({ model: 'double-2' });
    expect(record.attemptRecords[0]?.model).toBeUndefined();
    const { inputTokens, cacheReadTokens, outputTokens } = record;
    expect(record.chargedNanoUsd).toBe(BigInt((inputTokens + cacheReadTokens) * 500 + outputTokens * 1000));
  });
});

test('a prompt that is too long for the first model goes on to the next of the list', async () => {
  sluice.upstream.enqueue({ fault: 'context_overflow' });
  const answer = await ask({ models: ['double-2'], provider: { only: ['Cheap'] } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-sluice-model')).toBe('double-2');
});

test('a fault of the request, or a filtered content, ends at the first model', async () => {
  sluice.upstream.enqueue({ fault: 'content_filter' });
  const answer = await ask({ models: ['double-2'] });
  expect(answer.headers.get('x-sluice-model')).toBeNull();
  expect(sluice.upstream.requests).toHaveLength(1);
});

test('each model of the list is one that the key may use', async () => {
  const headers = { authorization: `Bearer ${lockedToken}` };
  const locked = await ask({ models: ['double-1', 'two'] }, undefined, headers);
  expect(locked.status).toBe(403);
  expect(await locked.json()).toMatchObject({
    error: {
      code: 'model_not_allowed',
      param: 'models[1]',
      level: 'key',
      lock: 'allowed_models',
      allowed: 'double-1',
    },
  });
  expect(await (await ask({ models: ['none'] })).json()).toMatchObject({
    error: { code: 'model_not_found', param: 'models[0]' },
  });
  expect(sluice.upstream.requests).toHaveLength(0);
});

test.each([
  [{ provider: { order: 'dear' } }, 'provider.order:'],
  [{ provider: { sort: 'best' } }, 'provider.sort'],
  [{ provider: { max_price: { prompt: -1 } } }, 'provider.max_price.prompt:'],
  [{ provider: { quantizations: ['int3'] } }, 'provider.quantizations[0]:'],
  [{ provider: { data_collection: 'maybe' } }, 'provider.data_collection:'],
  [{ provider: { zdr: 'yes' } }, 'provider.zdr:'],
  [{ provider: { enforce_distillable_text: true } }, 'provider: has members that are not known here'],
  [{ provider: 'dear' }, 'provider:'],
  [{ models: 'two' }, 'models:'],
  [{ models: [7] }, 'models[0]:'],
])('%j is a 422 with its path', async (body, told) => {
  for (const path of paths) {
    const answer = await ask(body, path);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(told);
  }
  expect(sluice.upstream.requests).toHaveLength(0);
});

test('what is not taken here is refused by name as ever', async () => {
  for (const body of [{ route: 'fallback' }, { plugins: [] }, { fallbacks: ['x'] }, { Provider: {} }]) {
    expect((await ask(body)).status).toBe(400);
  }
  expect(sluice.upstream.requests).toHaveLength(0);
});

test('an embedding and a count are held to it too, and refuse what they cannot tell', async () => {
  const path = '/v1/messages/count_tokens';
  expect((await ask({ provider: { only: ['nobody'] } }, path)).status).toBe(404);
  // Whoever could answer by the list can count by it.
  const listed = { model: 'two', provider: { only: ['dear'] } };
  expect((await ask(listed, path)).status).toBe(404);
  expect((await ask({ ...listed, models: ['by-price'] }, path)).status).toBe(200);
  expect((await ask({ ...listed, models: ['no-such-model'] }, path)).status).toBe(404);
});

test('all parameters: who speaks the protocol of the request takes them, a conversion those that it carries', async () => {
  const provider = { require_parameters: true };
  expect((await ask({ provider, seed: 7 })).status).toBe(200);
  expect((await ask({ provider }, '/v1/messages')).status).toBe(200);
  const refused = await ask({ provider, top_k: 3 }, '/v1/messages');
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({ error: { lock: 'require_parameters', level: 'request' } });
});

test('where price decides, a conversation stays only while reading what is kept is not dearer', async () => {
  const headers = { 'x-session-id': 'by price' };
  expect((await ask({ model: 'by-price' })).headers.get('x-sluice-provider')).toBe('Cheap');
  sluice.upstream.enqueue({ fault: 'status_500' });
  const providers = [];
  for (let at = 0; at < 2; at += 1) {
    const answer = await ask({ model: 'by-price' }, undefined, headers);
    providers.push(answer.headers.get('x-sluice-provider'));
    await answer.text();
  }
  // Cached tokens cost 0.3 there, and 1 when they are read anew.
  expect(providers).toEqual(['dear', 'dear']);
});

test('a request that is tried again with other preferences is another request', async () => {
  const headers = { 'idempotency-key': 'one-of-the-preferences' };
  expect((await ask({ provider: { only: ['dear'] } }, undefined, headers)).status).toBe(200);
  expect((await ask({ provider: { only: ['cheap'] } }, undefined, headers)).status).toBe(422);
});

describe('explained beforehand', () => {
  const explain = async (body: object, query = '') => {
    const answer = await ask(body, `/v1/explain${query}`);
    return { status: answer.status, told: await answer.json() };
  };

  test('who is left out says by what, and whose demand it was', async () => {
    const { told } = await explain({ provider: { zdr: true }, models: ['two', 'by-price'] });
    expect(told).toMatchObject({ model: 'double-1', endpoint: '/v1/chat/completions', chosen: 'private' });
    expect(told.models).toHaveLength(1);
    expect(told.filtered).toEqual(
      ['dear', 'Cheap'].map((provider) => ({
        provider,
        by: 'data_policy',
        ...{ level: 'request', lock: 'zdr' },
        allowed: 'providers known to keep nothing of what they are sent',
      })),
    );
    const { told: priced } = await explain({
      provider: { max_price: { prompt: 2 }, ignore: ['private'] },
      models: ['two'],
    });
    expect(priced.models).toMatchObject([
      {
        model: 'double-1',
        filtered: [
          { provider: 'dear', by: 'request_max_price' },
          { provider: 'private', by: 'request_ignore' },
        ],
      },
      { model: 'double-2', filtered: [] },
    ]);
    expect(sluice.upstream.requests).toHaveLength(0);
  });

  test('the query names the endpoint whose body it is', async () => {
    const { told } = await explain({ max_tokens: 1_000_000 }, '?endpoint=/v1/messages');
    expect(told).toMatchObject({ endpoint: '/v1/messages', models: [{ lacks: ['output_bound'] }] });
    const gemini = await sluice.post('/v1/explain?endpoint=/v1beta/models/two:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    });
    expect(await gemini.json()).toMatchObject({ model: 'double-2', chosen: 'Cheap' });
    const embedded = await explain({ input: 'Hello' }, '?endpoint=/v1/embeddings');
    expect(embedded.status).toBe(404);
    expect((await explain({}, '?endpoint=/v1/nothing')).status).toBe(400);
  });
});
