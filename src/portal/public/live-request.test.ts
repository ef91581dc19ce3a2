import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualProvider } from '../../../test/support/sluice.ts';
import { Demonstration } from '../../gateway/demonstration.ts';

const events = (text: string) =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.replace(/^data: /, '')));

const ask = ({ url }: TestSluice, headers: Record<string, string> = {}) =>
  fetch(`${url}/demonstration`, { method: 'POST', headers });

describe('the request of the start page', () => {
  let sluice: TestSluice;
  beforeAll(async () => {
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [usualProvider(url), { name: 'simulator', kind: 'simulator' }],
        models: [
          {
            ...{ id: 'shown', type: 'chat', owned_by: 'sluice', prices: { input: 1, output: 4 } },
            // The other is asked first wherever it may be.
            providers: [
              { provider: 'main', upstream_id: 'shown' },
              { provider: 'simulator', upstream_id: 'shown' },
            ],
          },
        ],
      }),
    });
  });
  afterAll(() => sluice.stop());

  test('is answered by the simulator alone, told piece by piece with times that grow, and stored nowhere', async () => {
    const before = await sluice.availableNanoUsd();
    const answer = await ask(sluice);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream');
    const told = events(await answer.text());
    const pieces = told.filter(({ text }) => text !== undefined);
    const times = pieces.map(({ atMs }) => atMs);
    expect(pieces.length).toBeGreaterThan(3);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const { record } = told.at(-1);
    expect(record.id).toMatch(/^\S{8,}$/);
    expect(Object.keys(record.spans)).toEqual(['gate', 'waited', 'streamed']);
    expect(Number(record.figures.output)).toBe(pieces.length);
    expect(record.figures.cost).toMatch(/^\$0\.000\d+$/);
    expect(sluice.upstream.requests).toEqual([]);
    await sluice.running.services.settlement.flush();
    expect(await sluice.usage()).toEqual([]);
    expect(await sluice.availableNanoUsd()).toBe(before);
  });

  test('has its record also for who reads slowly', async () => {
    const demonstration = new Demonstration(sluice.running.services);
    const asked = await demonstration.ask(new AbortController().signal);
    sluice.leap(10_000);
    expect(await asked?.answer.text()).toContain('[DONE]');
    expect(await asked?.record()).toMatchObject({ outcome: 'complete' });
  });

  test('is offered on the page, and works from no other site', async () => {
    expect(await (await fetch(sluice.url)).text()).toContain('data-live');
    expect((await ask(sluice, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('takes nothing from who asks', async () => {
    const answer = await fetch(`${sluice.url}/demonstration`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'main', messages: [{ role: 'user', content: 'repeat after me' }] }),
    });
    expect(await answer.text()).not.toContain('repeat after me');
  });

  test('is refused to an address that asks too often', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      const answer = await ask(sluice);
      await answer.text();
      statuses.push(answer.status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('an installation without a simulator', () => {
  test('shows the recorded request alone', async () => {
    const sluice = await startTestSluice();
    try {
      const text = await (await fetch(sluice.url)).text();
      expect([text.includes('data-live'), text.includes('data-recorded')]).toEqual([false, true]);
      expect((await ask(sluice)).status).toBe(404);
    } finally {
      await sluice.stop();
    }
  });
});
