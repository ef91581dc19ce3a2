/** The parameters of DATABASE_URL that libpq takes for itself: what they come to here, and which cannot be honoured. */

export interface ConnectionParameters {
  /** Undefined when the URL sets none. */
  readonly connectTimeoutMs: number | undefined;
  /** Only a server that takes writes will do: a standby in the list of hosts is passed over. */
  readonly mustBeWritable: boolean;
}

/** Those whose every value may be ignored: they are hints, or about what this driver never does. */
const ignored = new Set([
  'fallback_application_name',
  'gssdelegation',
  'gsslib',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'krbsrvname',
  'sslsni',
  'tcp_user_timeout',
  // The TLS modes are read as libpq has them in any case.
  'uselibpqcompat',
]);

/** The values that ask for no more than happens anyway. Every other value is refused, so that none is lost in silence. */
const honouredValues: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ['prefer', 'disable'],
  gssencmode: ['prefer', 'disable'],
  load_balance_hosts: ['disable'],
  replication: ['false', 'off', 'no', '0'],
  sslcertmode: ['allow', 'disable'],
  sslcompression: ['0'],
  ssl_max_protocol_version: ['TLSv1.3'],
  ssl_min_protocol_version: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
  target_session_attrs: ['any', 'read-write', 'primary'],
};

/** Their values may be secrets, and are not repeated. */
const refused = new Set([
  'dbname',
  'hostaddr',
  'passfile',
  'require_auth',
  'requirepeer',
  'scram_client_key',
  'scram_server_key',
  'service',
  'servicefile',
  'sslpassword',
]);

/** A certificate that is not verified is not looked up in a list of revoked ones either. */
const revocationLists = new Set(['sslcrl', 'sslcrldir']);

/** True for what must not reach the server, which would take it for a setting of the session and refuse the start. */
export function isConnectionParameter(name: string): boolean {
  return (
    name === 'connect_timeout' ||
    ignored.has(name) ||
    name in honouredValues ||
    refused.has(name) ||
    revocationLists.has(name)
  );
}

/** @throws what `refuse` makes of the reason, for a parameter that cannot be honoured. */
export function readConnectionParameters(
  parameters: URLSearchParams,
  isVerified: boolean,
  refuse: (why: string) => Error,
): ConnectionParameters {
  for (const [name, value] of parameters) {
    const honoured = Object.hasOwn(honouredValues, name) ? honouredValues[name] : undefined;
    if (honoured !== undefined && !honoured.includes(value)) {
      throw refuse(`${name}=${value} cannot be honoured, only ${honoured.join(' or ')}`);
    }
    if (refused.has(name) || (isVerified && revocationLists.has(name))) {
      throw refuse(`its parameter ${name} cannot be honoured`);
    }
  }
  const wanted = parameters.get('target_session_attrs') ?? 'any';
  return { connectTimeoutMs: readTimeoutMs(parameters, refuse), mustBeWritable: wanted !== 'any' };
}

/** The URL has it in seconds. Zero is no limit to libpq; here the usual one stays, so that a start always ends. */
function readTimeoutMs(parameters: URLSearchParams, refuse: (why: string) => Error): number | undefined {
  const seconds = parameters.get('connect_timeout');
  if (seconds === null) return undefined;
  if (!/^\d{1,6}$/.test(seconds)) throw refuse('its connect_timeout is not a number of seconds');
  return seconds === '0' ? undefined : Number(seconds) * 1000;
}
