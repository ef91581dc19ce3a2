import { afterEach, describe, expect, test } from 'bun:test';
import { RedisClient } from 'bun';
import { describeOnRedis, type OwnRedis, startOwnRedis } from '../../test/support/redis.ts';
import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { RedisSharing, type RedisSharingOptions } from './redis-sharing.ts';
import { ask, describeRemembering, eventually, open, refusal, turn } from './remembering.cases.ts';
import { Routes } from './routes.ts';
import { keepStatesScript } from './sharing-scripts.ts';
import { servedBy } from './testing/candidates.ts';

const newPrefix = () => `sluice-test:${crypto.randomUUID()}:`;
const newRoutes = () =>
  new Routes({ clock: systemClock, random: () => 0.5, deadlineMs: 60_000, isHealthOn: true });
const two = [{ name: 'a' }, { name: 'b' }];
/** A busy machine is not what most of these are about. */
const patientMs = 20_000;

describeRemembering('in one process', async () => {
  const routes = newRoutes();
  return { one: routes, other: routes };
});

describeOnRedis('routing on Redis', (url) => {
  const ending: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  /** On a busy machine the first attempt may fail: it is waited for until one has not, where Redis is there. */
  async function process(options: Partial<RedisSharingOptions>, isRedisThere = true): Promise<Routes> {
    const routes = newRoutes();
    const all = { url, clock: systemClock, log: silentLog, timeoutMs: patientMs, ...options };
    const joined = Promise.withResolvers<void>();
    const sharing = await routes.share((listener) =>
      RedisSharing.open(all, {
        learn: (name, state) => listener.learn(name, state),
        circuits: () => listener.circuits(),
        nowMs: () => listener.nowMs(),
        joined() {
          listener.joined();
          joined.resolve();
        },
      }),
    );
    ending.push(() => sharing.close());
    if (isRedisThere) await joined.promise;
    return routes;
  }

  async function ownRedis(): Promise<OwnRedis> {
    const redis = await startOwnRedis();
    ending.push(() => redis.kill());
    return redis;
  }

  describeRemembering('in two processes', async () => {
    const prefix = newPrefix();
    return { one: await process({ prefix }), other: await process({ prefix }) };
  });

  describe('a process', () => {
    test('that starts reads what is open, and not what is over', async () => {
      const prefix = newPrefix();
      const one = await process({ prefix });
      ask(one, two, { 'a/k1': refusal(503, 60) });
      const client = new RedisClient(url);
      await eventually(async () => (await client.hgetall(`${prefix}circuits`)) !== null);
      await eventually(
        async () => Object.keys((await client.hgetall(`${prefix}circuits`)) ?? {}).length === 1,
      );
      await client.hset(`${prefix}circuits`, 'provider 99', '1000 {"name":"provider 99"}');
      await client.hset(`${prefix}circuits`, 'provider 98', 'of another version');
      expect(ask(await process({ prefix }), two)).toEqual(['b/k1']);
      expect(Object.keys((await client.hgetall(`${prefix}circuits`)) ?? {})).toHaveLength(1);
      client.close();
    });

    test('is told of a storm of failures in few messages', async () => {
      const prefix = newPrefix();
      const one = await process({ prefix });
      const ears = new RedisClient(url);
      const heard: string[] = [];
      await ears.subscribe(`${prefix}told`, (message: string) => heard.push(message));
      const candidate = servedBy(two).candidates[0];
      if (candidate === undefined) throw new Error('there is no candidate');
      for (let at = 0; at < 1000; at += 1) one.health.failed(candidate, refusal(503, 60), 0);
      ask(one, [{ name: 'c' }], { 'c/k1': refusal(429, 60) });
      await eventually(() => heard.some((message) => message.includes('account')));
      expect(heard).toHaveLength(2);
      ears.close();
    });

    test('asks nobody about a conversation that it knows, that is new, or that nobody has answered in', async () => {
      const one = await process({ prefix: newPrefix() });
      expect(one.recall({ session: 's', isNew: true }, () => true)).toBeUndefined();
      expect(one.recall({ session: 's', isNew: false }, () => false)).toBeUndefined();
      await turn(one, 's');
      expect(one.recall({ session: 's', isNew: false }, () => true)).toBeUndefined();
      expect(one.recall({ session: 't', isNew: false }, () => true)).toBeInstanceOf(Promise);
    });

    test('tells who holds what, in one place that is bounded', async () => {
      const prefix = newPrefix();
      const [one, other] = [await process({ prefix }), await process({ prefix })];
      for (let at = 0; at < 700; at += 1) one.keepState(`word ${at}`, `7 state ${at}`);
      await eventually(async () => (await other.findState('word 699')) === '7 state 699');
      expect(await other.findState('word 0')).toBe('7 state 0');
      expect(await other.findState('word 700')).toBeNull();
      const client = new RedisClient(url);
      const names = (await client.send('KEYS', [`${prefix}*`])) as string[];
      expect(names.filter((name) => name.includes('state')).toSorted()).toEqual([
        `${prefix}{states}`,
        `${prefix}{states}:ages`,
      ]);
      expect(Number(await client.send('PTTL', [`${prefix}{states}`]))).toBeLessThanOrEqual(86_400_000);
      // The oldest of too many go, and those whose time is over.
      const keep = (lifetimeMs: number, most: number, ...told: string[]) =>
        client.send('EVAL', [keepStatesScript, '2', 's', 's:ages', `${lifetimeMs}`, `${most}`, ...told]);
      await keep(60_000, 3, 'a', '1 x', 'b', '1 x');
      await keep(120_000, 3, 'c', '1 x', 'd', '1 x');
      expect(((await client.send('HKEYS', ['s'])) as string[]).toSorted()).toEqual(['b', 'c', 'd']);
      await client.send('ZADD', ['s:ages', '1', 'c']);
      await keep(60_000, 3, 'e', '1 x');
      expect(((await client.send('HKEYS', ['s'])) as string[]).toSorted()).toEqual(['b', 'd', 'e']);
      await client.send('DEL', ['s', 's:ages']);
      client.close();
    });

    test('tells of a conversation once, and again when those who were told may have lost it', async () => {
      const routes = newRoutes();
      const told: string[] = [];
      let joined: () => void = () => undefined;
      await routes.share(async (listener) => {
        joined = () => listener.joined();
        return {
          processes: 1,
          tellCircuit: () => undefined,
          tellSession: (session: string, account: string) => void told.push(`${session} ${account}`),
          findSession: async () => null,
          tellState: () => undefined,
          findState: async () => null,
        };
      });
      await turn(routes, 's');
      await turn(routes, 's');
      expect(told).toHaveLength(1);
      joined();
      await turn(routes, 's');
      expect(told).toHaveLength(2);
    });
  });

  describe('while Redis is away', () => {
    test('each goes by what it knows; back, they tell each other also what they saw meanwhile', async () => {
      const redis = await ownRedis();
      const warnings: string[] = [];
      const log: Log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
      const one = await process({ url: redis.url, log });
      const other = await process({ url: redis.url });
      await redis.kill();
      await eventually(() => warnings.length > 0);
      expect(ask(one, two, { 'a/k1': refusal(503, 600) })).toEqual(['a/k1', 'b/k1']);
      expect(ask(one, two)).toEqual(['b/k1']);
      expect(await turn(one, 'talk', { specs: two.toReversed() })).toBe('b/k1');
      expect(await turn(other, 'talk')).toBe('a/k1');
      await redis.start();
      await eventually(() => !other.health.isAllSound);
      expect(ask(other, two)).toEqual(['b/k1']);
      expect(warnings).toHaveLength(1);
      ask(other, [{ name: 'c' }], { 'c/k1': refusal(429, 60) });
      await eventually(() => [...one.health.circuits()].length === 2);
    });

    test('what was told to one that comes back empty is told again, so that a start learns it', async () => {
      const redis = await ownRedis();
      const one = await process({ url: redis.url });
      const other = await process({ url: redis.url });
      ask(one, two, { 'a/k1': refusal(503, 600) });
      await eventually(() => !other.health.isAllSound);
      await redis.kill();
      await redis.start();
      const client = new RedisClient(redis.url);
      await eventually(
        async () => Object.keys((await client.hgetall('sluice:routing:circuits')) ?? {}).length === 1,
      );
      client.close();
      expect(ask(await process({ url: redis.url }), two)).toEqual(['b/k1']);
    });

    test('a start does without it, and joins when it is there', async () => {
      const redis = await ownRedis();
      await redis.kill();
      const one = await process({ url: redis.url }, false);
      ask(one, two, { 'a/k1': refusal(503, 600) });
      await redis.start();
      const other = await process({ url: redis.url });
      await eventually(() => !other.health.isAllSound);
    });

    test('one that says nothing is waited for once, and for a short time', async () => {
      const redis = await ownRedis();
      const one = await process({ url: redis.url, timeoutMs: 25 });
      redis.pause();
      const sticky = { session: 's', isNew: false };
      await one.recall(sticky, () => true);
      // It is in doubt by now: this is answered without it.
      let isAnswered = false;
      const second = one
        .recall(sticky, () => true)
        ?.then(() => {
          isAnswered = true;
        });
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
      expect(isAnswered).toBe(true);
      await second;
      redis.resume();
      expect(open(one, two).candidate).not.toBeNull();
    });
  });
});
