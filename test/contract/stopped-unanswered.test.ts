/** Requests that still have no answer when a process stops: who pays, and what their clients hear. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLog } from '../../src/base/testing/silent-log.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

const messages = [{ role: 'user', content: 'A question of some length, which costs something.' }];
const ask = { model: 'double-1', messages };
const file = (url: string) => ({ providers: [usualProvider(url)], models: [usualModel] });
/** What a request that yields nothing leaves. */
const freeRow = {
  ...{ status: 503, outcome: 'interrupted', errorCode: 'shutting_down', provider: 'main' },
  attemptRecords: [{ provider: 'main', errorCode: 'shutting_down' }],
  ...{ inputTokens: 0, outputTokens: 0, costNanoUsd: 0n, chargedNanoUsd: 0n },
};

let vendor: Vendor;
let sluice: TestSluice;
/** The provider has the prompt of a request, and does not answer. */
let asked: PromiseWithResolvers<void>;

beforeAll(() => {
  vendor = serveVendor();
});
afterAll(() => vendor.stop());
beforeEach(() => {
  vendor.requests.length = 0;
  asked = Promise.withResolvers();
  vendor.answer = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
});

const start = async (variables: Readonly<Record<string, string>> = {}) => {
  sluice = await startTestSluice({ variables, file: () => file(vendor.url) });
};

const heard = async (answer: Response) => ({
  status: answer.status,
  retryAfter: answer.headers.get('retry-after'),
  body: await answer.json(),
});
const told = {
  ...{ status: 503, retryAfter: '1' },
  body: { error: { code: 'shutting_down', message: expect.stringContaining('costs nothing') } },
};

test.each([
  ['a whole answer', {}, {}],
  ['a stream before its first content', { stream: true }, {}],
  ['an answer under an Idempotency-Key', {}, { 'idempotency-key': 'once' }],
])('%s that is interrupted ends as a 503 that says so, and costs nothing', async (_what, body, headers) => {
  await start();
  try {
    const answer = sluice.post('/v1/chat/completions', { ...ask, ...body }, headers);
    await asked.promise;
    sluice.running.services.unanswered.interrupt(silentLog);
    expect(await heard(await answer)).toMatchObject(told);
    expect(await sluice.usage()).toMatchObject([freeRow]);
    expect(sluice.running.services.unanswered.count).toBe(0);
    // Whoever was still on the way to a provider is not sent to one any more.
    vendor.requests.length = 0;
    const late = await heard(await sluice.post('/v1/chat/completions', { ...ask, ...body }));
    expect(late).toMatchObject(told);
    expect(vendor.requests).toHaveLength(0);
    expect((await sluice.usage()).at(-1)).toMatchObject({ outcome: 'interrupted', costNanoUsd: 0n });
  } finally {
    await sluice.stop();
  }
});

test('a stop that outlasts the drain tells them before it closes their connections', async () => {
  await start({ SLUICE_DRAIN_TIMEOUT_MS: '0' });
  try {
    const answers = [{}, { stream: true }].map((body) =>
      sluice.post('/v1/chat/completions', { ...ask, ...body }),
    );
    while (vendor.requests.length < 2) await nextTurn();
    await sluice.running.stop();
    for (const answer of answers) expect(await heard(await answer)).toMatchObject(told);
  } finally {
    await sluice.stop();
  }
});

test('a request that waits until its provider is asked again waits no longer', async () => {
  const paused = Promise.withResolvers<void>();
  vendor.answer = () => new Response('{}', { status: 429, headers: { 'retry-after': '1' } });
  await start();
  const { routes } = sluice.running.services;
  const { open } = routes;
  routes.open = (...given: Parameters<typeof open>) => {
    const route = open.apply(routes, given);
    const { pause } = route;
    route.pause = (signal) => {
      paused.resolve();
      return pause.call(route, signal);
    };
    return route;
  };
  try {
    const answer = sluice.post('/v1/chat/completions', ask);
    await paused.promise;
    sluice.running.services.unanswered.interrupt(silentLog);
    expect(await heard(await answer)).toMatchObject(told);
    expect((await sluice.usage()).at(-1)).toMatchObject({ outcome: 'interrupted', costNanoUsd: 0n });
  } finally {
    await sluice.stop();
  }
});

/** Its provider has the prompt when its client leaves. */
async function askAndLeave(headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const leaving = new AbortController();
  const answer = fetch(`${sluice.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ask),
    signal: leaving.signal,
  });
  answer.catch(() => undefined);
  await asked.promise;
  leaving.abort();
}

test('a client that left and would have asked for its answer again, by its key, pays nothing', async () => {
  await start();
  try {
    await askAndLeave({ 'idempotency-key': 'again' });
    sluice.running.services.unanswered.interrupt(silentLog);
    expect(await sluice.nextUsage(() => true)).toMatchObject(freeRow);
  } finally {
    await sluice.stop();
  }
});

test('a client that left before the stop pays for its prompt as at any other time', async () => {
  await start();
  try {
    await askAndLeave();
    await sluice.readsOn();
    sluice.running.services.unanswered.interrupt(silentLog);
    await sluice.readsOnNoLonger();
    const record = await sluice.nextUsage(() => true);
    expect(record).toMatchObject({ outcome: 'client_closed', errorCode: 'client_closed' });
    expect(record.chargedNanoUsd).toBeGreaterThan(0n);
  } finally {
    await sluice.stop();
  }
});
