/** Which database the settings mean, and whether it is there. */
import { existsSync } from 'node:fs';
import { AppError } from '../base/errors.ts';
import type { StorageOptions } from '../storage/index.ts';
import type { Environment } from './environment.ts';

export function storageOptions({ dataDir, databaseUrl }: Environment): StorageOptions {
  return databaseUrl === null ? { dataDir } : { dataDir, databaseUrl };
}

/**
 * Only a start makes an embedded database: a command in the wrong folder would otherwise work on a new, empty one.
 * @throws AppError not_found.
 */
export function requireDatabase({ dataDir, databaseUrl }: Environment): void {
  if (databaseUrl !== null || existsSync(dataDir)) return;
  throw new AppError({
    code: 'not_found',
    public: `There is no data folder ${dataDir}. Start the server there once (npm start), or set SLUICE_DATA_DIR to the folder it uses.`,
  });
}
