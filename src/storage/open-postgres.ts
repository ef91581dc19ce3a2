/** Storage on a PostgreSQL server, shared by as many processes as like. */
import { drizzle } from 'drizzle-orm/postgres-js';
import { NotifyingChangeFeed } from './change-feed.ts';
import { ChangeListening } from './change-listening.ts';
import { type DatabaseLocation, explainConnectError, readDatabaseUrl } from './connect-error.ts';
import { applyMigrations, readPendingMigrations } from './migrations.ts';
import { measureAnswerMs, readServerVersion } from './server-check.ts';
import { type ClientSettings, openSteadyClient } from './steady-client.ts';
import type { Storage } from './storage.ts';

interface PostgresOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly onWarning: (message: string) => void;
}

export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { databaseUrl, poolSize, connectTimeoutMs, onWarning } = options;
  const location = readDatabaseUrl(databaseUrl);
  const settings: ClientSettings = { address: { databaseUrl }, poolSize, connectTimeoutMs };
  const feed = new NotifyingChangeFeed(onWarning);
  const client = openSteadyClient(settings);
  // Apart from the pool, because its connection must never be one that goes away with a transaction.
  const listener = openSteadyClient({
    ...settings,
    poolSize: 1,
    onNotification: (payload) => feed.deliver(payload),
    onLost: () => void listening.resume(),
  });
  const listening = new ChangeListening(listener, () => feed.everythingMayHaveChanged());
  const close = async (waitMs?: number) => {
    listening.stop();
    await Promise.all([client.close(waitMs), listener.close(waitMs)]);
  };

  const db = drizzle(client.sql);
  let version: string;
  try {
    version = await readServerVersion(db, connectTimeoutMs);
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
    migrate: () => migrateAlone(settings, location),
    pendingMigrations: () => readPendingMigrations(db),
    ping: () => measureAnswerMs(db, connectTimeoutMs),
    close: () => close(),
  };
}

/** Over a connection of its own: the pool would spread the statements over several. */
async function migrateAlone(settings: ClientSettings, location: DatabaseLocation) {
  const client = openSteadyClient({ ...settings, poolSize: 1 });
  const db = drizzle(client.sql);
  try {
    await readServerVersion(db, settings.connectTimeoutMs);
  } catch (error) {
    throw explainConnectError(error, location);
  }
  try {
    return await applyMigrations(db);
  } finally {
    await client.close();
  }
}
