/** What the writes of this room work with. */
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Executor } from '../storage/database.ts';

export interface IdentityContext {
  /** The database, or the transaction that the write is part of. */
  readonly executor: Executor;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What every API token of this service begins with, separator included. */
  readonly tokenPrefix: string;
}

/** Who declares a row again at every start: the configuration file, or the first-run set-up. */
export type ManagedBy = 'file' | 'first_run';

/** Topics of the change feed. The key of the first is a token's hash, of the second a user's id. */
export const apiKeyTopic = 'api-key';
export const userTopic = 'user';
