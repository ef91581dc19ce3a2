import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RedisClient } from 'bun';
import { type OwnRedis, startOwnRedis } from '../../test/support/redis.ts';
import { systemClock } from '../base/clock.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { type KeptAnswer, type KeptAnswers, type KeyUse, MemoryAnswers } from './kept-answers.ts';
import { RedisAnswers } from './redis-answers.ts';

/** On a busy machine Redis answers late, which is not what these tests are about. */
const timeoutMs = 15_000;

const use = (name: string, fingerprint = 'body', keyId = 1): KeyUse => ({ keyId, name, fingerprint });
const answer = (body = '{"a":1}'): KeptAnswer => ({
  ...{ status: 200, body, contentType: 'application/json' },
  headers: { 'x-sluice-cost-usd': '0.01' },
});

async function mine(answers: KeptAnswers, asked: KeyUse) {
  const claim = await answers.claim(asked);
  if (claim.kind !== 'mine') throw new Error(`it is ${claim.kind}`);
  return claim;
}

/** Whoever is asked second may be another process. */
function cases(open: () => readonly [KeptAnswers, KeptAnswers]): void {
  test('one has the claim until it keeps an answer, which all are told then', async () => {
    const [one, two] = open();
    const claim = await mine(one, use('a'));
    expect(await two.claim(use('a'))).toEqual({ kind: 'under_way' });
    await claim.keep(answer());
    expect(await two.claim(use('a'))).toEqual({ kind: 'kept', answer: answer() });
    expect(await one.claim(use('a'))).toEqual({ kind: 'kept', answer: answer() });
  });

  test('another request is told apart, before and after the answer', async () => {
    const [one, two] = open();
    const claim = await mine(one, use('b'));
    expect(await two.claim(use('b', 'other'))).toEqual({ kind: 'other_request' });
    await claim.keep(answer());
    expect(await two.claim(use('b', 'other'))).toEqual({ kind: 'other_request' });
  });

  test('a claim that is let go of is free, also for another request', async () => {
    const [one, two] = open();
    await (await mine(one, use('c'))).release();
    await (await mine(two, use('c', 'other'))).keep(answer('other'));
    expect(await one.claim(use('c', 'other'))).toEqual({ kind: 'kept', answer: answer('other') });
  });

  test('a key that keeps too much loses its own oldest answers', async () => {
    const [one, two] = open();
    await (await mine(one, use('of another', 'body', 5))).keep(answer());
    for (let count = 0; count < 14; count += 1) {
      const byTurns = count % 2 === 0 ? one : two;
      await (await mine(byTurns, use(`large ${count}`, 'body', 4))).keep(answer('x'.repeat(700_000)));
    }
    expect((await one.claim(use('large 0', 'body', 4))).kind).toBe('mine');
    expect((await two.claim(use('large 13', 'body', 4))).kind).toBe('kept');
    expect((await one.claim(use('of another', 'body', 5))).kind).toBe('kept');
  });
}

describe('in the memory of a process', () => {
  cases(() => {
    const answers = new MemoryAnswers(new ManualClock());
    return [answers, answers];
  });

  test('many keys together lose the oldest of all', async () => {
    const answers = new MemoryAnswers(new ManualClock());
    for (let keyId = 0; keyId < 70; keyId += 1) {
      await (await mine(answers, use(`of ${keyId}`, 'body', keyId))).keep(answer('x'.repeat(500_000)));
    }
    expect(answers.claim(use('of 0', 'body', 0)).kind).toBe('mine');
    expect(answers.claim(use('of 69', 'body', 69)).kind).toBe('kept');
  });
});

const hasRedis = Bun.which('redis-server') !== null || process.env['CI'] === 'true';
describe.skipIf(!hasRedis)('in Redis, of two processes', () => {
  let redis: OwnRedis;
  const opened: RedisAnswers[] = [];
  beforeAll(async () => {
    redis = await startOwnRedis();
  });
  afterAll(async () => {
    for (const answers of opened) answers.close();
    await redis.kill();
  });
  const envelope = openEnvelope('a secret of the tests, long enough');
  const openOne = async (sealedBy = envelope) => {
    const answers = new RedisAnswers({
      ...{ url: redis.url, clock: systemClock, ids: systemIds, log: silentLog, timeoutMs },
      envelope: await sealedBy,
    });
    opened.push(answers);
    return answers;
  };
  let pair: readonly [KeptAnswers, KeptAnswers];
  beforeAll(async () => {
    pair = [await openOne(), await openOne()];
  });
  cases(() => pair);

  test('an answer sealed under a service secret from before is none, and Redis stays in use', async () => {
    const before = await openOne(openEnvelope('the secret from before, long enough'));
    await (await mine(before, use('sealed before'))).keep(answer());
    const [one, two] = pair;
    await (await mine(one, use('sealed before'))).keep(answer('{"a":2}'));
    expect(await two.claim(use('sealed before'))).toEqual({ kind: 'kept', answer: answer('{"a":2}') });
  });

  test('a claim is lengthened while it is its process’s own, and what stands in its place is left alone', async () => {
    const clock = new ManualClock();
    const answers = new RedisAnswers({
      ...{ url: redis.url, clock, ids: systemIds, log: silentLog },
      envelope: await envelope,
    });
    opened.push(answers);
    for (const name of ['own', 'replaced']) await mine(answers, use(name));
    const client = new RedisClient(redis.url);
    try {
      const named = (name: string) => `sluice:idempotency:${name}`;
      await client.send('PEXPIRE', [named('own'), '1000000']);
      await client.send('SET', [named('replaced'), 'a body sealed', 'PX', '1000000']);
      await clock.advance(20_000);
      // Asked behind the renewals on the same connection, so that it is answered after them.
      await mine(answers, use('behind them'));
      expect(Number(await client.send('PTTL', [named('own')]))).toBeWithin(0, 60_001);
      expect(Number(await client.send('PTTL', [named('replaced')]))).toBeGreaterThan(60_000);
    } finally {
      client.close();
    }
  });

  test('what is under way as Redis goes away stays so in its process, also when it comes back empty', async () => {
    const own = await startOwnRedis();
    const clock = new ManualClock();
    const answers = new RedisAnswers({
      ...{ url: own.url, clock, ids: systemIds, log: silentLog },
      envelope: await envelope,
    });
    try {
      const underWay = await mine(answers, use('long'));
      await own.kill();
      expect(await answers.claim(use('long'))).toEqual({ kind: 'under_way' });
      expect(await answers.claim(use('long', 'other'))).toEqual({ kind: 'other_request' });
      await own.start();
      await clock.advance(3_000);
      expect(await answers.claim(use('long'))).toEqual({ kind: 'under_way' });
      await underWay.keep(answer());
      expect(await answers.claim(use('long'))).toEqual({ kind: 'kept', answer: answer() });
    } finally {
      answers.close();
      await own.kill();
    }
  });

  test('what was answered while Redis was away is told again by its process once Redis is back', async () => {
    const clock = new ManualClock();
    const own = await startOwnRedis();
    const answers = new RedisAnswers({
      ...{ url: own.url, clock, ids: systemIds, log: silentLog },
      envelope: await envelope,
    });
    try {
      await own.kill();
      const claim = await mine(answers, use('a'));
      const underWay = await mine(answers, use('b'));
      await claim.keep(answer());
      await own.start();
      await clock.advance(3_000);
      expect(await answers.claim(use('a'))).toEqual({ kind: 'kept', answer: answer() });
      expect(await answers.claim(use('a', 'other'))).toEqual({ kind: 'other_request' });
      expect(await answers.claim(use('b'))).toEqual({ kind: 'under_way' });
      await underWay.release();
      await (await mine(answers, use('b'))).release();
    } finally {
      answers.close();
      await own.kill();
    }
  });
});
