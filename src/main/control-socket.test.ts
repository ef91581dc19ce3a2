import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import { openLog } from '../base/log.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { Wallets } from '../ledger/index.ts';
import { providerAdapters } from '../providers/index.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import { loadConfiguration } from './configuration.ts';
import { askRunningServer, openControlSocket } from './control-socket.ts';
import { startSluice } from './start.ts';

const signInLink = z.object({ path: z.string(), address: z.string() });

describeOnEachDatabase('a server that the command line asks', (openDatabase, database) => {
  if (database.kind !== 'embedded') return;

  test.each([
    ['where it listens', {}],
    ['its public address, where it has one', { SLUICE_PUBLIC_URL: 'https://sluice.example' }],
  ])('makes a sign-in link that works, and says %s', async (_what, variables: Record<string, string>) => {
    const prepared = await database.prepare();
    const configuration = await loadConfiguration(
      { ...prepared.variables, PORT: '0', ...variables },
      providerAdapters,
    );
    const running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    const owner = running.welcome?.ownerEmail;
    const { dataDir } = configuration.environment;
    const link = signInLink.parse(await askRunningServer(dataDir, 'users sign-in-link', { owner }));
    expect(link.address).toBe(variables['SLUICE_PUBLIC_URL'] ?? running.url);
    const headers = { accept: 'text/html' };
    const init = { method: 'POST', redirect: 'manual', headers } as const;
    const page = await fetch(`${running.url}${link.path}`, init);
    expect(page.status).toBe(303);
    // Of a command line that is newer than the server.
    const unknown = Reflect.apply(askRunningServer, undefined, [dataDir, 'users rename', {}]);
    await expect(unknown).rejects.toThrow('of another version and does not know `users rename`');
    await running.stop();
    await prepared.discard();
  });

  test('says and logs why the database refused a command', async () => {
    const storage = await openDatabase();
    const wallets = new Wallets({ db: storage.db, changes: storage.changes, clock: systemClock });
    const parts = { storage, wallets, clock: systemClock, ids: systemIds };
    const details: unknown[] = [];
    const { dataDir } = storage.options;
    const control = await openControlSocket(
      dataDir,
      { ...parts, tokenPrefix: 'sk', address: () => null },
      { error: (_message, fields) => void details.push(fields?.detail) },
    );
    await storage.db.execute(sql`ALTER TABLE api_keys RENAME TO other_keys`);
    const reason = '42P01: relation "api_keys" does not exist';
    await expect(askRunningServer(dataDir, 'keys list', {})).rejects.toThrow(
      `The server could not carry it out: ${reason}`,
    );
    expect(details).toEqual([reason]);
    await control.close();
    await storage.close();
  });
});

describe('a server that does not answer the command line', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sluice-control-'));
    await mkdir(join(dataDir, 'run'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));
  const listen = (fetch: () => Promise<Response>) =>
    Bun.serve({ unix: join(dataDir, 'run', 'control.sock'), fetch });

  test('may still carry a command out that it was told, after half an hour as well', async () => {
    const heard = Promise.withResolvers<void>();
    const server = listen(() => {
      heard.resolve();
      return new Promise<Response>(() => undefined);
    });
    const clock = new ManualClock();
    const asked = askRunningServer(dataDir, 'wallet check', {}, clock).catch((thrown: unknown) => thrown);
    await heard.promise;
    await clock.advance(29 * 60_000);
    expect(await Promise.race([asked, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(60_000);
    expect(String(await asked)).toContain(
      'has not answered for 30 minutes. It may have carried the command out',
    );
    await server.stop(true);
  });

  test('may have carried a command out when it ends in the middle of it', async () => {
    const server = listen(async () => {
      await server.stop(true);
      return new Response();
    });
    await expect(askRunningServer(dataDir, 'wallet check', {})).rejects.toThrow(
      'ended the connection before it answered. It may have carried the command out',
    );
  });

  test('was told nothing where nobody listens, as while another command has the folder', async () => {
    const lock = await lockDataDir(dataDir);
    const held = askRunningServer(dataDir, 'wallet check', {});
    await expect(held).rejects.toThrow(
      `Process ${process.pid} has the data folder ${dataDir} and takes no commands: it is another command`,
    );
    await lock.release();
    await expect(askRunningServer(dataDir, 'wallet check', {})).rejects.toThrow(
      'has ended meanwhile. Try again.',
    );
  });
});
