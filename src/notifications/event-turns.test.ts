/** Nobody’s events wait for somebody else’s: not for a process that hangs, a newer version, or an account with many. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { asc, inArray, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import type { Storage } from '../storage/storage.ts';
import type { WorkParts } from '../storage/work.ts';
import { spreadEvents } from './event-spreader.ts';
import { EventTurns } from './event-turns.ts';

describeOnEachDatabase('turns of events', (openDatabase, database) => {
  let storage: Storage;
  let parts: WorkParts;
  let made = 0;
  const clock = new ManualClock();
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds };
  });
  afterAll(() => storage.close());
  afterEach(async () => {
    await storage.db.delete(notificationEvents);
  });

  async function newUsers(count: number): Promise<readonly number[]> {
    const rows = Array.from({ length: count }, () => {
      made += 1;
      return { email: `waits-${made}@example.test`, role: 'member' } as const;
    });
    return (await storage.db.insert(users).values(rows).returning()).map(({ id }) => id);
  }
  async function newUser(): Promise<number> {
    const [id = 0] = await newUsers(1);
    return id;
  }
  async function raise(userId: number, count = 1, kind = 'wallet.low'): Promise<void> {
    made += 1;
    await storage.db.execute(sql`
      INSERT INTO ${notificationEvents} (kind, dedup_key, audience, audience_id, facts, created_at)
      SELECT ${kind}, ${`many ${made} `}::text || n, 'account', ${userId}::bigint, '{"balance_usd":"1","level_usd":"2"}',
        ${new Date(clock.nowMs()).toISOString()}::timestamptz FROM generate_series(1, ${count}::int) AS n`);
  }
  const told = async () =>
    (await storage.db.select().from(mailOutbox).orderBy(asc(mailOutbox.id))).map(
      ({ accountId }) => accountId ?? 0,
    );

  test('go on where another process hangs over those that are first', async () => {
    // The other kind of database has one connection.
    if (database.kind !== 'postgres') return;
    const ids = await newUsers(45);
    for (const id of ids) await raise(id);
    await storage.db.transaction(async (hanging) => {
      const held = hanging.select().from(notificationEvents).orderBy(asc(notificationEvents.id)).limit(40);
      await held.for('update');
      expect(await spreadEvents(parts)).toBe(5);
      expect(await spreadEvents(parts)).toBe(0);
    });
    expect(await told()).toEqual(ids.slice(40));
    while ((await spreadEvents(parts)) > 0);
    expect(await told()).toHaveLength(45);
  });

  test('go on where another process hangs over an event of the same contacts', async () => {
    if (database.kind !== 'postgres') return;
    const id = await newUser();
    await storage.db.insert(notificationContacts).values({ userId: id, email: 'books@example.test' });
    await raise(id);
    const { promise: isHanging, resolve: hang } = Promise.withResolvers<void>();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const db = new Proxy(storage.db, {
      get: (real, name) =>
        name === 'transaction'
          ? (run: Parameters<typeof real.transaction>[0]) =>
              real.transaction(async (executor) => {
                const result = await run(executor);
                hang();
                await isOver;
                return result;
              })
          : Reflect.get(real, name, real),
    });
    const hanging = spreadEvents({ ...parts, storage: { db, changes: storage.changes } }, 1);
    await isHanging;
    await raise(id);
    try {
      expect(await spreadEvents(parts)).toBe(1);
      expect(await told()).toEqual([id, id]);
    } finally {
      end();
      await hanging;
    }
  });

  test('wait for no 2,500 of a kind that a newer version alone knows', async () => {
    const [of, other] = await newUsers(2);
    await raise(of ?? 0, 2500, 'of.tomorrow');
    await raise(of ?? 0);
    await raise(other ?? 0);
    expect(await spreadEvents(parts)).toBe(2);
    expect(await told()).toEqual([of ?? 0, other ?? 0]);
  });

  test('wait for no account with 2,500 of them and many contacts', async () => {
    const busy = await newUser();
    const late = await newUsers(30);
    await storage.db
      .insert(notificationContacts)
      .values(Array.from({ length: 30 }, (_, at) => ({ userId: busy, email: `c${at}@example.test` })));
    await raise(busy, 2500);
    for (const id of late) await raise(id);
    const turns = new EventTurns();
    for (let times = 0; times < 4; times += 1) await spreadEvents(parts, 10, turns);
    const own = inArray(mailOutbox.accountId, [...late]);
    expect(await storage.db.$count(mailOutbox, own)).toBe(30);
    for (let times = 0; times < 2; times += 1) await spreadEvents(parts, 10, turns);
    const [first] = await storage.db.select().from(notificationEvents).orderBy(asc(notificationEvents.id));
    expect(first?.spreadTo).toBeGreaterThan(0);
  });

  test('are taken of one account after the other by a process that goes round them', async () => {
    const ids = await newUsers(50);
    for (const id of ids) await raise(id, 2);
    const turns = new EventTurns();
    const rounds: number[][] = [];
    for (let times = 0; times < 3; times += 1) {
      const before = (await told()).length;
      await spreadEvents(parts, 1000, turns);
      rounds.push((await told()).slice(before));
    }
    expect(rounds).toEqual([ids.slice(0, 20), ids.slice(20, 40), [...ids.slice(40), ...ids.slice(0, 10)]]);
  });
});
