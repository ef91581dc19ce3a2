/** Several processes of the program on one database and one Redis: what one learns of a provider all go by. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { RedisClient } from 'bun';
import { type PreparedDatabase, testDatabases } from '../support/databases.ts';
import { describeOnRedis, type OwnRedis, startOwnRedis } from '../support/redis.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

describeOnRedis('routing of replicas', () => {
  // Only one process can have the embedded database.
  for (const database of testDatabases.filter(({ kind }) => kind === 'postgres')) {
    const token = newToken();
    let redis: OwnRedis;
    let upstream: Upstream;
    let prepared: PreparedDatabase;
    let one: TestSluice;
    let two: TestSluice;

    beforeEach(async () => {
      redis = await startOwnRedis();
      upstream = startUpstream();
      prepared = await database.prepare();
      const keyed = (name: string, keys: readonly string[]) => ({
        ...usualProvider(upstream.url),
        name,
        credentials: keys.map((key) => ({ name: key, api_key: `${name}-${key}` })),
      });
      const model = (id: string, providers: readonly string[]) => ({
        ...{ ...usualModel, id, aliases: [] },
        providers: providers.map((provider) => ({ provider, upstream_id: provider })),
      });
      const options = {
        database: { ...database, prepare: async () => ({ ...prepared, discard: async () => undefined }) },
        variables: { REDIS_URL: redis.url, SLUICE_UPSTREAM_HEALTH: 'on' },
        file: () => ({
          users: [
            { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
          ],
          providers: [keyed('first', ['k1']), keyed('second', ['k1']), keyed('pool', ['k1', 'k2', 'k3'])],
          models: [model('both', ['first', 'second']), model('pool', ['pool'])],
          keys: [{ name: 'usual', owner, token }],
        }),
      };
      one = await startTestSluice(options);
      two = await startTestSluice(options);
    });
    afterEach(async () => {
      await one.stop();
      await two.stop();
      upstream.stop();
      await prepared.discard();
      await redis.kill();
    });

    const ask = async (sluice: TestSluice, model: string, headers: Record<string, string> = {}) => {
      const messages = [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'And now?' },
      ];
      const authorization = `Bearer ${token}`;
      const body = { model, messages };
      const response = await sluice.post('/v1/chat/completions', body, { authorization, ...headers });
      await response.text();
      return `${response.status} ${response.headers.get('x-sluice-provider')}`;
    };
    const lastKey = () => upstream.requests.at(-1)?.headers['authorization'];
    const circuitsOf = ({ running }: TestSluice) => [...running.services.routes.health.circuits()];

    async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
    }

    test('goes by what one of them has seen of a provider, also with a Redis that dies and comes back', async () => {
      upstream.forModel('first', { fault: { name: 'rate_limited', retryAfter: 600 } });
      expect(await ask(one, 'both')).toBe('200 second');
      await eventually(() => circuitsOf(two).length === 1);
      expect(await ask(two, 'both')).toBe('200 second');
      expect(
        upstream.requests.filter(({ headers }) => headers['authorization'] === 'Bearer first-k1'),
      ).toHaveLength(1);
      await redis.kill();
      for (const sluice of [one, two, one, two]) expect(await ask(sluice, 'both')).toBe('200 second');
      upstream.when(({ headers }) => headers['authorization'] === 'Bearer pool-k1', {
        fault: { name: 'rate_limited', retryAfter: 600 },
      });
      expect(await ask(one, 'pool')).toBe('200 pool');
      await redis.start();
      await eventually(() => circuitsOf(two).length === 2);
      for (let turns = 0; turns < 3; turns += 1) expect(await ask(two, 'pool')).toBe('200 pool');
      expect(
        upstream.requests.filter(({ headers }) => headers['authorization'] === 'Bearer pool-k1'),
      ).toHaveLength(1);
    });

    test('keeps a conversation with its credential, whoever serves its turn', async () => {
      expect(await ask(one, 'pool')).toBe('200 pool');
      expect(lastKey()).toBe('Bearer pool-k1');
      expect(await ask(one, 'pool', { 'x-session-id': 'a-talk' })).toBe('200 pool');
      expect(lastKey()).toBe('Bearer pool-k2');
      const client = new RedisClient(redis.url);
      // Of the talk without a name too, which can be told before.
      await eventually(async () => (await client.keys('sluice:routing:session:*')).length === 2);
      await eventually(() => two.running.services.routes.processes === 2);
      client.close();
      // It would be the turn of the first one there.
      expect(await ask(two, 'pool', { 'x-session-id': 'a-talk' })).toBe('200 pool');
      expect(lastKey()).toBe('Bearer pool-k2');
    });
  }
});
