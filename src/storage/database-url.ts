/**
 * Reads the address of a PostgreSQL server, `postgres://user:password@host:port/database?setting=value`, and says why
 * it cannot be used, without ever repeating the password.
 */
import type { ClientConfig } from 'pg';
import {
  databaseErrorCode,
  databaseErrorMessage,
  StorageError,
  type StorageErrorCode,
} from './storage-error.ts';

export interface DatabaseLocation {
  /** `user@host:port/database`: everything but the password. */
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

/** A list such as `@first:5432,second:5432`, which `URL` does not understand. */
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

/**
 * Where to connect to, in the order in which it is tried: each host of a list in turn. With `sslmode=prefer` a host is
 * tried with TLS and then without.
 * @param databaseUrl one that `readDatabaseUrl` accepts.
 */
export function readAddresses(databaseUrl: string): ClientConfig[] {
  const [hosts] = hostList.exec(databaseUrl) ?? [];
  if (hosts === undefined) return readHost(databaseUrl);
  return hosts.split(',').flatMap((host) => readHost(databaseUrl.replace(hostList, () => host)));
}

function readHost(databaseUrl: string): ClientConfig[] {
  const url = new URL(databaseUrl);
  const mode = url.searchParams.get('sslmode') ?? url.searchParams.get('ssl') ?? 'disable';
  const settings = [...url.searchParams].filter(([name]) => !driverParameters.has(name));
  for (const name of ['sslmode', 'ssl', ...settings.map(([name]) => name)]) url.searchParams.delete(name);
  const options = [url.searchParams.get('options') ?? '', ...settings.map(writeOption)].join(' ').trim();
  if (options !== '') url.searchParams.set('options', options);
  const connectionString = url.href;
  return readTlsModes(mode).map((ssl) => ({ connectionString, ssl }));
}

/** What the driver itself reads from a URL; everything else is a setting of the session, such as `search_path`. */
const driverParameters = new Set([
  'host',
  'port',
  'user',
  'password',
  'application_name',
  'client_encoding',
  'options',
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
]);

function writeOption([name, value]: [string, string]): string {
  return `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`;
}

function readTlsModes(mode: string): ClientConfig['ssl'][] {
  // As libpq has it: encrypted, without a look at the certificate.
  const unverified = { rejectUnauthorized: false };
  switch (mode) {
    case 'disable':
    case 'false':
      return [false];
    case 'prefer':
      return [unverified, false];
    case 'allow':
    case 'require':
    case 'no-verify':
      return [unverified];
  }
  return [true];
}

function badUrl(why: string): StorageError {
  return new StorageError(
    'bad_database_url',
    `DATABASE_URL is wrong: ${why}. It looks like postgres://user:password@host:5432/database.`,
  );
}

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
