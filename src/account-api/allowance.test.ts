/** How often an account may ask in a minute: all its keys, passwords and sessions together, and nobody else's. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Hono } from 'hono';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import { proxyList } from '../base/client-address.ts';
import { Deadlines } from '../base/deadlines.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { CallerDirectory, createKey, createUser, findUserByEmail, transact } from '../identity/index.ts';
import { MemoryLimiter, RateLimitedError } from '../limits/index.ts';
import { createAccountApi } from './index.ts';

const mostAMinute = 12_000;
const clock = new ManualClock();
const address = 'http://sluice.test/api/2.0/servers/schema/';
const limiter = new MemoryLimiter(clock);
let storage: TestDatabase;
let api: Hono;
beforeAll(async () => {
  storage = await usualDatabase.open();
  const parts = { storage, clock, ids: systemIds };
  const { db, changes } = storage;
  api = createAccountApi({
    ...parts,
    callers: new CallerDirectory({ db, changes, clock, tokenPrefix: 'sluice_' }),
    limiter,
    bodies: new ByteBudget(1024 ** 2),
    deadlines: new Deadlines(clock),
    log: silentLog,
    identityProviders: [],
    legal: { version: '1' },
    publicUrl: null,
    trustedProxies: proxyList([]),
  });
});
afterAll(() => storage.close());

async function newTokens(name: string, count: number): Promise<readonly string[]> {
  const parts = { storage, clock, ids: systemIds };
  return await transact(parts, async (work) => {
    const { id: ownerId } = await createUser(work, { email: `${name}@example.test`, role: 'member' });
    const tokens: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const { token } = await createKey(everybody, work, 'sluice_', {
        ...{ name: `${name} ${at}`, ownerId, scopes: ['read' as const] },
      });
      tokens.push(token);
    }
    return tokens;
  });
}
const ask = async (token: string) =>
  await api.request(address, { headers: { authorization: `Bearer ${token}` } });

test('12,000 a minute of an account, by all its keys together, then 429 until a minute is over', async () => {
  const [one = '', two = ''] = await newTokens('busy', 2);
  const [other = ''] = await newTokens('calm', 1);
  for (let at = 0; at < mostAMinute; at += 1) {
    const { status } = await ask(at % 2 === 0 ? one : two);
    if (status !== 200) throw new Error(`the ${at + 1}th was answered ${status}`);
  }
  for (const token of [one, two]) {
    const refused = await ask(token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61);
    expect(await refused.json()).toMatchObject([
      { error_point: null, error_message: expect.stringContaining('12000') },
    ]);
  }
  expect((await ask(other)).status).toBe(200);
  await clock.advance(60_000);
  expect((await ask(one)).status).toBe(200);
}, 120_000);

test('what an account asks here leaves what it may ask of models as it is, by its session and by its keys', async () => {
  const [token = ''] = await newTokens('both', 1);
  const userId = (await findUserByEmail(storage.db, 'both@example.test'))?.id ?? 0;
  const limits = { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null };
  const bySession = { keyId: -userId, userId, keyLimits: limits, userLimits: null };
  const byKeys = { keyId: 1, userId, keyLimits: null, userLimits: limits };
  for (const asked of [bySession, byKeys]) {
    (await limiter.admit(asked)).close(0);
    expect((await ask(token)).status).toBe(200);
    await expect((async () => limiter.admit(asked))()).rejects.toBeInstanceOf(RateLimitedError);
  }
});
