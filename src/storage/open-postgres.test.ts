/** A PostgreSQL server through what happens to connections and replicas. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type SQL, sql } from 'drizzle-orm';
import { type TestDatabase, testDatabases } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Executor } from './database.ts';
import { DatabaseClient } from './database-client.ts';
import { readAddresses } from './database-url.ts';
import { longStatement } from './long-statement.ts';
import { applyMigrations } from './migrations.ts';
import { openStorage } from './open-storage.ts';
import { plannedOnce } from './planned-once.ts';
import { users } from './schema/identity.ts';
import type { Storage } from './storage.ts';

/** Stands in front of the server, and lets connections go silent as a firewall does that forgets them. */
async function startSilencer(databaseUrl: string, begin = (startup: Buffer): Uint8Array => startup) {
  const url = new URL(databaseUrl);
  const { hostname, port } = url;
  const lines = new Set<{ readonly sockets: readonly Socket[]; isSilent: boolean }>();
  const listener = createServer((client) => {
    const server = connect(Number(port === '' ? 5432 : port), hostname);
    const line = { sockets: [client, server], isSilent: false };
    lines.add(line);
    let hasBegun = false;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (piece) => {
        if (line.isSilent) return;
        const isStartup = from === client && !hasBegun;
        hasBegun ||= isStartup;
        to.write(isStartup ? begin(Buffer.from(piece)) : piece);
      });
      from.on('close', () => to.destroy());
      from.on('error', () => from.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    url: url.href,
    /** Those that there are; new ones speak. */
    silence: () => {
      for (const line of lines) line.isSilent = true;
    },
    async close() {
      for (const { sockets } of lines) for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** A startup message (its length, the protocol's version, names and values, a zero) of a session that takes no writes. */
function readOnlySession(startup: Buffer): Uint8Array {
  const option = 'options\0-c default_transaction_read_only=on\0\0';
  const message = Buffer.concat([startup.subarray(0, -1), Buffer.from(option)]);
  message.writeInt32BE(message.length);
  return message;
}

const choice = testDatabases.find(({ kind }) => kind === 'postgres');
const need = choice === undefined ? ' (needs SLUICE_TEST_POSTGRES_URL)' : '';

describe.skipIf(choice === undefined)(`storage on PostgreSQL${need}`, () => {
  let storage: TestDatabase;
  /** A second process, as far as the database can tell. One connection, which it does not end itself. */
  let replica: Storage;

  beforeAll(async () => {
    if (choice === undefined) return;
    storage = await choice.open();
    replica = await openStorage({ ...storage.options, poolSize: 1 });
  });
  afterAll(async () => {
    await replica.close();
    await storage.close();
  });
  beforeEach(async () => {
    await replica.db.delete(users);
  });

  const addUser = async (executor: Executor, name: string) => {
    await executor.insert(users).values({ email: `${name}@example.test`, role: 'member' });
  };
  const names = async () => {
    const rows = await replica.db.select({ email: users.email }).from(users).orderBy(users.email);
    return rows.map(({ email }) => email.replace('@example.test', ''));
  };
  const backendOf = async (executor: Executor) => {
    const {
      rows: [row],
    } = await executor.execute(sql`SELECT pg_backend_pid() AS pid`);
    return Number(row?.['pid']);
  };
  const end = async (pid: number) => {
    await replica.db.execute(sql`SELECT pg_terminate_backend(${pid}::integer, 5000)`);
  };

  test('a statement is planned once a connection where it says so, and anew when its tables have changed', async () => {
    const { db } = replica;
    const count = async (start: SQL) => {
      const { rows } = await db.execute(
        sql`${start}WITH anybody AS (SELECT * FROM ${users} WHERE email <> ${'x'}) SELECT count(*)::integer AS n FROM anybody`,
      );
      return Number(rows[0]?.['n']);
    };
    const plans = async () => {
      const { rows } = await db.execute(sql`SELECT statement FROM pg_prepared_statements`);
      return rows.length;
    };
    expect([await count(sql``), await plans()]).toEqual([0, 0]);
    expect([await count(plannedOnce), await count(plannedOnce), await plans()]).toEqual([0, 0, 1]);
    await addUser(db, 'planned');
    await db.execute(sql`ALTER TABLE ${users} ADD COLUMN "added_meanwhile" integer`);
    expect([await count(plannedOnce), await plans()]).toEqual([1, 1]);
    await db.execute(sql`ALTER TABLE ${users} DROP COLUMN "added_meanwhile"`);
    expect(await count(plannedOnce)).toBe(1);
    await end(await backendOf(db)).catch(() => undefined);
    expect(await count(plannedOnce)).toBe(1);
  });

  test('a statement that may take minutes is waited for where an ordinary one is given up', async () => {
    const clock = new ManualClock();
    const own = await openStorage({ ...storage.options, poolSize: 2, clock });
    await replica.db.execute(sql`SELECT pg_advisory_lock(9753)`);
    const ask = (start: SQL) =>
      own.db.execute(sql`${start}SELECT pg_advisory_xact_lock_shared(9753)`).then(
        () => 'answered',
        () => 'given up',
      );
    const [ordinary, long] = [ask(sql``), ask(longStatement)];
    for (let waiting = 0; waiting < 2; ) {
      const { rows } = await storage.db.execute(sql`SELECT FROM pg_locks WHERE objid = 9753 AND NOT granted`);
      waiting = rows.length;
    }
    await clock.advance(30_000);
    expect(await ordinary).toBe('given up');
    await clock.advance(269_999);
    await replica.db.execute(sql`SELECT pg_advisory_unlock(9753)`);
    expect(await long).toBe('answered');
    await own.close();
  });

  test('replicas that migrate at once take turns', async () => {
    const fresh = await choice?.open({ migrated: false });
    if (fresh === undefined) return;
    const others = await Promise.all([1, 2, 3].map(() => openStorage(fresh.options)));
    const reports = await Promise.all([fresh, ...others].map((one) => one.migrate()));
    const applied = reports.map((report) => report.applied).filter((tags) => tags.length > 0);
    expect(applied).toEqual([expect.arrayContaining(['0000_first'])]);
    await Promise.all(others.map((one) => one.close()));
    await fresh.close();
  });

  test('a change is heard by every replica', async () => {
    const heard = [storage, replica].map(
      ({ changes }) => new Promise<string>((resolve) => changes.subscribe('everywhere', resolve)),
    );
    await storage.changes.publish(storage.db, 'everywhere', 'key');
    expect(await Promise.all(heard)).toEqual(['key', 'key']);
  });

  test('a change is not told while its transaction is open', async () => {
    const heard: string[] = [];
    const told = Promise.withResolvers<void>();
    const stop = replica.changes.subscribe('order', (key) => {
      heard.push(key);
      if (key === 'held') told.resolve();
    });
    await storage.db.transaction(async (transaction) => {
      await storage.changes.publish(transaction, 'order', 'held');
      const passed = new Promise<string>((resolve) => replica.changes.subscribe('passed', resolve));
      await storage.changes.publish(storage.db, 'order', 'free');
      await storage.changes.publish(storage.db, 'passed', '');
      await passed;
      expect(heard).toEqual(['free']);
    });
    await told.promise;
    expect(heard).toEqual(['free', 'held']);
    stop();
  });

  test('listening goes on after its connection was lost, and everything may have changed', async () => {
    const told = new Promise<string>((resolve) => storage.changes.subscribe('lost', resolve));
    const {
      rows: [row],
    } = await replica.db.execute(sql`
      SELECT array_agg(pid)::text AS pids FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN %'`);
    const pids = String(row?.['pids']).match(/\d+/g) ?? [];
    expect(pids.length).toBe(2);
    for (const pid of pids) await end(Number(pid));
    expect(await told).toBe('*');
    const toldAgain = new Promise<string>((resolve) => storage.changes.subscribe('found', resolve));
    await replica.changes.publish(replica.db, 'found', 'again');
    expect(await toldAgain).toBe('again');
  });

  test.each(['before its next statement', 'during a statement', 'inside a transaction of its own'])(
    'a transaction whose connection is lost %s is undone, and the next one works',
    async (moment) => {
      const lost = storage.db.transaction(async (transaction) => {
        await addUser(transaction, 'lost');
        const pid = await backendOf(transaction);
        if (moment === 'during a statement') {
          const sleep = transaction.execute(sql`SELECT pg_sleep(60)`).then(() => undefined);
          await Promise.all([sleep, end(pid)]);
        }
        await end(pid);
        if (moment === 'before its next statement') await addUser(transaction, 'late');
        else await transaction.transaction((inner) => addUser(inner, 'inner'));
      });
      await expect(lost).rejects.toThrow();
      await storage.db.transaction((transaction) => addUser(transaction, 'next'));
      expect(await names()).toEqual(['next']);
    },
  );

  test('listening goes on within a minute after its connection went silent, and everything may have changed', async () => {
    const clock = new ManualClock();
    const line = await startSilencer(storage.options.databaseUrl ?? '');
    const own = await openStorage({ ...storage.options, databaseUrl: line.url, clock });
    const heard: string[] = [];
    own.changes.subscribe('silent', (key) => heard.push(key));
    line.silence();
    await replica.changes.publish(replica.db, 'silent', 'missed');
    await clock.advance(30_000);
    expect(heard).toEqual([]);
    const told = new Promise<string>((resolve) => own.changes.subscribe('silent', resolve));
    await clock.advance(30_000);
    expect(await told).toBe('*');
    const toldAgain = new Promise<string>((resolve) => own.changes.subscribe('found', resolve));
    await replica.changes.publish(replica.db, 'found', 'again');
    expect(await toldAgain).toBe('again');
    await own.close();
    await line.close();
  });

  test('statements of a transaction that lost its connection never run in another one', async () => {
    const single = await openStorage({ ...storage.options, poolSize: 1 });
    const isLost = Promise.withResolvers<void>();
    const otherIsOpen = Promise.withResolvers<void>();
    const lateIsSent = Promise.withResolvers<void>();
    const lost = single.db.transaction(async (transaction) => {
      await end(await backendOf(transaction));
      isLost.resolve();
      await otherIsOpen.promise;
      await addUser(transaction, 'late').finally(lateIsSent.resolve);
    });
    const refused = lost.catch((error: unknown) => error);
    await isLost.promise;
    await single.db.transaction(async (transaction) => {
      await addUser(transaction, 'other-1');
      otherIsOpen.resolve();
      await lateIsSent.promise;
      await addUser(transaction, 'other-2');
    });
    await single.close();
    expect(await refused).toBeInstanceOf(Error);
    expect(await names()).toEqual(['other-1', 'other-2']);
  });

  test('losing every connection in the middle of the work stops none of the work after it', async () => {
    const outcomes = Array.from({ length: 40 }, (_, number) =>
      storage.db
        .transaction(async (transaction) => {
          await addUser(transaction, `storm-${number}`);
          await transaction.execute(sql`SELECT pg_sleep(0.01)`);
        })
        .then(
          () => true,
          () => false,
        ),
    );
    for (let round = 0; round < 5; round += 1) {
      await replica.db.execute(sql`
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND query NOT LIKE 'LISTEN %' AND pid <> pg_backend_pid()`);
    }
    const committed = (await Promise.all(outcomes)).filter(Boolean).length;
    // A commit whose answer was lost is in, and told as an error.
    expect((await names()).length).toBeGreaterThanOrEqual(committed);
    const after = await Promise.all(
      Array.from({ length: 12 }, () => storage.db.transaction((transaction) => backendOf(transaction))),
    );
    expect(new Set(after).size).toBeLessThanOrEqual(storage.options.poolSize ?? 0);
  });

  test('its URL names hosts to try in turn, whether with TLS, and settings of its sessions', async () => {
    const url = new URL(storage.options.databaseUrl ?? '');
    url.search = new URLSearchParams({
      sslmode: 'prefer',
      statement_timeout: '7s',
      lock_timeout: '1 min',
    }).toString();
    const databaseUrl = url.href.replace(`@${url.host}`, `@127.0.0.1:1,${url.host}`);
    const other = await openStorage({ ...storage.options, databaseUrl, poolSize: 1 });
    // Migrating has a limit of its own, and leaves the one of the address to those after it.
    await other.migrate();
    const { rows } = await other.db.execute(sql`
      SELECT current_setting('statement_timeout') AS statements, current_setting('lock_timeout') AS locks,
        current_setting('application_name') AS name`);
    await other.close();
    expect(rows).toEqual([{ statements: '7s', locks: '1min', name: 'sluice' }]);
    url.search = 'sslmode=require';
    await expect(openStorage({ ...storage.options, databaseUrl: url.href })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('it does not speak TLS'),
    });
  });

  test('a server that takes no writes is no server to connect to where its URL asks for one that does', async () => {
    const fresh = await choice?.open({ migrated: false });
    if (fresh === undefined) return;
    const url = new URL(fresh.options.databaseUrl ?? '');
    url.search = 'target_session_attrs=read-write&connect_timeout=5&channel_binding=prefer';
    const writable = await openStorage({ ...fresh.options, databaseUrl: url.href });
    await writable.close();
    await fresh.db.execute(
      sql`ALTER DATABASE ${sql.identifier(url.pathname.slice(1))} SET default_transaction_read_only = on`,
    );
    await expect(openStorage({ ...fresh.options, databaseUrl: url.href })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('it takes no writes'),
    });
    await fresh.close();
  });

  test('a connection that a fail-over led to a standby is given up, and is no sound database meanwhile', async () => {
    const fresh = await choice?.open({ migrated: false });
    if (fresh === undefined) return;
    const name = sql.identifier(new URL(fresh.options.databaseUrl ?? '').pathname.slice(1));
    await fresh.db.execute(sql`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const led = await openStorage({ ...fresh.options, poolSize: 1 });
    const write = () => led.db.execute(sql`CREATE TABLE written (number integer)`);
    await expect(led.ping()).rejects.toThrow('takes no writes');
    await expect(write().execute()).rejects.toMatchObject({ cause: { code: '25006' } });
    await fresh.db.execute(sql`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await write();
    await led.close();
    await fresh.close();
  });

  test('of a list of hosts one that has become a standby is left for the next', async () => {
    const databaseUrl = storage.options.databaseUrl ?? '';
    const [standby, primary] = [
      await startSilencer(databaseUrl, readOnlySession),
      await startSilencer(databaseUrl),
    ];
    const [from, to] = [new URL(standby.url).host, new URL(primary.url).host];
    const led = await openStorage({
      ...storage.options,
      databaseUrl: standby.url.replace(from, `${from},${to}`),
      poolSize: 1,
    });
    const write = async () => await led.db.execute(sql`CREATE TABLE IF NOT EXISTS led (number integer)`);
    await expect(write()).rejects.toMatchObject({ cause: { code: '25006' } });
    await write();
    await led.close();
    await Promise.all([standby.close(), primary.close()]);
  });

  test('a pool that is busy is no database that is away', async () => {
    const single = await openStorage({ ...storage.options, poolSize: 1 });
    const over = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const busy = single.db.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT 1`);
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    expect(await single.ping()).toBeGreaterThan(0);
    over.resolve();
    await busy;
    await single.close();
  });

  test('whoever comes while another migrates waits for it, and says so', async () => {
    const fresh = await choice?.open({ migrated: false });
    if (fresh === undefined) return;
    const client = new DatabaseClient({
      ...{ addresses: readAddresses(fresh.options.databaseUrl ?? ''), poolSize: 1, connectTimeoutMs: 5000 },
      ...{ clock: systemClock, keepsPlans: true },
    });
    const said = Promise.withResolvers<string>();
    const { migrating } = await fresh.db.transaction(async (first) => {
      await first.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('sluice migrations', 0))`);
      const migrating = client.onOneConnection((db) =>
        applyMigrations(db, { lockLimitMs: 1000, onWarning: said.resolve }),
      );
      expect(await Promise.race([said.promise, migrating])).toContain('is waited for');
      return { migrating };
    });
    expect((await migrating).applied.length).toBeGreaterThan(0);
    await client.close();
    await fresh.close();
  });

  test('an error of a statement costs no connection, and none of another transaction', async () => {
    const single = await openStorage({ ...storage.options, poolSize: 1 });
    const before = await backendOf(single.db);
    const divide = async (executor: Executor) => {
      await executor.execute(sql`SELECT 1 / 0`);
    };
    await expect(divide(single.db)).rejects.toMatchObject({ cause: { code: '22012' } });
    await expect(single.db.transaction(divide)).rejects.toMatchObject({ cause: { code: '22012' } });
    expect(await backendOf(single.db)).toBe(before);
    await single.close();
  });

  test('a lost connection is told by the error of the statement that found out', async () => {
    const lost = storage.db.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
    });
    await expect(lost).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { cause: { code: '57P01' } },
    });
  });

  test('its description names user, host and database, and not the password', () => {
    const { username, password, host, pathname } = new URL(storage.options.databaseUrl ?? '');
    expect(storage.describe()).toEndWith(`at ${username}@${host}${pathname}`);
    if (password !== '') expect(storage.describe()).not.toContain(password);
  });
});
