/**
 * Where requests to providers may go: looked at when they leave, beside what was looked at when the address was written.
 * README.md ("Where requests may go") has the rules, and what is left open.
 */
import { isIP } from 'node:net';
import type { Abort } from '../base/abort.ts';
import {
  type AddressKind,
  addressKind,
  bareHost,
  hostKind,
  type ResolvedAddress,
  type ResolveName,
} from '../base/addresses.ts';
import { type Clock, withinTime } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { HttpAnswer } from '../base/http-answer.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Provider } from '../catalogue/index.ts';
import type { HttpClient } from '../http/index.ts';
import type { UpstreamRequest } from '../providers/index.ts';

/** A resolved name is looked up again, beside the requests, once it is as old as this. */
const freshMs = 60_000;
/** One that is older than this is not used: a request waits until the name is looked up again. */
const staleMs = 600_000;
const longestLookUpMs = 10_000;
const mostOrigins = 2000;
/** For so long an address that could not be reached comes behind the others of its name. */
const lastForMs = 600_000;

/** Whose address it is. */
export type OutgoingRow = Pick<Provider, 'name' | 'isDeclared'>;

/** How a request is sent to the address that was looked at, and to no other that its name may have by then. */
export interface Pinned {
  readonly url: string;
  /** Of the name, for a header. */
  readonly host: string;
  /** Null without TLS. */
  readonly tls: { readonly serverName: string } | null;
}

/** Null where a request goes out as it is, and `proxied` where a proxy takes it. */
export type Way = Pinned | 'proxied' | null;

/** What is known of an origin. */
interface Known {
  readonly url: URL;
  /** The worst of its addresses. */
  readonly kind: AddressKind;
  /** An address stays what it is. */
  readonly isName: boolean;
  readonly isProxied: boolean;
  /** None for a host that is an address itself or a name of this machine, or that a proxy finds. */
  readonly addresses: readonly (ResolvedAddress & { readonly kind: AddressKind })[];
  readonly atMs: number;
}

export interface OutgoingParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly resolve: ResolveName;
  /** Whether providers that are not declared by whoever runs this may be in private networks. */
  readonly isPrivateAllowed: boolean;
  /** Whether a proxy stands between here and this address, which then finds names that are unknown here. */
  readonly isProxied: (url: URL) => boolean;
  /** Takes requests that are whole beforehand and that no proxy takes; null to have the runtime's `fetch` take all. */
  readonly client: HttpClient | null;
}

const worst: Readonly<Record<AddressKind, number>> = { public: 0, private: 1, closed: 2 };

export class Outgoing {
  readonly #parts: OutgoingParts;
  /** By what stands before the path; the oldest first. */
  readonly #known = new Map<string, Known>();
  readonly #looking = new Map<string, Promise<Known>>();
  /** When addresses could not be reached, by the origin that each is; the oldest first. */
  readonly #unreached = new Map<string, number>();

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
  }

  /**
   * At once for an origin that is known.
   * @param isRetry asks for another of its addresses, where one is chosen here.
   * @throws AppError no_provider where it may not; an error of the network where nobody knows where it leads.
   */
  admit(url: string, row: OutgoingRow, isRetry = false): MaybePromise<Way> {
    const origin = originOf(url);
    const known = this.#known.get(origin);
    if (known === undefined) return this.#wait({ url, origin, row, isRetry });
    if (known.isName) {
      const ageMs = this.#parts.clock.monotonicMs() - known.atMs;
      if (ageMs > staleMs) return this.#wait({ url, origin, row, isRetry });
      // What cannot be asked anew is gone by for a while.
      if (ageMs > freshMs) void this.#look(origin, row).catch(() => undefined);
    }
    if (row.isDeclared && known.kind !== 'closed') return wayWithout(known);
    return this.#judge(known, { url, origin, row, isRetry });
  }

  /** Nobody was found at an address that was chosen for a request: others of its name go first for a while. */
  notReached(url: string): void {
    const origin = originOf(url);
    this.#unreached.delete(origin);
    this.#unreached.set(origin, this.#parts.clock.monotonicMs());
    const oldest = this.#unreached.keys().next();
    if (this.#unreached.size > mostOrigins && oldest.done !== true) this.#unreached.delete(oldest.value);
  }

  /** A request to an address of a provider's row that is no call of its work: for a token, or a probe. */
  async fetch(url: string, init: RequestInit, row: OutgoingRow): Promise<Response> {
    const way = await this.admit(url, row);
    const headers = new Headers(init.headers);
    const pinned = pinOf(way);
    if (pinned !== null) headers.set('host', pinned.host);
    return fetch(pinned?.url ?? url, { ...init, headers, redirect: 'manual', ...wayOf(pinned) });
  }

  /**
   * A request of a provider's work.
   * @param isFresh asks for a connection that was not used before.
   */
  send(
    way: Way,
    { url, headers, body }: UpstreamRequest,
    abort: Abort,
    isFresh: boolean,
  ): Promise<HttpAnswer> {
    const pinned = pinOf(way);
    const to = pinned?.url ?? url;
    const { client } = this.#parts;
    if (client !== null && typeof body === 'string' && way !== 'proxied') {
      const mayReuse = !isFresh;
      if (pinned === null) return client.post({ url: to, headers, body, abort, mayReuse });
      const { host, tls } = pinned;
      return client.post({ url: to, headers, body, abort, mayReuse, host, serverName: tls?.serverName });
    }
    return fetch(to, {
      method: 'POST',
      headers: pinned === null ? headers : { ...headers, host: pinned.host },
      body,
      signal: abort.signal,
      redirect: 'manual',
      decompress: true,
      timeout: false,
      keepalive: !isFresh,
      ...wayOf(pinned),
    });
  }

  async #wait(judged: Judged): Promise<Way> {
    return this.#judge(await this.#look(judged.origin, judged.row), judged);
  }

  /** One look at a time for all who ask. */
  #look(origin: string, row: OutgoingRow): Promise<Known> {
    const before = this.#looking.get(origin);
    if (before !== undefined) return before;
    const looking = this.#lookNow(origin, row).finally(() => this.#looking.delete(origin));
    this.#looking.set(origin, looking);
    return looking;
  }

  async #lookNow(origin: string, row: OutgoingRow): Promise<Known> {
    const { clock } = this.#parts;
    const url = URL.parse(origin);
    if (url === null) throw refused(row, 'its address is none');
    const told = hostKind(url.hostname);
    const name = bareHost(url.hostname);
    const isName = isIP(name) === 0;
    const isProxied = this.#parts.isProxied(url);
    const found = isName && told === null ? await this.#resolve(name, isProxied) : [];
    const addresses = found.map((one) => ({ ...one, kind: addressKind(one.address) }));
    const kinds = addresses.map(({ kind: ofOne }) => ofOne);
    const kind = [told ?? 'public', ...kinds].reduce((a, b) => (worst[b] > worst[a] ? b : a));
    const known: Known = { url, kind, isName, isProxied, addresses, atMs: clock.monotonicMs() };
    this.#known.delete(origin);
    this.#known.set(origin, known);
    const oldest = this.#known.keys().next();
    if (this.#known.size > mostOrigins && oldest.done !== true) this.#known.delete(oldest.value);
    return known;
  }

  async #resolve(name: string, isProxied: boolean): Promise<readonly ResolvedAddress[]> {
    const { clock, resolve } = this.#parts;
    try {
      const found = await withinTime(clock, longestLookUpMs, (late) => {
        const { promise, reject } = Promise.withResolvers<never>();
        late.addEventListener('abort', () => reject(late.reason), { once: true });
        return Promise.race([resolve(name), promise]);
      });
      if (found.length > 0) return found;
    } catch (error) {
      if (!isProxied) throw error;
    }
    if (isProxied) return [];
    throw Object.assign(new Error('its host has no address'), { code: 'ENOTFOUND' });
  }

  #judge(known: Known, { url, origin, row, isRetry }: Judged): Way {
    const { kind, isProxied, addresses } = known;
    const isPrivateAllowed = row.isDeclared || this.#parts.isPrivateAllowed;
    const mayLead = (to: AddressKind) => to === 'public' || (to === 'private' && isPrivateAllowed);
    const mayAll = mayLead(kind);
    // Which of them a proxy would take nobody knows.
    const kept = mayAll ? addresses : isProxied ? [] : addresses.filter((one) => mayLead(one.kind));
    if (!mayAll && kept.length === 0) throw refused(row, whyNot(known));
    // Whoever declared it answers for its name; there the runtime connects to whichever of its addresses answers first.
    // A proxy asks for the name by itself, and knows it in its rules.
    if (mayAll && (row.isDeclared || isProxied)) return wayWithout(known);
    const [first, second] = this.#unreached.size === 0 ? kept : this.#reachedFirst(kept, known.url);
    if (first === undefined) return wayWithout(known);
    const chosen = isRetry ? (second ?? first) : first;
    return pinTo(chosen, { url, origin, to: known.url });
  }

  /** Those that could not be reached lately behind the others, the one of the longest ago first. */
  #reachedFirst(addresses: Known['addresses'], to: URL): Known['addresses'] {
    const sinceMs = this.#parts.clock.monotonicMs() - lastForMs;
    const atMs = (one: ResolvedAddress) =>
      Math.max(this.#unreached.get(originAt(one, to)) ?? sinceMs, sinceMs);
    return addresses.toSorted((one, other) => atMs(one) - atMs(other));
  }
}

/** The address that was chosen for a request, where one was. */
export const pinOf = (way: Way): Pinned | null => (way === 'proxied' ? null : way);

const wayWithout = ({ isProxied }: Known): Way => (isProxied ? 'proxied' : null);

/** Only what no proxy is asked for is pinned: of its address the variables of proxies may say something else. */
function wayOf(pinned: Pinned | null): BunFetchRequestInit {
  return pinned === null ? {} : { proxy: false, ...(pinned.tls && { tls: pinned.tls }) };
}

interface Judged {
  readonly url: string;
  readonly origin: string;
  readonly row: OutgoingRow;
  readonly isRetry: boolean;
}

/**
 * What stands before the path. Read as a URL by itself it names the host that the whole names, or is none: nothing of an
 * authority stands behind the first slash after the scheme's.
 */
function originOf(url: string): string {
  const end = url.indexOf('/', 'https://'.length);
  return end === -1 ? url : url.slice(0, end);
}

/** What stands before the path of a request to one of the addresses. */
function originAt({ address, family }: ResolvedAddress, { protocol, port }: URL): string {
  const written = family === 6 ? `[${address}]` : address;
  return `${protocol}//${written}${port === '' ? '' : `:${port}`}`;
}

function pinTo(
  resolved: ResolvedAddress,
  { url, origin, to }: { readonly url: string; readonly origin: string; readonly to: URL },
): Pinned {
  const { protocol, host, hostname } = to;
  return {
    url: `${originAt(resolved, to)}${url.slice(origin.length)}`,
    host,
    tls: protocol === 'https:' ? { serverName: hostname.replace(/\.$/, '') } : null,
  };
}

function whyNot({ url, kind, addresses }: Known): string {
  const led = addresses.find((one) => one.kind === kind)?.address;
  const where = led === undefined ? url.hostname : `${url.hostname} leads to ${led}, which`;
  return kind === 'closed'
    ? `${where} is link-local, or keeps the metadata of a cloud: never asked`
    : `${where} is in a private network: declare the provider in the configuration file, or set SLUICE_UPSTREAM_PRIVATE=on`;
}

const refused = ({ name }: OutgoingRow, why: string): AppError =>
  new AppError({
    code: 'no_provider',
    public: 'The provider of this model has an address that may not be asked. Ask your administrator.',
    internal: `provider ${name}: ${why}`,
  });
