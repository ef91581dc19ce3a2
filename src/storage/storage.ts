/** What a storage is, whichever database it is on. */
import type { Clock } from '../base/clock.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Database } from './database.ts';
import type { MigrationReport } from './migrations.ts';

export interface StorageOptions {
  /** `postgres://…`; without it the embedded database is opened. */
  readonly databaseUrl?: string;
  /** Holds the embedded database. Not touched when there is a `databaseUrl`. */
  readonly dataDir: string;
  /** Connections to a PostgreSQL server; the embedded database has one. */
  readonly poolSize?: number;
  readonly connectTimeoutMs?: number;
  /** The system's when not given. */
  readonly clock?: Clock;
  /** What goes wrong later and mends itself. */
  readonly onWarning?: (message: string) => void;
}

export interface Storage {
  readonly db: Database;
  readonly kind: 'embedded' | 'postgres';
  readonly changes: ChangeFeed;
  /** Which database this is, in words, without the password. */
  describe(): string;
  /** Safe when several processes do it at once. @throws StorageError */
  migrate(): Promise<MigrationReport>;
  /** Names of migrations that wait, oldest first. @throws StorageError when the database is newer than the code. */
  pendingMigrations(): Promise<string[]>;
  /** @returns how long the database took to answer, in milliseconds. */
  ping(): Promise<number>;
  /** Waits for what is under way. Safe to call again. */
  close(): Promise<void>;
}
