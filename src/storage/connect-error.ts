/** Says why a connection to PostgreSQL could not be used, without ever repeating the password. */
import { databaseErrorCode, databaseErrorMessage } from './driver-error.ts';
import { StorageError, type StorageErrorCode } from './storage-error.ts';

export interface DatabaseLocation {
  /** `user@host:port/database`: everything but the password. */
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

/** A list such as `@first:5432,second:5432`, which the driver understands and `URL` does not. */
const hostList = /(?<=@)[^/?#@]*,[^/?#@]*(?=[/?#]|$)/;

/** @throws StorageError when `databaseUrl` is not a URL that names a PostgreSQL server. */
export function readDatabaseUrl(databaseUrl: string): DatabaseLocation {
  const [hosts] = hostList.exec(databaseUrl) ?? [];
  const url = URL.parse(databaseUrl.replace(hostList, (list) => list.split(',')[0] ?? ''));
  if (url === null) throw badUrl('it is not a URL');
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw badUrl(`it starts with ${url.protocol}//`);
  }
  const user = decodeURIComponent(url.username) || '(default user)';
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  return { address: `${user}@${hosts ?? (url.host || 'localhost')}/${database}`, user, database };
}

const unreachableCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ECONNRESET: 'the connection was reset',
  CONNECT_TIMEOUT: 'it did not answer in time',
  ETIMEDOUT: 'it did not answer in time',
  CONNECTION_CLOSED: 'it closed the connection',
  CONNECTION_DESTROYED: 'it did not answer in time',
  '57P03': 'it is starting up or shutting down',
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
  const why = unreachableCodes[code] ?? said;
  return error('unreachable', `PostgreSQL at ${address} cannot be reached: ${why}.`);
}

function badUrl(why: string): StorageError {
  return new StorageError(
    'bad_database_url',
    `DATABASE_URL is wrong: ${why}. It looks like postgres://user:password@host:5432/database.`,
  );
}
