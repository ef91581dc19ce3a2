/** Who is asked for the rest of an answer before somebody goes on with it, and what that costs. */
import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { interruptRelays } from '../../src/gateway/index.ts';
import { Rescue } from '../../src/gateway/rescue.ts';
import { goingOn } from '../support/going-on.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

const words =
  'It began on a morning in March, when nobody in the house was awake, and it went on until the lamps were lit again in the street below.';
const shape = { chunkDelayMs: 4 };
const deaf = { generate: { text: 'Certainly! Something else entirely.' }, shape };

let sluice: TestSluice;
let pool: Upstream;
let backup: Upstream;

beforeAll(async () => {
  pool = startUpstream();
  backup = startUpstream();
  const further = ['third', 'fourth', 'fifth'];
  sluice = await startTestSluice({
    file: (url) => {
      const chat = { settings: { protocols: ['chat-completions'] } };
      const at = (provider: string, price: number) => ({
        ...{ provider, upstream_id: provider },
        prices: { input: price, output: price },
      });
      const behind = further.map((name) => at(name, 2));
      return {
        providers: [
          { ...usualProvider(url), ...chat, name: 'breaking' },
          {
            ...{ ...usualProvider(pool.url), ...chat, name: 'pool' },
            credentials: [1, 2, 3, 4, 5].map((n) => ({ name: `k${n}`, api_key: `upstream-secret-${n}` })),
          },
          ...further.map((name) => ({ ...usualProvider(backup.url), ...chat, name })),
        ],
        models: [
          {
            ...usualModel,
            id: 'm',
            aliases: [],
            providers: [at('breaking', 1), at('pool', 1000), ...behind],
          },
        ],
      };
    },
  });
});
afterAll(async () => {
  await sluice.stop();
  pool.stop();
  backup.stop();
});
beforeEach(() => {
  for (const upstream of [sluice.upstream, pool, backup]) upstream.forget();
  sluice.upstream.byDefault({
    generate: { text: words },
    fault: { name: 'reset_mid_stream', afterEvents: 10, afterMs: 150 },
    shape,
  });
});

const ask = (story: string, signal: AbortSignal | null = null) =>
  fetch(`${sluice.url}/v1/chat/completions`, {
    ...{ method: 'POST', signal },
    headers: {
      ...{ authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
      'x-sluice-rescue': 'on',
    },
    body: JSON.stringify({
      ...{ model: 'm', stream: true, max_tokens: 200 },
      messages: [{ role: 'user', content: `Tell me a story of ${story}.` }],
    }),
  });

async function hear(story: string) {
  const response = await ask(story);
  const text = await response.text();
  const id = response.headers.get('x-request-id');
  return { text, record: await sluice.nextUsage(({ requestId }) => requestId === id) };
}

test('of a model that does not go on one credential is asked, and of all models three', async () => {
  pool.byDefault(deaf);
  backup.byDefault(deaf);
  const { text, record } = await hear('lamps');
  expect(text).not.toContain('[DONE]');
  expect(pool.requests).toHaveLength(1);
  expect(backup.requests).toHaveLength(2);
  expect(record).toMatchObject({ outcome: 'upstream_failed', provider: 'breaking' });
  expect(record.attemptRecords.map(({ provider }) => provider)).toEqual([
    ...['breaking', 'pool', 'third', 'fourth'],
  ]);
  expect(record.costNanoUsd).toBe(1000n * BigInt(record.inputTokens + record.outputTokens));

  // Nobody's circuit is open: the first of them is asked first again.
  pool.byDefault(goingOn(words, { shape }));
  expect((await hear('streets')).text).toContain('[DONE]');
  expect(pool.requests).toHaveLength(2);
});

test('the first answer is charged at its own prices where the second who was asked failed', async () => {
  pool.byDefault({ fault: 'status_500' });
  backup.byDefault(goingOn(words, { shape }));
  const { text, record } = await hear('houses');
  expect(text).toContain('[DONE]');
  expect(record.provider).toBe('third');
  const rest = backup.requests[0]?.usage;
  if (rest === undefined) throw new Error('the third was not asked for its usage');
  const restTokens = rest.promptTokens + rest.completionTokens;
  const firstTokens = record.inputTokens + record.outputTokens - restTokens;
  expect(record.costNanoUsd).toBe(BigInt(1000 * firstTokens + 2000 * restTokens));
});

test('a stop while the rest is asked for ends each answer, and nothing stays set aside or under way', async () => {
  pool.byDefault({ fault: 'header_stall' });
  const before = await sluice.availableNanoUsd();
  const { services } = sluice.running;
  const asked = [await ask('stairs'), await ask('doors')];
  const told = asked.map((response) => response.text());
  while (pool.requests.length < 2) await Bun.sleep(1);
  interruptRelays(services);
  for (const text of told) expect(await text).toContain('shutting_down');
  expect(services.relays.size).toBe(0);
  let cost = 0n;
  for (const { headers } of asked) {
    const record = await sluice.nextUsage(({ requestId }) => requestId === headers.get('x-request-id'));
    expect(record).toMatchObject({ outcome: 'interrupted', provider: 'breaking' });
    expect(record.attemptRecords).toHaveLength(1);
    expect(record.costNanoUsd).toBe(1000n * BigInt(record.inputTokens + record.outputTokens));
    cost += record.costNanoUsd;
  }
  expect(before - (await sluice.availableNanoUsd())).toBe(cost);
});

test('a stop while the first still answers is none of its faults, and the rest is asked of nobody', async () => {
  const stopped = Promise.withResolvers<void>();
  const hold = { until: stopped.promise, lastWrites: 5 };
  sluice.upstream.byDefault({ generate: { text: words }, shape: { hold } });
  const goOn = spyOn(Rescue.prototype, 'goOn');
  const response = await ask('roofs');
  const told = response.text();
  interruptRelays(sluice.running.services);
  expect(await told).toContain('shutting_down');
  stopped.resolve();
  const id = response.headers.get('x-request-id');
  const record = await sluice.nextUsage(({ requestId }) => requestId === id);
  expect(record).toMatchObject({ outcome: 'interrupted', attemptRecords: [{ errorCode: null }] });
  expect(goOn).toHaveBeenCalledTimes(0);
  goOn.mockRestore();
});

test('a client that leaves before the rest is asked for pays the part it was sent, and nobody is asked', async () => {
  for (const upstream of [pool, backup]) upstream.byDefault(goingOn(words, { shape }));
  const leaving = new AbortController();
  const known = Promise.withResolvers<void>();
  const { goOn, abandon } = Rescue.prototype;
  const going = spyOn(Rescue.prototype, 'goOn').mockImplementation(async function (this: Rescue, failure) {
    leaving.abort();
    await known.promise;
    return await goOn.call(this, failure);
  });
  const left = spyOn(Rescue.prototype, 'abandon').mockImplementation(function (this: Rescue) {
    abandon.call(this);
    known.resolve();
  });
  const response = await ask('bridges', leaving.signal);
  await response.text().catch(() => undefined);
  const id = response.headers.get('x-request-id');
  const record = await sluice.nextUsage(({ requestId }) => requestId === id);
  for (const spy of [going, left]) spy.mockRestore();
  expect([...pool.requests, ...backup.requests]).toHaveLength(0);
  expect(record).toMatchObject({ outcome: 'client_closed', provider: 'breaking' });
  expect(record.costNanoUsd).toBe(1000n * BigInt(record.inputTokens + record.outputTokens));
});
