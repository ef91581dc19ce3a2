/** The token log on each database: what is kept of what happens to credentials, and how it is asked for. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { Storage } from '../storage/index.ts';
import { tokenEvents } from '../storage/schema/token-events.ts';
import { listIncidents } from './incidents.ts';
import type { PoolEvent } from './pool-events.ts';
import { readTokenLog, TokenLog, type TokenLogQuery, tokenLogKeeper } from './token-log.ts';

const limited: PoolEvent = {
  kind: 'rate_limited',
  provider: 'main',
  keyName: 'k1',
  model: 'big',
  source: 'request',
  errorKind: 'upstream_rate_limited',
  durationMs: null,
};
const cooldown = (durationMs: number): PoolEvent => ({ ...limited, kind: 'cooldown', durationMs });
const minuteMs = 60_000;

describeOnEachDatabase('the token log', (openDatabase) => {
  let storage: Storage;
  let clock: ManualClock;
  let log: TokenLog;

  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    clock = new ManualClock();
    log = new TokenLog({ storage, clock, ids: systemIds, log: silentLog });
    await storage.db.delete(tokenEvents);
  });

  const read = (query: TokenLogQuery = {}) => readTokenLog(storage.db, query, clock);
  const incidents = (sinceMs = 0) => listIncidents(storage.db, { sinceMs }, clock);

  /** @param atMinutes since the beginning. */
  async function happens(event: PoolEvent, atMinutes: number): Promise<void> {
    await clock.advance(Date.UTC(2030, 0, 1) + atMinutes * minuteMs - clock.nowMs());
    log.add(event);
    await log.flush();
  }

  test('has what happened, the newest first, by every field that can be asked for', async () => {
    const beganAtMs = clock.nowMs();
    await happens(limited, 0);
    await happens(cooldown(5000), 1);
    await happens({ ...limited, provider: 'other', keyName: 'k2' }, 2);
    await happens({ ...limited, kind: 'refresh_failed', source: 'renewal', errorKind: 'invalid_grant' }, 3);
    const kindsOf = async (query: TokenLogQuery) => (await read(query)).map(({ kind }) => kind);
    const all = ['refresh_failed', 'rate_limited', 'cooldown', 'rate_limited'];
    expect(await kindsOf({})).toEqual(all);
    expect(await kindsOf({ provider: '', keyName: '', source: '', errorKind: '', sinceMs: 0 })).toEqual(all);
    expect(await kindsOf({ provider: 'other' })).toEqual(['rate_limited']);
    expect(await kindsOf({ keyName: 'k2' })).toEqual(['rate_limited']);
    expect(await kindsOf({ kinds: ['cooldown', 'refresh_failed'] })).toEqual(['refresh_failed', 'cooldown']);
    expect(await kindsOf({ source: 'renewal' })).toEqual(['refresh_failed']);
    expect(await kindsOf({ errorKind: 'invalid_grant' })).toEqual(['refresh_failed']);
    expect(await kindsOf({ sinceMs: beganAtMs + minuteMs })).toEqual(all.slice(0, 3));
    expect(await kindsOf({ limit: 1, offset: 1 })).toEqual(['rate_limited']);
    expect(await kindsOf({ limit: -5, offset: -5 })).toEqual(['refresh_failed']);
    expect((await read({ kinds: ['cooldown'] }))[0]).toMatchObject({
      ...{ provider: 'main', keyName: 'k1', model: 'big', source: 'request', durationMs: 5000, count: 1 },
      atMs: beganAtMs + minuteMs,
    });
    await clock.advance(3 * 3_600_000 + 1);
    expect(await kindsOf({ windowHours: 3 })).toEqual([]);
    expect(await kindsOf({ windowHours: 4 })).toEqual(all);
  });

  test('tells a storm in a few rows, with their count and the longest time', async () => {
    for (let at = 0; at < 10_000; at += 1) {
      log.add(limited);
      log.add(cooldown(at));
    }
    await log.flush();
    expect((await read()).map(({ kind, count, durationMs }) => [kind, count, durationMs]).toSorted()).toEqual(
      [
        ['cooldown', 10_000, 9999],
        ['rate_limited', 10_000, null],
      ],
    );
  });

  test('drops and counts what is more than fits while it cannot be written', async () => {
    const warned: unknown[] = [];
    const heard: Log = {
      ...silentLog,
      warn: (message, fields) => void warned.push([message, fields?.count]),
    };
    const full = new TokenLog({ storage, clock, ids: systemIds, log: heard });
    for (let at = 0; at < 1500; at += 1) full.add({ ...limited, keyName: `k${at}` });
    await full.close();
    expect(await read({ limit: 1000 })).toHaveLength(1000);
    expect(warned).toEqual([['events of credentials were not kept: too many', 500]]);
    full.add(limited);
    await full.flush();
    expect(await storage.db.select().from(tokenEvents)).toHaveLength(1000);
  });

  test('is written by itself after a moment, and tried again where the database was away', async () => {
    let isAway = true;
    const moody: Storage = Object.create(storage, {
      db: {
        value: new Proxy(storage.db, {
          get: (db, name) =>
            name === 'transaction' && isAway
              ? () => Promise.reject(new Error('the connection broke'))
              : Reflect.get(db, name, db),
        }),
      },
    });
    const patient = new TokenLog({ storage: moody, clock, ids: systemIds, log: silentLog });
    patient.add(limited);
    await clock.advance(2000);
    patient.add(limited);
    await patient.flush();
    isAway = false;
    await clock.advance(10_000);
    await patient.flush();
    expect((await read()).map(({ count }) => count)).toEqual([2]);
    await patient.close();
  });

  test('keeps events for so many days, and no more than so many', async () => {
    for (let day = 0; day < 5; day += 1) await happens(limited, day * 24 * 60);
    const keep = async (keptDays: number, mostEvents?: number) => {
      const databaseMs = async () => clock.nowMs();
      const parts = { storage, clock, ids: systemIds, log: silentLog, databaseMs, keptDays };
      const keeper = tokenLogKeeper({ ...parts, ...(mostEvents === undefined ? {} : { mostEvents }) });
      // It waits for its next round once the first is over.
      while (clock.pendingTimers === 0) await clock.advance(0);
      await keeper.close();
      return (await storage.db.select().from(tokenEvents)).length;
    };
    expect(await keep(30)).toBe(5);
    expect(await keep(2)).toBe(3);
    expect(await keep(30, 1)).toBe(1);
  });

  test('tells incidents: what follows each other at a provider, until it has recovered', async () => {
    const beganAtMs = clock.nowMs();
    const recovered: PoolEvent = { ...limited, kind: 'recovered', errorKind: null };
    await happens(limited, 0);
    await happens(cooldown(20 * minuteMs), 1);
    await happens({ ...limited, kind: 'rotated', errorKind: null }, 2);
    await happens({ ...limited, keyName: 'k2' }, 25);
    await happens(recovered, 30);
    await happens({ ...limited, provider: 'other' }, 31);
    await happens(cooldown(60 * minuteMs), 90);
    expect(await incidents()).toEqual([
      {
        ...{
          provider: 'main',
          startedAtMs: beganAtMs + 90 * minuteMs,
          endedAtMs: beganAtMs + 150 * minuteMs,
        },
        ...{
          isOpen: true,
          kinds: ['cooldown'],
          errorKinds: ['upstream_rate_limited'],
          keyNames: ['k1'],
          events: 1,
        },
      },
      {
        ...{
          provider: 'other',
          startedAtMs: beganAtMs + 31 * minuteMs,
          endedAtMs: beganAtMs + 31 * minuteMs,
        },
        ...{
          isOpen: false,
          kinds: ['rate_limited'],
          errorKinds: ['upstream_rate_limited'],
          keyNames: ['k1'],
          events: 1,
        },
      },
      {
        ...{ provider: 'main', startedAtMs: beganAtMs, endedAtMs: beganAtMs + 30 * minuteMs, isOpen: false },
        kinds: ['cooldown', 'rate_limited', 'recovered'],
        ...{ errorKinds: ['upstream_rate_limited'], keyNames: ['k1', 'k2'], events: 4 },
      },
    ]);
    expect(await incidents(beganAtMs + 40 * minuteMs)).toHaveLength(1);
  });
});
