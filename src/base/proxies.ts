/**
 * Which addresses `fetch` asks by way of a proxy, by the variables that it goes by itself: HTTP_PROXY and HTTPS_PROXY by
 * the scheme, else ALL_PROXY, unless NO_PROXY names the host. Read as the runtime reads them (Bun 1.4.5), which
 * `proxies.test.ts` asks it.
 */
import { isIP } from 'node:net';
import { bareHost, isWithin } from './addresses.ts';

/** Where proxies are is not kept: their addresses can have a password. */
export interface Proxies {
  readonly http: boolean;
  readonly https: boolean;
  /** NO_PROXY. */
  readonly except: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function readProxies(variables: Variables): Proxies {
  const others = isHttp(read(variables, 'ALL_PROXY'));
  return {
    http: read(variables, 'HTTP_PROXY') !== '' || others,
    https: read(variables, 'HTTPS_PROXY') !== '' || others,
    except: read(variables, 'NO_PROXY'),
  };
}

export function isProxiedBy({ http, https, except }: Proxies): (url: URL) => boolean {
  if (!http && !https) return () => false;
  const exceptions = except.split(/[ \t\r\n,]+/).map(readException);
  return (url) => (url.protocol === 'https:' ? https : http) && !exceptions.some((covers) => covers(url));
}

/** The spelling in small letters goes first, and quotes with nothing in them are nothing. */
function read(variables: Variables, name: string): string {
  const [found = ''] = [variables[name.toLowerCase()], variables[name]].filter(Boolean);
  return ['""', "''"].includes(found) ? '' : found;
}

/** Other kinds of proxies are gone by in ALL_PROXY, where they are meant for other programs. */
const isHttp = (proxy: string): boolean => /^https?:\/\/|^(?!\s|.*:\/\/)./i.test(proxy);

/** `*`, a name with all that is below it, an address or a network, each but the first and the last with a port or without. */
function readException(text: string): (url: URL) => boolean {
  if (text === '*') return () => true;
  const [, withPort, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(text) ?? [];
  const name = bareHost(withPort ?? text)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const coversHost = readHost(name);
  return (url) => {
    if (port !== undefined && Number(port) !== portOf(url)) return false;
    return coversHost(bareHost(url.hostname).replace(/\.$/, ''));
  };
}

function readHost(name: string): (host: string) => boolean {
  const [address = '', bits] = name.split('/');
  if (isIP(address) === 0)
    return (host) => name !== '' && isIP(host) === 0 && `.${host}`.endsWith(`.${name}`);
  const width = isIP(address) === 4 ? 32 : 128;
  const length = bits === undefined ? width : Number(bits || Number.NaN);
  return (host) =>
    isIP(host) !== 0 && length <= width && isWithin(inV6(host), [inV6(address), 128 - width + length]);
}

const inV6 = (address: string): string => (isIP(address) === 4 ? `::ffff:${address}` : address);

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
