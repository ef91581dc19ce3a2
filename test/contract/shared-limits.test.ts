/** Several processes of the program on one database and one Redis: a key has its limits once, whoever serves it. */
import { expect, test } from 'bun:test';
import { testDatabases } from '../support/databases.ts';
import { describeOnRedis, startOwnRedis } from '../support/redis.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  type TestSluiceOptions,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const noLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

/** On a busy machine the first attempt to connect to Redis may fail, and each process counts its share until another. */
async function untilShared({ limiter }: TestSluice['running']['services']): Promise<void> {
  while ((await limiter.stateOf(1, noLimits)).countedBy !== 'shared') {
    await new Promise((done) => setImmediate(done));
  }
}

describeOnRedis('limits of replicas', () => {
  // Only one process can have the embedded database.
  for (const database of testDatabases.filter(({ kind }) => kind === 'postgres')) {
    test('are those of one: of a key, and of its owner over all of their keys', async () => {
      const redis = await startOwnRedis();
      const prepared = await database.prepare();
      const [slow, other] = [newToken(), newToken()];
      const options: TestSluiceOptions = {
        database: { ...database, prepare: async () => ({ ...prepared, discard: async () => undefined }) },
        variables: { REDIS_URL: redis.url },
        file: (upstreamUrl) => ({
          users: [
            {
              ...{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
              requests_per_minute: 4,
            },
          ],
          providers: [usualProvider(upstreamUrl)],
          models: [{ ...usualModel, providers: [{ provider: 'main', upstream_id: 'double-1-2026' }] }],
          keys: [
            { name: 'slow', owner, token: slow, requests_per_minute: 2 },
            { name: 'other', owner, token: other },
          ],
        }),
      };
      const one = await startTestSluice(options);
      const two = await startTestSluice(options);
      try {
        const ask = async (sluice: typeof one, token: string) => {
          const body = { model: 'double-1', messages: [{ role: 'user', content: 'Hello' }] };
          const response = await sluice.post('/v1/chat/completions', body, {
            authorization: `Bearer ${token}`,
          });
          const { headers } = response;
          const left = `${headers.get('x-ratelimit-remaining-requests')}/${headers.get('x-ratelimit-limit-requests')}`;
          return [response.status, left, (await response.json()).error?.message ?? null];
        };
        for (const { running } of [one, two]) await untilShared(running.services);
        expect(await ask(one, slow)).toEqual([200, '1/2', null]);
        expect(await ask(two, slow)).toEqual([200, '0/2', null]);
        const [status, left, message] = await ask(one, slow);
        expect([status, left]).toEqual([429, '0/2']);
        expect(message).toContain('This key is limited to 2 requests per minute');
        expect(await ask(two, other)).toEqual([200, '1/4', null]);
        expect(await ask(one, other)).toEqual([200, '0/4', null]);
        expect((await ask(two, other))[2]).toContain('together limited to 4 requests per minute');
      } finally {
        await one.stop();
        await two.stop();
        await prepared.discard();
        await redis.kill();
      }
    });
  }
});
