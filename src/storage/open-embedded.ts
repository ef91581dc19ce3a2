/** Storage in the data folder, for one process on one machine. */
import { dirname } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { NotifyingChangeFeed } from './change-feed.ts';
import { ChangeListening } from './change-listening.ts';
import { type DataDirLock, lockDataDir } from './data-dir-lock.ts';
import { DatabaseClient } from './database-client.ts';
import { EmbeddedServer, socketPort } from './embedded/embedded-server.ts';
import { applyMigrations, readPendingMigrations } from './migrations.ts';
import { measureAnswerMs, readServerVersion } from './server-check.ts';
import type { Storage } from './storage.ts';

interface EmbeddedOptions {
  readonly dataDir: string;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Storage> {
  const lock = await lockDataDir(options.dataDir);
  try {
    const server = await EmbeddedServer.start({
      dataDir: lock.dataDir,
      clock: options.clock,
      onWarning: options.onWarning,
    });
    try {
      return await connect(options, lock, server);
    } catch (error) {
      await server.close();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function connect(
  options: EmbeddedOptions,
  lock: DataDirLock,
  server: EmbeddedServer,
): Promise<Storage> {
  const { connectTimeoutMs, clock, onWarning } = options;
  const limit = { limitMs: connectTimeoutMs, clock };
  const feed = new NotifyingChangeFeed(onWarning);
  const client = new DatabaseClient({
    addresses: [
      // The driver takes the folder, and looks in it for the socket by the name that PostgreSQL gives its own.
      {
        host: dirname(server.socketPath),
        port: socketPort,
        user: 'postgres',
        password: '',
        database: 'postgres',
        ssl: false,
      },
    ],
    // More would share one session: statements of one would land in the transaction of another.
    poolSize: 1,
    connectTimeoutMs,
    clock,
    onNotification: (payload) => feed.deliver(payload),
    onLost: () => void listening.resume(),
  });
  const listening = new ChangeListening(client, clock, () => feed.everythingMayHaveChanged());
  const { db } = client;
  const version = await readServerVersion(db, limit);
  await listening.start();
  const close = async () => {
    listening.stop();
    await client.close();
    await server.close();
    await lock.release();
  };
  let closing: Promise<void> | undefined;
  return {
    db,
    kind: 'embedded',
    changes: feed,
    describe: () => `embedded PostgreSQL ${version} in ${lock.dataDir}`,
    migrate: () => client.onOneConnection(applyMigrations),
    pendingMigrations: () => readPendingMigrations(db),
    ping: () => measureAnswerMs(db, limit),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
