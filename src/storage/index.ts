/** What opens and describes a storage. Rules import the types of their queries from their files, tables from `schema/`. */
export { findDataDirHolder } from './data-dir-lock.ts';
export type { Database } from './database.ts';
export { hasEmbeddedDatabase } from './embedded/embedded-server.ts';
export { openStorage } from './open-storage.ts';
export type { Storage, StorageOptions } from './storage.ts';
