import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { RedisClient } from 'bun';
import { LeapingClock } from '../../test/support/leaping-clock.ts';
import { describeOnRedis, type OwnRedis } from '../../test/support/redis.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { scripts } from './redis-scripts.ts';
import { admitted, isAdmitted, unlimited } from './testing/limited.ts';
import {
  away,
  countedBy,
  limitedBy,
  listening,
  newPrefix,
  patientMs,
  recordingClock,
  redisLimiters,
  stillClock,
  together,
  until,
} from './testing/redis-limiters.ts';

describeOnRedis('the connection to Redis', (url) => {
  const { ending, open, ownRedis, proxy } = redisLimiters(url);

  /** Beside the limiter's. */
  function clientOf(redis: OwnRedis) {
    const client = new RedisClient(redis.url);
    ending.push(async () => client.close());
    const ask = async (command: string, ...args: string[]) => String(await client.send(command, args));
    const isAlone = async () => (await ask('CLIENT', 'LIST')).trim().split('\n').length === 1;
    return { ask, isAlone };
  }

  /** It takes connections, and does with them what it is told. */
  async function serverThat(takes: (socket: Socket) => void): Promise<string> {
    const server = createServer(takes).listen(0, '127.0.0.1');
    ending.push(async () => server.close());
    await once(server, 'listening');
    const address = server.address();
    return `redis://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  test('is not come back to by who is closed meanwhile', async () => {
    const redis = await ownRedis();
    let lastTimer = () => {};
    const clock: Clock = {
      ...stillClock,
      after(_ms, run) {
        lastTimer = run;
        return { cancel: () => undefined };
      },
    };
    const { said, log } = listening();
    const limiter = await open({ url: redis.url, clock, log });
    await redis.kill();
    // It hears of that though nothing is asked.
    await until(async () => said.includes(away));
    await redis.start();
    // It connects anew, and is closed before it has.
    lastTimer();
    await limiter.close();
    const { ask, isAlone } = clientOf(redis);
    await until(async () => /total_connections_received:(?:[2-9]|\d\d)/.test(await ask('INFO', 'stats')));
    await until(isAlone);
  });

  test('is waited for once: a call that is not answered falls to the share, and those after it ask nobody', async () => {
    const redis = await ownRedis();
    const { said, log } = listening();
    const clock = new LeapingClock();
    // Longer than the clock leaps, so that nothing else is asked.
    const limiter = await open({ url: redis.url, clock, leaseMs: 10 * patientMs, log });
    const caller = limitedBy({ concurrentRequests: 4 });
    await until(async () => (await countedBy(limiter)) === 'shared');
    said.length = 0;
    await limiter.admit(caller);
    // All was answered when it was looked at, and what is asked next is looked after again.
    clock.leap(patientMs);
    redis.pause();
    const waiting = [limiter.admit(caller), limiter.admit(caller)];
    clock.leap(patientMs);
    await Promise.all(waiting);
    const next = limiter.admit(caller);
    expect(next).not.toBeInstanceOf(Promise);
    expect(await isAdmitted(limiter, caller)).toBe(false);
    expect(said).toEqual([away]);
    redis.resume();
    await until(async () => (await countedBy(limiter)) === 'shared');
    // What the paused server found on the old connection has taken no place.
    const { concurrent } = await limiter.stateOf(1, caller.keyLimits ?? unlimited);
    expect(concurrent).toEqual({ limit: 4, underWay: 4 });
    (await next).close(0);
    expect(await isAdmitted(limiter, caller)).toBe(true);
  });

  test('is waited for as long by a call that comes later as by the one before it', async () => {
    const redis = await ownRedis();
    let nowMs = 1_000_000;
    let watching: { ms: number; run: () => void }[] = [];
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => nowMs,
      after(ms, run) {
        if (ms <= 200) watching.push({ ms, run });
        return { cancel: () => undefined };
      },
    };
    const pass = (ms: number) => {
      nowMs += ms;
      const due = watching;
      watching = [];
      for (const { run } of due) run();
      return watching.map((next) => next.ms);
    };
    const limiter = await open({ url: redis.url, clock, timeoutMs: 200 });
    const caller = limitedBy({ concurrentRequests: 4 });
    await limiter.admit(caller);
    pass(200);
    await limiter.admit(caller);
    nowMs += 150;
    redis.pause();
    const waiting = limiter.admit(caller);
    // Of the call before it, which was answered; then its own time, and its grace.
    expect(pass(50)).toEqual([150]);
    expect(pass(150)).toEqual([5]);
    // Then it is tried anew.
    expect(pass(5)).toEqual([100]);
    await waiting;
    expect(await countedBy(limiter)).toBe('share');
    redis.resume();
  });

  test('is said once, however often it is tried', async () => {
    let tries = 0;
    const hostile = await serverThat((socket) => {
      tries += 1;
      socket.destroy();
    });
    const { said, log } = listening();
    const pausesMs: number[] = [];
    const clock: Clock = {
      ...stillClock,
      after(ms, run) {
        const isBound = ms === 1000;
        if (!isBound) pausesMs.push(ms);
        return systemClock.after(isBound ? ms : 1, run);
      },
    };
    await open({ url: hostile, log, clock });
    await until(async () => tries >= 8);
    expect(said).toEqual([away]);
    expect(pausesMs.slice(0, 7)).toEqual([100, 200, 400, 800, 1600, 3000, 3000]);
  });

  test('leaves one timer when it ends, that of the next attempt, and none once it is closed', async () => {
    const line = await proxy();
    const { said, log } = listening();
    const { clock, manual, delaysMs } = recordingClock();
    const limiter = await open({ url: line.url, clock, log });
    await limiter.admit(limitedBy({ requestsPerMinute: 5 }));
    line.down();
    await until(async () => said.includes(away));
    expect(manual.pendingTimers).toBe(1);
    // So it is when it ends before it is of use again.
    line.up();
    line.meet(scripts.register.sha, (call) => call.endBefore());
    await manual.advance(100);
    await until(async () => delaysMs.includes(200));
    expect(manual.pendingTimers).toBe(1);
    await manual.advance(200);
    await until(async () => (await countedBy(limiter)) === 'shared');
    line.down();
    await until(async () => said.length === 4);
    await limiter.close();
    expect(manual.pendingTimers).toBe(0);
  });

  test('to a server that says nothing is given up after a second, and for good once it is closed', async () => {
    const sockets: Socket[] = [];
    const silent = await serverThat((socket) => sockets.push(socket.resume()));
    const clock = new ManualClock();
    const { said, log } = listening();
    const opening = open({ url: silent, clock, log });
    for (const at of [0, 1]) {
      await until(async () => sockets.length > at);
      const [socket] = sockets.slice(at);
      if (socket === undefined) throw new Error('it is there');
      if (at === 1) await (await opening).close();
      const ended = once(socket, 'close');
      await clock.advance(1000);
      await ended;
      if (at === 0) await opening;
      expect(clock.pendingTimers).toBe(at === 0 ? 1 : 0);
      await clock.advance(100);
    }
    expect(said).toEqual([away]);
  });

  test('is ended where the scripts are refused, and made again', async () => {
    const redis = await ownRedis();
    const { ask, isAlone } = clientOf(redis);
    await ask('ACL', 'SETUSER', 'limiter', 'on', '>s3cret-word', '~*', '+@all', '-script');
    const clock = new ManualClock();
    const { said, log } = listening();
    const limiter = await open({ url: redis.url.replace('//', '//limiter:s3cret-word@'), clock, log });
    expect(said).toEqual([away]);
    await until(isAlone);
    await ask('ACL', 'SETUSER', 'limiter', '+script');
    await clock.advance(100);
    await until(async () => (await countedBy(limiter)) === 'shared');
    // That it ends because nobody needs it any more is nothing to tell, or to wait for.
    await limiter.close();
    expect(said).toEqual([away, together]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('of a process whose lease is over is made anew, whoever finds out', async () => {
    const redis = await ownRedis();
    const { ask, isAlone } = clientOf(redis);
    const prefix = newPrefix();
    const { clock, manual, delaysMs } = recordingClock();
    const { said, log } = listening();
    const limiter = await open({ url: redis.url, prefix, clock, log });
    const caller = limitedBy({ requestsPerMinute: 10 });
    await limiter.admit(caller);
    await ask('DEL', `${prefix}processes`);
    // A request is decided here, and told afterwards.
    await limiter.admit(caller);
    expect(said).toEqual([together, away]);
    await until(isAlone);
    await manual.advance(100);
    await until(async () => (await countedBy(limiter)) === 'shared');
    expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
      requests: { remaining: 8 },
    });
    // Or a renewal, which there is time after time.
    const renewals = () => delaysMs.filter((delayMs) => delayMs === 5000).length;
    const before = renewals();
    await manual.advance(5000);
    await until(async () => renewals() > before);
    await ask('DEL', `${prefix}processes`);
    await manual.advance(5000);
    await until(async () => said.length === 4);
    expect(said).toEqual([together, away, together, away]);
    // It had stood long enough to be tried again soon.
    expect(delaysMs.at(-1)).toBe(100);
    await manual.advance(100);
    await until(async () => (await countedBy(limiter)) === 'shared');
  });

  test('is watched like the one before it, whose calls are forgotten', async () => {
    const redis = await ownRedis();
    const clock = new ManualClock();
    const { said, log } = listening();
    const limiter = await open({ url: redis.url, timeoutMs: 50, clock, log });
    const caller = limitedBy({ requestsPerMinute: 10 });
    for (const pauseMs of [100, 200]) {
      redis.pause();
      const waiting = limiter.admit(caller);
      await clock.advance(60);
      await waiting;
      expect(said.at(-1)).toBe(away);
      redis.resume();
      await clock.advance(pauseMs);
      await until(async () => (await countedBy(limiter)) === 'shared');
      // All is answered: nobody is late.
      await clock.advance(200);
      expect(await countedBy(limiter)).toBe('shared');
    }
    expect(said).toEqual([together, away, together, away, together]);
  });

  test.each([
    ['an error', '-ERR not today\r\n'],
    ['a word', '+OK\r\n'],
    ['a list of other things', '*2\r\n:0\r\n$2\r\nno\r\n'],
  ])('is ended by an answer that is %s, and the request is decided here', async (_, reply) => {
    const line = await proxy();
    const clock = new ManualClock();
    const { said, log } = listening();
    const limiter = await open({ url: line.url, clock, log });
    line.meet(scripts.admit.sha, (call) => call.answer(reply));
    const caller = limitedBy({ requestsPerMinute: 1 });
    expect(await admitted(limiter, caller, 2)).toBe(1);
    expect(said).toEqual([together, away]);
    await clock.advance(100);
    await until(async () => (await countedBy(limiter)) === 'shared');
    expect(await isAdmitted(limiter, caller)).toBe(false);
  });
});
