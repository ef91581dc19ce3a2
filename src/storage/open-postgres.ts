/** Storage on a PostgreSQL server, shared by as many processes as like. */
import type { Clock } from '../base/clock.ts';
import { NotifyingChangeFeed } from './change-feed.ts';
import { ChangeListening } from './change-listening.ts';
import { explainConnectError } from './connect-error.ts';
import { type ClientSettings, DatabaseClient } from './database-client.ts';
import { readAddresses, readDatabaseUrl } from './database-url.ts';
import { applyMigrations, readPendingMigrations } from './migrations.ts';
import { measureAnswerMs, readServerVersion } from './server-check.ts';
import type { Storage } from './storage.ts';

interface PostgresOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { databaseUrl, poolSize, connectTimeoutMs, clock, onWarning } = options;
  const location = readDatabaseUrl(databaseUrl);
  const settings: ClientSettings = {
    addresses: readAddresses(databaseUrl),
    poolSize,
    connectTimeoutMs,
    clock,
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
    version = await readServerVersion(db, limit);
    await listening.start();
  } catch (error) {
    await close(0);
    throw explainConnectError(error, location);
  }
  return {
    db,
    kind: 'postgres',
    changes: feed,
    describe: () => `PostgreSQL ${version} at ${location.address}`,
    migrate: () => client.onOneConnection(applyMigrations),
    pendingMigrations: () => readPendingMigrations(db),
    ping: () => measureAnswerMs(db, limit),
    close: () => close(),
  };
}
