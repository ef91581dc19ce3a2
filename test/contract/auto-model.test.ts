/** The model `auto`: the lowest list price among those with the abilities that are needed, said in the answer's headers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const locked = newToken();
const elsewhere = newToken();
const american = newToken();
describe('the model auto', () => {
  let sluice: TestSluice;

  beforeAll(async () => {
    const model = (id: string, input: number, capabilities: readonly string[]) => ({
      ...usualModel,
      id,
      aliases: [],
      capabilities,
      prices: { input, output: input * 4 },
      providers: [{ provider: 'main', upstream_id: `${id}-upstream` }],
    });
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [
          usualProvider(url),
          { ...usualProvider(url), name: 'other', region: 'us' },
          {
            name: 'account',
            kind: 'native',
            base_url: url,
            credentials: [{ name: 'k1', api_key: '{"access_token":"a"}' }],
          },
        ],
        models: [
          model('dear', 5, ['tools', 'vision']),
          model('plain', 0.1, []),
          model('handy', 0.5, ['tools']),
          model('seeing', 1, ['tools', 'vision']),
          { ...model('unpriced', 0, ['tools']), prices: undefined },
          {
            ...model('native-only', 0, ['tools', 'vision']),
            providers: [{ provider: 'account', upstream_id: 'x' }],
          },
          {
            ...model('overseas', 2, ['tools']),
            providers: [{ provider: 'other', upstream_id: 'overseas-upstream' }],
          },
        ],
        keys: [
          { name: 'locked', owner, token: locked, allowed_models: ['dear'] },
          { name: 'elsewhere', owner, token: elsewhere, allowed_providers: ['other'] },
          { name: 'american', owner, token: american, allowed_regions: ['us'] },
        ],
      }),
    });
  });
  afterAll(() => sluice.stop());

  const text = [{ role: 'user', content: 'Hello' }];
  const tools = [
    { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
  ];
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];

  test.each([
    ['plain', { messages: text }],
    ['handy', { messages: text, tools }],
    ['seeing', { messages: image }],
  ])('%s is the cheapest with what it needs', async (model, body) => {
    const response = await sluice.post('/v1/chat/completions', { model: 'auto', ...body });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-autorouted')).toBe('true');
    expect(response.headers.get('x-sluice-autorouter-model')).toBe(model);
    expect(response.headers.get('x-sluice-autorouter-algorithm')).toBe('cost');
    expect((await sluice.usage()).at(-1)).toMatchObject({ model, upstreamModel: `${model}-upstream` });
  });

  const input = [{ role: 'user', content: 'Hello' }];
  const responsesTools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }];
  const shown = [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }];

  test.each([
    ['plain', { input: 'Hello' }],
    ['handy', { input, tools: responsesTools }],
    ['seeing', { input: shown }],
  ])('%s is the cheapest with what it needs on responses too, whole and streamed', async (model, body) => {
    for (const stream of [false, true]) {
      const response = await sluice.post('/v1/responses', { model: 'auto', stream, ...body });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-autorouted')).toBe('true');
      expect(response.headers.get('x-sluice-autorouter-model')).toBe(model);
      expect(await response.text()).toContain('"completed"');
      expect((await sluice.usage()).at(-1)).toMatchObject({ model, endpoint: '/v1/responses' });
    }
  });

  test.each([
    ['providers', elsewhere],
    ['regions', american],
  ])('it chooses among what the %s of the key serve', async (_name, token) => {
    const headers = { authorization: `Bearer ${token}` };
    const body = { model: 'auto', max_tokens: 20, messages: text, input: 'Hello' };
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
      const response = await sluice.post(path, body, headers);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-autorouter-model')).toBe('overseas');
    }
  });

  test('404 when nothing that the key may use can do it', async () => {
    const response = await sluice.post(
      '/v1/responses',
      { model: 'auto', input: shown },
      { authorization: `Bearer ${elsewhere}` },
    );
    expect(response.status).toBe(404);
    const { error } = await response.json();
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' });
    expect(error.message).toContain('vision');
  });

  test('it chooses among what the key may use, and on messages too', async () => {
    const body = { model: 'auto', max_tokens: 20, messages: text };
    const response = await sluice.post('/v1/messages', body, { authorization: `Bearer ${locked}` });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-autorouter-model')).toBe('dear');
  });

  test('a named model is not autorouted', async () => {
    const response = await sluice.post('/v1/chat/completions', { model: 'dear', messages: text });
    expect(response.headers.has('x-sluice-autorouted')).toBe(false);
  });
});
