/** Which addresses webhooks may lead to: those that anybody on the Internet can reach, and no service of this house. */
import { lookup as resolveName } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { AppError } from '../base/errors.ts';

/**
 * What is not public of IPv4, by IANA's registry of special-purpose addresses and that of multicast, read 2026-11-22:
 * https://www.iana.org/assignments/iana-ipv4-special-registry. 169.254.0.0/16 has the metadata of clouds.
 */
const notPublic: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Of IPv6 only this is given out to the public, but for what leads to IPv4 and what is for examples. */
const publicV6 = ['2000::', 3] as const;
const notPublicV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closedV4 = new BlockList();
for (const [network, bits] of notPublic) closedV4.addSubnet(network, bits, 'ipv4');
const openV6 = new BlockList();
openV6.addSubnet(...publicV6, 'ipv6');
const closedV6 = new BlockList();
for (const [network, bits] of notPublicV6) closedV6.addSubnet(network, bits, 'ipv6');

function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closedV4.check(address, 'ipv4');
    case 6:
      return openV6.check(address, 'ipv6') && !closedV6.check(address, 'ipv6');
    default:
      return false;
  }
}

export interface AddressRules {
  /** True where the operator lets webhooks lead into this network, and go without TLS. */
  readonly isPrivateAllowed: boolean;
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks once; what it answers is what is connected to, so that a name cannot change its mind in between. */
export type ResolveName = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const systemNames: ResolveName = async (hostname) =>
  (await resolveName(hostname, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

const longestAddress = 2000;

/** @throws AppError `validation_failed` with the reason. */
export function readWebhookUrl(text: string, { isPrivateAllowed }: AddressRules): URL {
  const url = URL.parse(text.trim());
  if (url === null || text.length > longestAddress || !['https:', 'http:'].includes(url.protocol)) {
    throw wrongUrl('wrong', 'must be an address such as https://example.com/webhooks');
  }
  if (url.protocol === 'http:' && !isPrivateAllowed) throw wrongUrl('no_tls', 'must begin with https://');
  if (url.username !== '' || url.password !== '') {
    throw wrongUrl('credentials', 'must have no user name and no password');
  }
  url.hash = '';
  return url;
}

/**
 * The address to connect to. Who is asked for it may never answer, so `signal` ends the waiting.
 * @throws AppError `validation_failed` where there is none that may be.
 */
export async function resolveWebhookHost(
  { hostname }: URL,
  { isPrivateAllowed, resolve }: AddressRules & { readonly resolve: ResolveName },
  signal: AbortSignal,
): Promise<ResolvedAddress> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const asked = isIP(bare) === 0 ? resolve(bare).catch(() => []) : [literal(bare)];
  const found = await untilAborted(asked, signal);
  if (found.length === 0) throw unknownHost();
  const usable = isPrivateAllowed ? found[0] : found.find(({ address }) => isPublicAddress(address));
  if (usable === undefined) throw wrongUrl('private', 'must lead to a public address');
  return usable;
}

async function untilAborted<Result>(answer: Result | Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const literal = (address: string): ResolvedAddress => ({ address, family: isIP(address) === 6 ? 6 : 4 });

export const unknownHost = (): AppError => wrongUrl('unknown_host', 'must name a host that can be found');

function wrongUrl(type: string, msg: string): AppError {
  return new AppError({
    code: 'validation_failed',
    public: `The address of a webhook ${msg}.`,
    fields: [{ loc: ['url'], msg, type }],
  });
}
