/** The one way to the database, on a PostgreSQL server or on the embedded one in the data folder. */
import { systemClock } from '../base/clock.ts';
import { openEmbedded } from './open-embedded.ts';
import { openPostgres } from './open-postgres.ts';
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
