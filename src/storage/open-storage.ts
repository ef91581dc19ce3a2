/** The one way to the database, on a PostgreSQL server or on the embedded one in the data folder. */
import { dirname } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { ChangeListening, NotifyingChangeFeed } from './change-feed.ts';
import { type DataDirLock, lockDataDir } from './data-dir-lock.ts';
import { type ClientSettings, DatabaseClient } from './database-client.ts';
import { explainConnectError, readAddresses, readConnectTimeoutMs, readDatabaseUrl } from './database-url.ts';
import { keepCheckpoints } from './embedded/checkpoints.ts';
import { EmbeddedServer, socketPort } from './embedded/embedded-server.ts';
import { applyMigrations, readPendingMigrations } from './migrations.ts';
import { measureAnswerMs, readServerVersion } from './server-check.ts';
import type { Storage, StorageOptions } from './storage.ts';

const defaultPoolSize = 10;
const defaultConnectTimeoutMs = 10_000;

/** @throws StorageError, in one line that says what to do. */
export function openStorage(options: StorageOptions): Promise<Storage> {
  const { databaseUrl, dataDir, clock = systemClock } = options;
  const poolSize = options.poolSize ?? defaultPoolSize;
  const connectTimeoutMs = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const onWarning = options.onWarning ?? (() => undefined);
  if (databaseUrl === undefined) return openEmbedded({ dataDir, connectTimeoutMs, clock, onWarning });
  return openPostgres({ databaseUrl, poolSize, connectTimeoutMs, clock, onWarning });
}

interface PostgresOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { databaseUrl, poolSize, clock, onWarning } = options;
  const location = readDatabaseUrl(databaseUrl);
  const addresses = readAddresses(databaseUrl);
  const connectTimeoutMs = readConnectTimeoutMs(databaseUrl) ?? options.connectTimeoutMs;
  const settings: ClientSettings = {
    addresses,
    poolSize,
    connectTimeoutMs,
    clock,
    keepsPlans: true,
  };
  const limit = { limitMs: connectTimeoutMs, clock };
  const feed = new NotifyingChangeFeed(onWarning);
  const client = new DatabaseClient(settings);
  // Apart from the pool, because its connection must never be one that goes away with a transaction.
  const listener = new DatabaseClient({
    ...settings,
    poolSize: 1,
    onNotification: (payload) => feed.deliver(payload),
    onLost: () => void listening.resume(),
  });
  const listening = new ChangeListening(listener, clock, () => feed.everythingMayHaveChanged());
  const close = async (waitMs?: number) => {
    listening.stop();
    await Promise.all([client.close(waitMs), listener.close(waitMs)]);
  };

  const { db } = client;
  let version: string;
  try {
    // Each host but the last may use up its time before the one that answers is tried.
    version = await readServerVersion(db, { limitMs: connectTimeoutMs * addresses.length, clock });
    await listening.start();
  } catch (error) {
    await close(0);
    throw explainConnectError(error, location);
  }
  void listening.watch();
  return {
    db,
    kind: 'postgres',
    changes: feed,
    describe: () => `PostgreSQL ${version} at ${location.address}`,
    migrate: () => client.onOneConnection((connected) => applyMigrations(connected, { onWarning })),
    pendingMigrations: () => readPendingMigrations(db),
    // Whether the database can be reached is not whether the pool has a connection to spare.
    ping: () => firstOf([measureAnswerMs(db, limit), measureAnswerMs(listener.db, limit)]),
    close: () => close(),
  };
}

/** What the first of them says that does not fail; else why the first in the list did. */
async function firstOf<Value>(all: readonly [Promise<Value>, ...Promise<Value>[]]): Promise<Value> {
  return await Promise.any(all).catch(() => all[0]);
}

interface EmbeddedOptions {
  readonly dataDir: string;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

async function openEmbedded(options: EmbeddedOptions): Promise<Storage> {
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
      {
        // The driver takes the folder, and looks in it for the socket by the name that PostgreSQL gives its own.
        config: {
          host: dirname(server.socketPath),
          port: socketPort,
          user: 'postgres',
          password: '',
          database: 'postgres',
        },
        tlsSettings: [false],
        mustBeWritable: false,
      },
    ],
    // More would share one session: statements of one would land in the transaction of another.
    poolSize: 1,
    connectTimeoutMs,
    clock,
    // The session outlives the connection, which would meet the plans of the one before.
    keepsPlans: false,
    onNotification: (payload) => feed.deliver(payload),
    onLost: () => void listening.resume(),
  });
  const listening = new ChangeListening(client, clock, () => feed.everythingMayHaveChanged());
  const { db } = client;
  const disconnect = async (waitMs?: number) => {
    listening.stop();
    await client.close(waitMs);
  };
  let version: string;
  try {
    version = await readServerVersion(db, limit);
    await listening.start();
  } catch (error) {
    // Otherwise it would look for the server that is closed next, and the process would never end.
    await disconnect(0);
    throw error;
  }
  const checkpoints = keepCheckpoints({ db, clock, onWarning });
  const close = async () => {
    await checkpoints.close();
    await disconnect();
    await server.close();
    await lock.release();
  };
  let closing: Promise<void> | undefined;
  return {
    db,
    kind: 'embedded',
    changes: feed,
    describe: () => `embedded PostgreSQL ${version} in ${lock.dataDir}`,
    migrate: () => client.onOneConnection((connected) => applyMigrations(connected, { onWarning })),
    pendingMigrations: () => readPendingMigrations(db),
    ping: () => measureAnswerMs(db, limit),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
