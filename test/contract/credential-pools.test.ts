/** Several credentials of one provider: all are used, and one that fails is no failure for a client. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import type { Upstream } from '../support/upstream/index.ts';

let sluice: TestSluice;

const keys = ['k1', 'k2', 'k3'];

/** Each test has a provider of its own, since what is learned of one is remembered. */
const providers = ['turns', 'revoked', 'limited', 'spent', 'silent', 'bounded', 'unpaid', 'mixed', 'told'];

beforeAll(async () => {
  sluice = await startTestSluice({
    variables: {
      SLUICE_UPSTREAM_HEALTH: 'on',
      SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1000',
      SLUICE_UPSTREAM_FAIL_OVER_AFTER_MS: '300',
    },
    file: (url) => ({
      providers: providers.map((name) => ({
        ...usualProvider(url),
        name,
        credentials: keys.map((key) => ({
          ...{ name: key, api_key: `${name}-${key}` },
          ...(name === 'bounded' ? { requests_per_minute: 2, max_concurrent: 1 } : {}),
        })),
      })),
      models: providers.map((name) => ({
        ...usualModel,
        id: name,
        aliases: [],
        providers: [{ provider: name, upstream_id: name }],
      })),
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const ask = (model: string, stream = false) =>
  sluice.post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'Hi' }] });

/** With which each request came, in order. */
const askedWith = () =>
  sluice.upstream.requests.map(({ headers }) => headers['authorization']?.split('-').at(-1));

/** What a credential is answered from now on. */
function answerTo(model: string, key: string, answer: Parameters<Upstream['forModel']>[1]): void {
  sluice.upstream.when(({ headers }) => headers['authorization'] === `Bearer ${model}-${key}`, answer);
}

test('all of them are used', async () => {
  for (let at = 0; at < 6; at += 1) expect((await ask('turns')).status).toBe(200);
  expect(askedWith()).toEqual([...keys, ...keys]);
});

test('one that was withdrawn is followed by the next, streamed and whole, and is not asked again', async () => {
  answerTo('revoked', 'k1', { fault: 'status_401' });
  const answers = [await ask('revoked', true), await ask('revoked'), await ask('revoked')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await Promise.all(answers.map((answer) => answer.text()));
  expect(askedWith().filter((key) => key === 'k1')).toHaveLength(1);
  const record = await sluice.nextUsage(({ attempts }) => attempts === 2);
  expect(record).toMatchObject({ provider: 'revoked', outcome: 'complete', status: 200 });
});

test('one that is limited is asked again when its time is over', async () => {
  answerTo('limited', 'k2', { fault: { name: 'rate_limited', retryAfter: 30 } });
  for (let at = 0; at < 6; at += 1) expect((await ask('limited')).status).toBe(200);
  expect(askedWith().filter((key) => key === 'k2')).toHaveLength(1);
  sluice.leap(31_000);
  for (let at = 0; at < 3; at += 1) expect((await ask('limited')).status).toBe(200);
  expect(askedWith().filter((key) => key === 'k2')).toHaveLength(2);
});

test('where all are limited the caller hears when the first is free again, and nobody is asked', async () => {
  for (const [at, key] of keys.entries())
    answerTo('spent', key, { fault: { name: 'rate_limited', retryAfter: 20 + 10 * at } });
  expect((await ask('spent')).status).toBe(503);
  expect(askedWith()).toHaveLength(3);
  const refused = await ask('spent');
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(15, 21);
  expect(await refused.json()).toMatchObject({ error: { code: 'upstream_rate_limited' } });
  expect(askedWith()).toHaveLength(3);
});

test('where the accounts of all are out of money nobody is told to come back soon, and operators see why', async () => {
  for (const key of keys) answerTo('unpaid', key, { fault: 'status_402' });
  for (const first of [true, false]) {
    const refused = await ask('unpaid');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(60);
    const { error } = await refused.json();
    expect(error.code).toBe('upstream_quota_spent');
    expect(error.message).not.toMatch(/unpaid|k[123]|double|balance|money/);
    // All of them once; after that no more than one, to see whether somebody has paid.
    expect(askedWith().length).toBe(first ? 3 : 4);
  }
  const metrics = await (await fetch(sluice.running.metricsUrl ?? '')).text();
  expect(metrics).toMatch(/^sluice_pool_credentials_spent 3$/m);
  sluice.upstream.forget();
  expect((await ask('unpaid')).status).toBe(200);
});

test('where one is only limited and the others are out of money the caller hears when that one is free again', async () => {
  answerTo('mixed', 'k1', { fault: { name: 'rate_limited', retryAfter: 30 } });
  for (const key of ['k2', 'k3']) answerTo('mixed', key, { fault: 'status_402' });
  for (let at = 0; at < 4; at += 1) {
    const refused = await ask('mixed');
    expect(refused.headers.get('x-should-retry')).toBe('true');
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(20, 31);
    expect(await refused.json()).toMatchObject({ error: { code: 'upstream_rate_limited' } });
  }
});

test('an account out of money whose provider says when is not asked before a minute, and nobody is told to', async () => {
  for (const key of keys) answerTo('told', key, { fault: { name: 'status_402', retryAfter: 5 } });
  for (const leapMs of [0, 4000, 55_000]) {
    sluice.leap(leapMs);
    const refused = await ask('told');
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(60);
    expect(askedWith()).toHaveLength(3);
  }
});

test('a silent provider is waited for twice, and then only by one request at a time', async () => {
  sluice.upstream.forModel('silent', { fault: 'header_stall' });
  for (let at = 0; at < 2; at += 1) expect((await ask('silent')).status).toBe(504);
  expect(sluice.upstream.requests).toHaveLength(2);
  const quick = await ask('silent');
  expect(quick.status).toBe(504);
  // Two seconds, a quarter more or less by chance.
  expect(Number(quick.headers.get('retry-after'))).toBeWithin(1, 4);
  expect(sluice.upstream.requests).toHaveLength(2);
  sluice.leap(3000);
  await Promise.all([ask('silent'), ask('silent'), ask('silent')]);
  expect(sluice.upstream.requests).toHaveLength(3);
});

test('those with limits of their own are asked no more than that, and the caller hears when one is free', async () => {
  for (let at = 0; at < 6; at += 1) expect((await ask('bounded')).status).toBe(200);
  expect(askedWith().toSorted()).toEqual(['k1', 'k1', 'k2', 'k2', 'k3', 'k3']);
  const refused = await ask('bounded');
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(30, 61);
  expect((await refused.json()).error.code).toBe('upstream_rate_limited');
  expect(askedWith()).toHaveLength(6);
  sluice.leap(61_000);
  expect((await ask('bounded')).status).toBe(200);
});
