/** Who declares rows of this room, and what its changes are called on the change feed. */

/** Who declares a row again at every start: the configuration file, or the first-run set-up. */
export type ManagedBy = 'file' | 'first_run';

/** Topics of the change feed. The key of the first is a token's hash, of the second a user's id. */
export const apiKeyTopic = 'api-key';
export const userTopic = 'user';
