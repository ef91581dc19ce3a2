/** What is asked is what was chosen: the model that is sent, told and paid for, and the key that holds a conversation. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { models, providers } from '../../src/storage/schema/catalogue.ts';
import { AccountService, eventStream, spokenFrames } from '../support/account-service.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

let sluice: TestSluice;
let account: AccountService;

beforeAll(async () => {
  account = new AccountService();
  const keys = ['k1', 'k2', 'k3'];
  const model = (id: string, provider: string, price: number) => ({
    ...usualModel,
    ...{ id, aliases: [], prices: { input: price, output: price } },
    providers: [{ provider, upstream_id: `${id}-upstream` }],
  });
  sluice = await startTestSluice({
    file: (url) => ({
      providers: [
        account.provider('account'),
        {
          ...usualProvider(url),
          name: 'pool',
          settings: { protocols: ['responses'] },
          credentials: keys.map((name) => ({ name, api_key: `secret-of-${name}` })),
        },
        { ...usualProvider(url), name: 'zurich' },
        {
          ...usualProvider(url),
          name: 'limited',
          credentials: [{ name: 'k1', api_key: 'limited', requests_per_minute: 1, max_concurrent: 1 }],
        },
      ],
      models: [
        { ...model('native-big', 'account', 1000), aliases: ['native'] },
        model('native-small', 'account', 1),
        model('pooled', 'pool', 1),
        model('limited', 'limited', 1),
        model('size', 'zurich', 0.5),
      ],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await account.stop();
});
beforeEach(() => {
  sluice.upstream.forget();
  account.calls.length = 0;
  account.answer = () => eventStream(spokenFrames('Hello.'));
});

describe('the native endpoint asks for the model that is paid for', () => {
  const ask = async (body: object) => {
    const answer = await sluice.post('/v1/native/responses', {
      ...{ model: 'native', models: ['native-small'], stream: true },
      input: [{ role: 'user', content: 'Hello' }],
      ...body,
    });
    expect(answer.status).toBe(200);
    await answer.text();
    expect(answer.headers.get('x-sluice-model')).toBe('native-small');
    return await sluice.nextUsage(({ requestId }) => requestId === answer.headers.get('x-request-id'));
  };
  const sent = () => account.calls.map(({ bodyText }) => JSON.parse(bodyText).model);

  test('where the first one is too dear', async () => {
    const { model } = await ask({ provider: { max_price: { prompt: 1 } } });
    expect([model, ...sent()]).toEqual(['native-small', 'native-small-upstream']);
  });

  test('where the first one fails', async () => {
    account.answer = () =>
      account.calls.length === 1
        ? Response.json({ detail: 'no' }, { status: 500 })
        : eventStream(spokenFrames('Hello.'));
    const { model } = await ask({});
    expect([model, ...sent()]).toEqual(['native-small', 'native', 'native-small-upstream']);
  });
});

/** With which key each request came, in order. */
const askedWith = () =>
  sluice.upstream.requests.map(({ headers }) => headers['authorization']?.split('-').at(-1));

test('of several keys the one that holds a response is asked for what follows', async () => {
  for (let at = 0; at < 4; at += 1) {
    sluice.upstream.forget();
    const first = await sluice.post('/v1/responses', { model: 'pooled', input: 'Hello' });
    const { id } = await first.json();
    const next = { model: 'pooled', previous_response_id: id, input: 'And then?' };
    await (await sluice.post('/v1/responses', next, { 'x-session-id': `another ${at}` })).text();
    const [holder, ...others] = askedWith();
    expect(others).toEqual([holder]);
  }
});

test('what is only explained takes nothing of what a key may be asked', async () => {
  const body = { model: 'limited', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };
  const before = sluice.running.services.routes.retriesLeft;
  for (let at = 0; at < 2; at += 1) {
    const told = await (await sluice.post('/v1/explain', body)).json();
    expect(told).toMatchObject({ chosen: 'limited', why: 'only' });
  }
  expect(sluice.running.services.routes.retriesLeft).toBe(before);
  expect((await sluice.post('/v1/chat/completions', body)).status).toBe(200);
});

test('headers tell of names beyond ASCII as well as they can', async () => {
  // The file takes ASCII alone; what the database holds is not bound to that.
  const { storage, catalogue } = sluice.running.services;
  await storage.db.update(models).set({ publicId: 'größe' }).where(eq(models.publicId, 'size'));
  await storage.db.update(providers).set({ name: 'Zürich' }).where(eq(providers.name, 'zurich'));
  await catalogue.reload();
  const body = { max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };
  const told = async (chosen: object) => {
    const answer = await sluice.post('/v1/chat/completions', { ...body, ...chosen });
    await answer.text();
    expect(answer.status).toBe(200);
    const { headers } = answer;
    return ['provider', 'model', 'autorouter-model'].map((name) => headers.get(`x-sluice-${name}`));
  };
  const wish = { models: ['größe'], provider: { max_price: { prompt: 0.5 } } };
  const passedOver = await told({ model: 'pooled', ...wish });
  expect(passedOver).toEqual(['Z?rich', 'gr??e', null]);
  expect(await told({ model: 'auto' })).toEqual(['Z?rich', null, 'gr??e']);
});
