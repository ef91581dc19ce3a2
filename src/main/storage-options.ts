/** Which database the settings mean. */
import type { StorageOptions } from '../storage/index.ts';
import type { Environment } from './config/index.ts';

export function storageOptions({ dataDir, databaseUrl }: Environment): StorageOptions {
  return databaseUrl === null ? { dataDir } : { dataDir, databaseUrl };
}
