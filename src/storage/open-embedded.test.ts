/** The embedded database through what happens to processes: a kill, a second one, a thread that breaks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { type PreparedDatabase, prepareEmbedded } from '../../test/support/databases.ts';
import { openStorage } from './open-storage.ts';
import { users } from './schema/identity.ts';
import type { Storage } from './storage.ts';

const writerPath = fileURLToPath(new URL('./fixtures/write-rows.ts', import.meta.url));
const openerPath = fileURLToPath(new URL('./fixtures/open-once.ts', import.meta.url));
const enoughRows = 40;

describe('the embedded database', () => {
  let prepared: PreparedDatabase;
  let dataDir: string;
  let writer: WriterOutcome;
  let storage: Storage;
  const warnings: string[] = [];

  beforeAll(async () => {
    prepared = await prepareEmbedded();
    dataDir = prepared.options.dataDir;
    writer = await writeUntilKilled(dataDir);
    storage = await openStorage({ dataDir, onWarning: (warning) => warnings.push(warning) });
  });
  afterAll(async () => {
    await storage.close();
    await prepared.discard();
  });

  test('a second process is refused, and told which one is in the way', () => {
    expect(writer.refusal).toMatchObject({
      code: 'data_dir_in_use',
      holderPid: writer.pid,
      message: expect.stringContaining(`${dataDir} is in use by process ${writer.pid}`),
    });
  });

  test('a kill loses no row that was acknowledged, and the next start takes over', async () => {
    const rows = await storage.db.select({ email: users.email }).from(users);
    const kept = new Set(rows.map(({ email }) => email));
    expect(writer.acknowledged.length).toBeGreaterThanOrEqual(enoughRows);
    expect(writer.acknowledged.filter((number) => !kept.has(`row-${number}@example.test`))).toEqual([]);
  });

  test('what is acknowledged is on the disk', async () => {
    const {
      rows: [settings],
    } = await storage.db.execute(sql`
      SELECT current_setting('fsync') AS fsync, current_setting('wal_sync_method') AS method,
        current_setting('synchronous_commit') AS commits, current_setting('full_page_writes') AS pages`);
    expect(settings).toMatchObject({ fsync: 'on', method: 'fsync', commits: 'on', pages: 'on' });
  });

  test('only the owner can reach its files and its socket', async () => {
    for (const name of ['database', 'run']) {
      expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0);
    }
  });

  test('a thread that breaks is started again: rows are there, listeners are told, changes are heard', async () => {
    const before = await storage.db.$count(users);
    const told = new Promise<string>((resolve) => storage.changes.subscribe('people', resolve));
    breakThread(join(dataDir, 'run', '.s.PGSQL.5432'));
    expect(await told).toBe('*');
    expect(warnings).toEqual([
      expect.stringMatching(/^The embedded database stopped \(.+\) and is started again\.$/),
    ]);
    expect(await storage.db.$count(users)).toBe(before);
    const toldAgain = new Promise<string>((resolve) => storage.changes.subscribe('places', resolve));
    await storage.changes.publish(storage.db, 'places', 'home');
    expect(await toldAgain).toBe('home');
  });

  test('closing leaves neither socket nor process id behind', async () => {
    await storage.close();
    for (const name of ['run/.s.PGSQL.5432', 'sluice.pid']) {
      await expect(stat(join(dataDir, name))).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });
});

test('a process whose embedded database is refused ends by itself', async () => {
  const { options, discard } = await prepareEmbedded();
  const storage = await openStorage(options);
  // The start asks for the version, and is told that there is no such function.
  await storage.db.execute(sql`ALTER FUNCTION pg_catalog.current_setting(text) RENAME TO taken_away`);
  await storage.close();
  const opener = spawn(process.execPath, [openerPath, options.dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(opener, 'exit');
  try {
    const [said] = await once(opener.stdout, 'data');
    expect(String(said)).toBe('42883');
    expect(await exited).toEqual([0, null]);
  } finally {
    opener.kill('SIGKILL');
    await discard();
  }
});

interface WriterOutcome {
  readonly pid: number | undefined;
  /** Numbers of the rows whose insert was answered before the kill. */
  readonly acknowledged: readonly number[];
  /** What opening the same folder from here came to meanwhile. */
  readonly refusal: unknown;
}

async function writeUntilKilled(dataDir: string): Promise<WriterOutcome> {
  const writer = spawn(process.execPath, [writerPath, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  let refusal: unknown;
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged.push(Number(line));
    if (acknowledged.length === 1) refusal = await openStorage({ dataDir }).catch((error: unknown) => error);
    if (acknowledged.length === enoughRows) writer.kill('SIGKILL');
  }
  if (writer.signalCode === null && writer.exitCode === null) await once(writer, 'exit');
  return { pid: writer.pid, acknowledged, refusal };
}

/** A startup message that breaks off: PostgreSQL gives up the session, and PGlite has only that one. */
function breakThread(socketPath: string): void {
  const message = Buffer.alloc(12);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(3 << 16, 4);
  message.write('user', 8);
  const socket = connect(socketPath, () => socket.write(message));
  socket.on('error', () => socket.destroy());
}
