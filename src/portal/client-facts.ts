/** Who asks, as far as the network tells: the address for throttles and for the person's own list of sessions. */
import { BlockList, isIP } from 'node:net';
import type { Context } from 'hono';
import type { SessionStart } from '../identity/index.ts';
import type { PortalServices } from './services.ts';
import { readSessionToken } from './session-cookie.ts';
import { tellOfNewBrowser } from './sign-in/known-browser.ts';

/** Longer lists of proxies than any house has. */
const mostHops = 20;
const unknownAddress = 'unknown';
/** The longest name that the domain name system knows, and a port. */
const mostHostCharacters = 260;

/**
 * The address of the client, or of the first proxy that is not one of ours: only ours are believed about whom they
 * speak for.
 */
export function clientAddress(context: Context, { trustedProxies }: PortalServices): string {
  let address = plainAddress(connectionAddress(context));
  if (!isTrusted(address, trustedProxies)) return address;
  const hops = (context.req.header('x-forwarded-for') ?? '').split(',').slice(-mostHops);
  for (const hop of hops.toReversed()) {
    const named = plainAddress(hop.trim());
    if (isIP(named) === 0) break;
    address = named;
    if (!isTrusted(named, trustedProxies)) break;
  }
  return address;
}

/**
 * How a session begins here, for the person's own list of them.
 * @param isTold a mail of another kind tells of it already.
 */
export function sessionStart(
  context: Context,
  services: PortalServices,
  method: string,
  { isTold = false } = {},
): SessionStart {
  const from = {
    userAgent: context.req.header('user-agent') ?? null,
    address: clientAddress(context, services),
  };
  return {
    method,
    ...from,
    onStarted: tellOfNewBrowser(context, services, { ...from, isTold }),
    host: context.req.header('host')?.slice(0, mostHostCharacters) ?? null,
    replacedToken: readSessionToken(context, services),
  };
}

/** A whole network of IPv6 is one customer's: who has it has more addresses than any throttle remembers. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const before = head.split(':').filter((part) => part !== '');
  const after = tail.split(':').filter((part) => part !== '');
  const middle = address.includes('::') ? Array(Math.max(0, 8 - before.length - after.length)).fill('0') : [];
  return [...before, ...middle, ...after].slice(0, 4).join(':');
}

/** @param ranges addresses and networks, such as `10.0.0.0/8`; each checked before. */
export function proxyList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isTrusted(address: string, proxies: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** What the listening socket hands on with a request; nothing is known of one that came by no socket. */
interface Arrival {
  readonly addressOf?: () => string | undefined;
}

function connectionAddress(context: Context): string {
  const arrival: Arrival | undefined = context.env;
  return arrival?.addressOf?.() ?? unknownAddress;
}

/** IPv4 as it arrives on a socket for both families. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
