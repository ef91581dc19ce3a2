/** The model `auto`: the cheapest that can do what is asked, said in the answer's headers. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../support/databases.ts';
import { newToken, owner, startTestSluice, type TestSluice, usualModel } from '../support/sluice.ts';

const locked = newToken();
describeOnEachDatabase('the model auto', (_openDatabase, database) => {
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
      database,
      file: () => ({
        models: [
          model('dear', 5, ['tools', 'vision']),
          model('plain', 0.1, []),
          model('handy', 0.5, ['tools']),
          model('seeing', 1, ['tools', 'vision']),
          { ...model('unpriced', 0, ['tools']), prices: undefined },
        ],
        keys: [{ name: 'locked', owner, token: locked, allowed_models: ['dear'] }],
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
  ])('%s is the cheapest that can do it', async (model, body) => {
    const response = await sluice.post('/v1/chat/completions', { model: 'auto', ...body });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-autorouted')).toBe('true');
    expect(response.headers.get('x-sluice-autorouter-model')).toBe(model);
    expect(response.headers.get('x-sluice-autorouter-algorithm')).toBe('cost');
    expect((await sluice.usage()).at(-1)).toMatchObject({ model, upstreamModel: `${model}-upstream` });
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
