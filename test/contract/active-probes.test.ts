/** Who failed is asked by the program itself whether they are well again, and nobody pays for it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { readTokenLog } from '../../src/routing/index.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const providers = ['refused', 'failing', 'limited', 'unreadable'];
let sluice: TestSluice;

beforeAll(async () => {
  sluice = await startTestSluice({
    variables: { SLUICE_UPSTREAM_HEALTH: 'probe' },
    file: (url) => ({
      providers: providers.map((name) => ({
        ...usualProvider(url),
        name,
        credentials: [{ name: 'k1', api_key: `${name}-k1` }],
      })),
      models: [
        ...providers.map((name) => ({
          ...{ ...usualModel, id: name, aliases: [] },
          providers: [{ provider: name, upstream_id: name }],
        })),
        {
          ...{ id: 'vectors', type: 'embedding', owned_by: 'doubles', prices: { input: 0.1 } },
          providers: [{ provider: 'failing', upstream_id: 'vectors' }],
        },
      ],
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const ask = (model: string) =>
  sluice.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello there' }] });
const probesOf = (model: string) =>
  sluice.upstream.requests.filter(({ bodyText }) => {
    const body = JSON.parse(bodyText);
    return body.model === model && body.messages[0].content === 'Hi';
  });
const openOnes = () => [...sluice.running.services.routes.health.circuits()].map(([, { blamed }]) => blamed);

async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a refused key, once its time is over, and it is asked no more when it is taken again', async () => {
  sluice.upstream.forModel('refused', { fault: 'status_401' });
  expect((await ask('refused')).status).toBe(502);
  expect(openOnes()).toEqual(['credential']);
  const before = (await sluice.usage()).length;
  sluice.leap(6000);
  expect(probesOf('refused')).toHaveLength(0);
  sluice.leap(80_000);
  await eventually(() => probesOf('refused').length === 1);
  await eventually(() => openOnes().length === 1);
  sluice.upstream.forget();
  sluice.leap(200_000);
  await eventually(() => openOnes().length === 0);
  sluice.leap(6000);
  sluice.leap(6000);
  expect(probesOf('refused')).toHaveLength(1);
  expect(await sluice.usage()).toHaveLength(before);
  sluice.leap(3000);
  const { storage, clock } = sluice.running.services;
  let sources: string[] = [];
  while (!sources.includes('recovered probe')) {
    const events = await readTokenLog(storage.db, { provider: 'refused' }, clock);
    sources = events.map(({ kind, source }) => `${kind} ${source}`);
  }
  expect(sources).toContain('error request');
});

test('a model that fails, but none that is at its limit', async () => {
  sluice.upstream.forModel('failing', { fault: 'status_500' });
  sluice.upstream.forModel('limited', { fault: { name: 'rate_limited', retryAfter: 3 } });
  for (let at = 0; at < 3; at += 1) await ask('failing');
  await ask('limited');
  expect(openOnes().toSorted()).toEqual(['account', 'deployment']);
  sluice.upstream.forget();
  sluice.leap(6000);
  await eventually(() => openOnes().length === 1);
  expect(probesOf('failing')).toHaveLength(1);
  sluice.leap(6000);
  expect(probesOf('limited')).toHaveLength(0);
  expect(openOnes()).toEqual(['account']);
});

test('an answer that nobody can read does not make it well, a refusal of what it was asked does', async () => {
  const { health } = sluice.running.services.routes;
  const openings = () =>
    [...health.circuits()].find(([, { blamed }]) => blamed === 'deployment')?.[1].openings;
  sluice.upstream.forModel('unreadable', { fault: 'status_500' });
  for (let at = 0; at < 3; at += 1) await ask('unreadable');
  const before = openings() ?? 0;
  expect(before).toBeGreaterThan(0);
  sluice.upstream.forModel('unreadable', { fault: { name: 'html_answer', status: 200 } });
  sluice.leap(30_000);
  await eventually(() => openings() !== before);
  expect(openings()).toBe(before + 1);
  sluice.upstream.forModel('unreadable', { fault: 'content_filter' });
  sluice.leap(400_000);
  await eventually(() => openings() === undefined);
});

test('no model of other work than chats, which nothing cheap can ask', async () => {
  for (const model of ['vectors', 'failing']) sluice.upstream.forModel(model, { fault: 'status_500' });
  for (let at = 0; at < 3; at += 1) {
    await sluice.post('/v1/embeddings', { model: 'vectors', input: 'Hello there' });
    await ask('failing');
  }
  const before = openOnes().length;
  sluice.upstream.forget();
  sluice.leap(30_000);
  await eventually(() => openOnes().length < before);
  expect(probesOf('failing')).toHaveLength(1);
  expect(sluice.upstream.requests.filter(({ bodyText }) => bodyText.includes('vectors'))).toEqual([]);
});
