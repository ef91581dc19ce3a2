/** New requests as they come: whose, what they must fit, from where a browser goes on, how many at once, and when it ends. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase, type TestDatabase } from '../../../../test/support/databases.ts';
import { endSessionsOfUser, type User } from '../../../identity/index.ts';
import { openStorage } from '../../../storage/index.ts';
import { users } from '../../../storage/schema/identity.ts';
import type { UsageRecord } from '../../../usage/index.ts';
import { insertUsage, requestIdAt } from '../../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../../usage/testing/sample-record.ts';
import { origin, type TestPortal, withTestPortal } from '../../testing/test-portal.ts';

const path = '/dashboard/request-log/live';

describeOnEachDatabase('requests as they come', (open, { kind }) => {
  let storage: TestDatabase;
  let portal: TestPortal;
  withTestPortal(
    (opened) => {
      ({ storage, portal } = opened);
    },
    { open },
  );

  const recordOf = ({ id }: User, secondsAgo: number, change: Partial<UsageRecord> = {}) => {
    const startedAt = new Date(portal.nowMs() - secondsAgo * 1000);
    const people = { userId: id, payerId: id };
    return sampleRecord('', {
      requestId: requestIdAt(startedAt),
      startedAt,
      model: 'atlas',
      ...people,
      ...change,
    });
  };

  async function store(record: UsageRecord, { db }: Pick<TestDatabase, 'db'> = storage): Promise<string> {
    await insertUsage(db, [record]);
    return record.requestId;
  }

  async function follow({ cookie }: { cookie: string }, query = '', headers: Record<string, string> = {}) {
    const answer = await portal.app.request(`${origin}${path}${query}`, { headers: { cookie, ...headers } });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      return done ? null : (value ?? '');
    };
    return {
      answer,
      read,
      /** The ids of the next rows; null at the end. */
      async next(): Promise<readonly string[] | null> {
        for (;;) {
          const text = await read();
          if (text === null) return null;
          const data = /^data: (.*)$/m.exec(text)?.[1];
          if (data === undefined) continue;
          const { rows }: { rows: string } = JSON.parse(data);
          return [...rows.matchAll(/request-log\/([0-9a-f-]{36})/g)].map(([, id]) => id ?? '');
        }
      },
      leave: async () => await reader?.cancel(),
    };
  }

  test('are one’s own that fit the filter, also those that began before others', async () => {
    const own = await portal.signedIn();
    const other = await portal.signedIn();
    await store(recordOf(own.user, 10));
    const tail = await follow(own, '?model=atlas');
    expect(tail.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await tail.read()).toStartWith(':');
    await store(recordOf(other.user, 1));
    await store(recordOf(own.user, 1, { model: 'borea' }));
    const first = await store(recordOf(own.user, 2));
    expect(await tail.next()).toEqual([first]);
    const late = await store(recordOf(own.user, 30));
    expect(await tail.next()).toEqual([late]);
    await tail.leave();
  });

  test('say what they cost, also where those that were there before cost more', async () => {
    const own = await portal.signedIn();
    const tail = await follow(own, '?digits=4');
    await tail.read();
    await store(recordOf(own.user, 1, { costNanoUsd: 6200n }));
    for (let text = await tail.read(); text !== null; text = await tail.read()) {
      if (!text.includes('request-log/')) continue;
      expect(text).toContain('$0.000006');
      break;
    }
    await tail.leave();
  });

  test('come with how many there are now, which is not asked for at every turn', async () => {
    const own = await portal.signedIn();
    await store(recordOf(own.user, 60));
    const tail = await follow(own, '?model=atlas');
    await tail.read();
    const turnsBefore = portal.sleptMs.length;
    const told: string[] = [];
    // Nothing waits between turns here, so that some bring comments, and nobody knows how many pass while one is stored.
    const until = async (wanted: string) => {
      while (told.at(-1) !== wanted) {
        const text = await tail.read();
        if (text === null) throw new Error('it has ended');
        const bars = /(\d+) requests?, (\d+) failed/.exec(text)?.[0];
        if (bars !== undefined) told.push(bars);
      }
    };
    await store(recordOf(own.user, 2));
    await until('2 requests, 0 failed');
    await store(
      recordOf(own.user, 1, { status: 502, outcome: 'upstream_failed', errorCode: 'upstream_error' }),
    );
    await until('3 requests, 1 failed');
    for (const count of [4, 5, 6, 7]) {
      await store(recordOf(own.user, 1));
      await until(`${count} requests, 1 failed`);
    }
    // The first comes at once.
    expect(3 * (told.length - 1)).toBeLessThanOrEqual(portal.sleptMs.length - turnsBefore);
    await tail.leave();
  });

  test('go on where a browser had been', async () => {
    const own = await portal.signedIn();
    const known = await store(recordOf(own.user, 20));
    const missed = await store(recordOf(own.user, 5));
    for (const [query, headers] of [
      [`?since=${known}`, {}],
      ['', { 'last-event-id': known }],
    ] as const) {
      const tail = await follow(own, query, { ...headers });
      expect(await tail.next()).toEqual([missed]);
      await tail.leave();
    }
  });

  test('go on with one that began before what a browser knows and ended after it', async () => {
    const own = await portal.signedIn();
    const over = await store(recordOf(own.user, 90, { durationMs: 10_000 }));
    const known = await store(recordOf(own.user, 20, { durationMs: 1_000 }));
    const late = await store(recordOf(own.user, 60, { durationMs: 55_000 }));
    const tail = await follow(own, `?since=${known}`);
    const told = await tail.next();
    expect([told, told?.includes(over)]).toEqual([[late], false]);
    await tail.leave();
  });

  test('go on from the address where a client names what is no request', async () => {
    const own = await portal.signedIn();
    const known = await store(recordOf(own.user, 20));
    const missed = await store(recordOf(own.user, 5));
    const tail = await follow(own, `?since=${known}`, { 'last-event-id': 'x' });
    expect(await tail.next()).toEqual([missed]);
    await tail.leave();
  });

  test('leave it to pages to move the session on, which can tell the browser', async () => {
    const own = await portal.signedIn();
    const tail = await follow(own);
    await tail.read();
    portal.setNowMs(portal.nowMs() + 3_600_000);
    // By the third comment the session was looked at twice.
    for (let comments = 0; comments < 3; comments += 1) expect(await tail.read()).toStartWith(':');
    await tail.leave();
    const { answer } = await portal.ask('/dashboard/settings', { headers: { cookie: own.cookie } });
    expect(answer.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^sluice=.*Max-Age=604800/));
  });

  test('are not told beyond what a browser missed, which reads its page anew', async () => {
    const own = await portal.signedIn();
    const known = await store(recordOf(own.user, 1200));
    const quiet = await follow(own, `?since=${known}`);
    // Nothing came meanwhile, however long ago it was.
    expect(await quiet.read()).toStartWith(':');
    await quiet.leave();
    await store(recordOf(own.user, 600));
    await store(recordOf(own.user, 1));
    const tail = await follow(own, `?since=${known}`);
    expect(await tail.read()).toBe('data: {"isBehind":true}\n\n');
    expect(await tail.read()).toBeNull();
  });

  test('go on behind the newest, also where one that began before it came after it', async () => {
    const own = await portal.signedIn();
    const tail = await follow(own);
    await tail.read();
    const newest = await store(recordOf(own.user, 5));
    // Nothing waits between turns here, so that some may pass before it is stored.
    let first = await tail.read();
    while (first?.includes(newest) === false) first = await tail.read();
    const late = await store(recordOf(own.user, 60));
    let second = await tail.read();
    while (second?.includes(late) === false) second = await tail.read();
    expect([first, second].map((text) => /^id: (.*)$/m.exec(text ?? '')?.[1])).toEqual([newest, newest]);
    await tail.leave();
  });

  test('are none of before the list begins, such as a day that has not come', async () => {
    const own = await portal.signedIn();
    await store(recordOf(own.user, 5));
    const tomorrow = new Date(portal.nowMs() + 86_400_000).toISOString().slice(0, 10);
    const nil = '00000000-0000-0000-0000-000000000000';
    const tail = await follow(own, `?from=${tomorrow}&since=${nil}`);
    for (let turn = 0; turn < 3; turn += 1) expect(await tail.read()).toStartWith(':');
    await tail.leave();
  });

  test('say when there are more than are told at once', async () => {
    const own = await portal.signedIn();
    const known = await store(recordOf(own.user, 60));
    await insertUsage(
      storage.db,
      Array.from({ length: 49 }, () => recordOf(own.user, 30)),
    );
    const few = await follow(own, `?since=${known}`);
    await few.read();
    expect(await few.read()).not.toContain('isCut');
    await few.leave();
    await store(recordOf(own.user, 30));
    const tail = await follow(own, `?since=${known}`);
    await tail.read();
    expect(await tail.read()).toContain('"isCut":true');
    await tail.leave();
  });

  test('are told also on a page that had none', async () => {
    const own = await portal.signedIn();
    const html = { accept: 'text/html', cookie: own.cookie };
    const { text } = await portal.ask('/dashboard/request-log', { headers: html });
    const address = /data-tail="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const first = await store(recordOf(own.user, 1));
    const tail = await follow(own, new URL(address, origin).search);
    expect(await tail.next()).toEqual([first]);
    await tail.leave();
  });

  // The embedded database has one process alone.
  const onlyOnAServer = kind === 'embedded' ? () => undefined : test;
  onlyOnAServer('are those that another process stored', async () => {
    const own = await portal.signedIn();
    const elsewhere = await openStorage({ ...storage.options, poolSize: 1 });
    const tail = await follow(own);
    await tail.read();
    const id = await store(recordOf(own.user, 1), elsewhere);
    expect(await tail.next()).toEqual([id]);
    await tail.leave();
    await elsewhere.close();
  });

  test('end with the session, and with what its person may', async () => {
    const own = await portal.signedIn();
    const tail = await follow(own);
    await tail.read();
    await portal.write((work) => endSessionsOfUser(work, own.user.id));
    expect(await tail.next()).toBeNull();
    const suspended = await portal.signedIn();
    const other = await follow(suspended);
    await other.read();
    await storage.db.update(users).set({ status: 'suspended' }).where(eq(users.id, suspended.user.id));
    expect(await other.next()).toBeNull();
  });

  test('are told to four windows of a person at once, and to the next one once one is closed', async () => {
    const own = await portal.signedIn();
    const tails = await Promise.all([1, 2, 3, 4].map(() => follow(own)));
    const refused = await follow(own);
    expect([refused.answer.status, refused.answer.headers.get('retry-after')]).toEqual([429, '10']);
    const head = await portal.app.request(`${origin}${path}`, {
      method: 'HEAD',
      headers: { cookie: own.cookie },
    });
    expect(head.status).toBe(200);
    await tails[0]?.leave();
    const next = await follow(own);
    expect(next.answer.status).toBe(200);
    for (const tail of [...tails.slice(1), next]) await tail.leave();
  });

  test('are refused to who is not signed in, and for what is no filter', async () => {
    expect((await portal.ask(path)).status).toBe(401);
    const { cookie } = await portal.signedIn();
    for (const query of ['?since=x', '?digits=3', '?key=x', `?model=${'x'.repeat(10_000)}`]) {
      expect((await portal.ask(`${path}${query}`, { headers: { cookie } })).status).toBe(422);
    }
  });
});
