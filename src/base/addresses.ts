/**
 * Where an address of the network leads, for whatever this program sends to places that others name: to anybody on the
 * Internet, into a network of the operator's own, or to what nothing may ever be sent to.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** `closed`: what tells a machine its own secrets, and what no server can be at; never asked, whatever is set. */
export type AddressKind = 'public' | 'private' | 'closed';

type Network = readonly [network: string, bits: number];

/**
 * These are exceptions to what is closed below, because an operator's own servers are there, on 2026-11-23: the host of Podman's containers
 * (`host.containers.internal` from 5.3 on, https://github.com/containers/podman/pull/23791), and the services behind
 * Amazon's VPC Lattice, by the ranges of its managed prefix lists (https://docs.aws.amazon.com/vpc-lattice/latest/ug/).
 */
const servedV4: readonly Network[] = [
  ['169.254.1.2', 32],
  ['169.254.171.0', 24],
];
const servedV6: readonly Network[] = [['fd00:ec2:80::', 64]];
/**
 * Link-local IPv4 is closed as a whole, because the metadata of nearly every cloud is there, and so is multicast; and single
 * addresses of clouds outside of it, as their manuals have them on 2026-11-23: Alibaba's metadata, Azure's channel to its hosts
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16), Oracle's older metadata.
 */
const closedV4: readonly Network[] = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
];
/**
 * These networks of IPv4 are not public by IANA's registry of special-purpose addresses and that of multicast, read 2026-11-22:
 * https://www.iana.org/assignments/iana-ipv4-special-registry.
 */
const privateV4: readonly Network[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
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
  ['240.0.0.0', 4],
];
/**
 * Closed are link-local, multicast, and what clouds have put their metadata at among the addresses of one's own: Amazon's
 * (fd00:ec2::254 and its neighbours), Google's, Oracle's, Scaleway's and Linode's; read 2026-11-23.
 */
const closedV6: readonly Network[] = [
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['fd00:c1::a9fe:a9fe', 128],
  ['fd00:42::42', 128],
  ['fd00:a9fe:a9fe::', 48],
];
/** Only this part of IPv6 is given out to the public, but for what is for examples and for uses of its own. */
const publicV6: Network = ['2000::', 3];
const notPublicV6: readonly Network[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];
/** Networks of IPv6 that hold an address of IPv4: from which group on, and whether they are as public as that address. */
const embeddedIpv4: readonly {
  readonly network: Network;
  readonly at: number;
  readonly isAsPublic: boolean;
}[] = [
  { network: ['::ffff:0:0', 96], at: 6, isAsPublic: true },
  { network: ['::ffff:0:0:0', 96], at: 6, isAsPublic: false },
  // What a resolver makes of a name that has an address of IPv4 alone, where there is nothing but IPv6.
  { network: ['64:ff9b::', 96], at: 6, isAsPublic: true },
  { network: ['64:ff9b:1::', 48], at: 6, isAsPublic: false },
  { network: ['2002::', 16], at: 1, isAsPublic: false },
  { network: ['::', 96], at: 6, isAsPublic: false },
];

const one = 0x1_0000;

/** Eight groups of sixteen bits; of IPv4 two. @param address of a form that `isIP` takes. */
function groupsOf(address: string): readonly number[] {
  const [bare = ''] = address.split('%');
  const dotted = /^(.*?)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(bare);
  if (dotted !== null) {
    const [, before = '', a, b, c, d] = dotted;
    const two = [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)];
    return before === '' ? two : groupsOf(`${before}${two.map((group) => group.toString(16)).join(':')}`);
  }
  const [left = '', right] = bare.split('::');
  const read = (half: string) =>
    half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16));
  if (right === undefined) return read(left);
  const [first, last] = [read(left), read(right)];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

/** Of two addresses of one family. */
export const isWithin = (address: string, network: Network): boolean => areWithin(groupsOf(address), network);

function areWithin(groups: readonly number[], [network, bits]: Network): boolean {
  const others = groupsOf(network);
  for (let at = 0, left = bits; left > 0; at += 1, left -= 16) {
    const step = left >= 16 ? 1 : 2 ** (16 - left);
    if (Math.floor((groups[at] ?? one) / step) !== Math.floor((others[at] ?? 0) / step)) return false;
  }
  return true;
}

/** @param address by numbers; what is none is closed, since nobody knows where it leads. */
export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return 'closed';
  return family === 4 ? kindOfV4(groupsOf(address)) : kindOfV6(groupsOf(address));
}

function kindOfV4(groups: readonly number[]): AddressKind {
  const isOf = (network: Network) => areWithin(groups, network);
  if (servedV4.some(isOf)) return 'private';
  if (closedV4.some(isOf)) return 'closed';
  return privateV4.some(isOf) ? 'private' : 'public';
}

function kindOfV6(groups: readonly number[]): AddressKind {
  const isOf = (network: Network) => areWithin(groups, network);
  if (servedV6.some(isOf)) return 'private';
  if (closedV6.some(isOf)) return 'closed';
  const way = embeddedIpv4.find(({ network }) => isOf(network));
  if (way !== undefined) {
    const inner = kindOfV4(groups.slice(way.at, way.at + 2));
    return inner === 'public' && !way.isAsPublic ? 'private' : inner;
  }
  return isOf(publicV6) && !notPublicV6.some(isOf) ? 'public' : 'private';
}

/** Names that stand for metadata wherever they lead; https://cloud.google.com/compute/docs/metadata/querying-metadata. */
const closedNames: ReadonlySet<string> = new Set(['metadata.google.internal', 'metadata.goog']);

/**
 * Of a host as a URL has it, where that can be told without asking anybody: null for a name.
 * URLs make one spelling of decimal, octal and hexadecimal addresses, and of digits of other scripts.
 */
export function hostKind(hostname: string): AddressKind | null {
  const bare = bareHost(hostname);
  if (isIP(bare) !== 0) return addressKind(bare);
  if (isOwnName(bare)) return 'private';
  return closedNames.has(plainName(bare)) ? 'closed' : null;
}

/** `localhost` and what is below it: this machine, without anybody being asked (RFC 6761, 6.3). */
export const isOwnName = (hostname: string): boolean => `.${plainName(hostname)}`.endsWith('.localhost');

const plainName = (hostname: string): string => hostname.replace(/\.+$/, '').toLowerCase();

/** Without the brackets that an address of IPv6 has in a URL. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks once. It rejects, or finds nothing, where there is no such name. */
export type ResolveName = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const systemNames: ResolveName = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));
