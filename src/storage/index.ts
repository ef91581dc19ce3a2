/** What the other rooms know of the storage; its tables are in `schema/`. */
export type { ChangeFeed } from './change-feed.ts';
export { everyKey } from './change-feed.ts';
export { findDataDirHolder, lockDataDir } from './data-dir-lock.ts';
export { type Database, type Executor, inTransaction, type Transaction } from './database.ts';
export { databaseErrorCode } from './driver-error.ts';
export type { MigrationReport } from './migrations.ts';
export { openStorage } from './open-storage.ts';
export type { Storage, StorageOptions } from './storage.ts';
export { DataDirInUseError, StorageError } from './storage-error.ts';
