/** Who asks, as far as the network tells. */
import { BlockList, isIP } from 'node:net';

/** Longer lists of proxies than any house has. */
const mostHops = 20;
const unknownAddress = 'unknown';

/** What a request shows of where it comes from. */
export interface Origin {
  /** The other end of the connection; undefined for a request that came by no socket. */
  readonly connection: string | undefined;
  /** The header `X-Forwarded-For`. */
  readonly forwardedFor: string | undefined;
}

/**
 * The address of the client, or of the first proxy that is not one of ours: only ours are believed about whom they
 * speak for.
 */
export function clientAddressOf({ connection, forwardedFor = '' }: Origin, trusted: BlockList): string {
  let address = plainAddress(connection ?? unknownAddress);
  if (!isTrusted(address, trusted)) return address;
  const hops = forwardedFor.split(',').slice(-mostHops);
  for (const hop of hops.toReversed()) {
    const named = plainAddress(hop.trim());
    if (isIP(named) === 0) break;
    address = named;
    if (!isTrusted(named, trusted)) break;
  }
  return address;
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

/** IPv4 as it arrives on a socket for both families. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
