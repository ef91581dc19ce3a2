/**
 * Reads the address of a PostgreSQL server, `postgres://user:password@host:port/database?setting=value`, and says why
 * it cannot be used, without ever repeating the password.
 */
import {
  type ConnectionParameters,
  isConnectionParameter,
  readConnectionParameters,
} from './connection-parameters.ts';
import { type DatabaseAddress, type TlsSetting, tlsMissingMessage } from './database-address.ts';
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
  if (url === null)
    throw badUrl('it is not a URL; in a password, / is written %2F, # is %23, ? is %3F, and % is %25');
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw badUrl(`it starts with ${url.protocol}//`);
  }
  const user = unescaped(url.username) || '(default user)';
  const database = unescaped(url.pathname.slice(1)) || user;
  return { address: `${user}@${hosts ?? (url.host || 'localhost')}/${database}`, user, database };
}

/**
 * Where to connect to, in the order in which it is tried: each host of a list in turn.
 * @param databaseUrl one that `readDatabaseUrl` accepts.
 * @throws StorageError when one of its parameters cannot be honoured.
 */
export function readAddresses(databaseUrl: string): DatabaseAddress[] {
  const [hosts] = hostList.exec(databaseUrl) ?? [];
  if (hosts === undefined) return [readHost(databaseUrl)];
  return hosts.split(',').map((host) => readHost(databaseUrl.replace(hostList, () => host)));
}

/** The limit for one connect that the URL sets. @throws StorageError when a parameter cannot be honoured. */
export function readConnectTimeoutMs(databaseUrl: string): number | undefined {
  const url = new URL(databaseUrl.replace(hostList, 'host'));
  return readParameters(url).connectTimeoutMs;
}

function readHost(databaseUrl: string): DatabaseAddress {
  const url = new URL(databaseUrl);
  const tlsSettings = readTlsSettings(url);
  const { mustBeWritable } = readParameters(url);
  const names = [...url.searchParams.keys()];
  const settings = [...url.searchParams].filter(
    ([name]) => !driverParameters.has(name) && !isConnectionParameter(name),
  );
  for (const name of names) {
    if (name === 'ssl' || name === 'sslmode' || !driverParameters.has(name)) url.searchParams.delete(name);
  }
  const options = [url.searchParams.get('options') ?? '', ...settings.map(writeOption)].join(' ').trim();
  if (options !== '') url.searchParams.set('options', options);
  return { config: { connectionString: url.href }, tlsSettings, mustBeWritable };
}

function readParameters(url: URL): ConnectionParameters {
  return readConnectionParameters(url.searchParams, readTlsSettings(url).includes(true), badUrl);
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

function readTlsSettings({ searchParams }: URL): TlsSetting[] {
  // As libpq has it: encrypted, without a look at the certificate.
  const unverified = { rejectUnauthorized: false };
  switch (searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable') {
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

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badUrl('it has a % that begins no escape, which is written as %25');
  }
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
  [tlsMissingMessage]: 'it does not speak TLS',
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
