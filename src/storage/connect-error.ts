/** Says why a connection to PostgreSQL could not be used, without ever repeating the password. */
import type { DatabaseLocation } from './database-url.ts';
import { databaseErrorCode, databaseErrorMessage } from './driver-error.ts';
import { StorageError, type StorageErrorCode } from './storage-error.ts';

const unreachableCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'it did not answer in time',
  '57P03': 'it is starting up or shutting down',
};

/** What the driver finds out by itself has no code. */
const unreachableMessages: Readonly<Record<string, string>> = {
  'timeout expired': 'it did not answer in time',
  'Connection terminated unexpectedly': 'it closed the connection',
  'The server does not support SSL connections': 'it does not speak TLS',
};

export function explainConnectError(thrown: unknown, location: DatabaseLocation): StorageError {
  if (thrown instanceof StorageError) return thrown;
  const { address, user, database } = location;
  const code = databaseErrorCode(thrown) ?? '';
  const said = databaseErrorMessage(thrown);
  const error = (kind: StorageErrorCode, message: string) => new StorageError(kind, message, thrown);
  switch (code) {
    case '28P01':
      return error('wrong_password', `PostgreSQL at ${address} refused the password of user ${user}.`);
    case '28000':
      return error('not_permitted', `PostgreSQL at ${address} does not let user ${user} in: ${said}.`);
    case '42501':
      return error('not_permitted', `User ${user} may not use database ${database} at ${address}: ${said}.`);
    case '3D000':
      return error('no_such_database', `There is no database ${database} at ${address}. Create it first.`);
    case '53300':
      return error(
        'too_many_connections',
        `PostgreSQL at ${address} takes no more connections. Use a smaller pool or raise max_connections.`,
      );
  }
  const why = unreachableCodes[code] ?? unreachableMessages[said] ?? said;
  return error('unreachable', `PostgreSQL at ${address} cannot be reached: ${why}.`);
}
