/**
 * Whether a host accepts connections. The HTTP client cannot tell a connection that hangs from an answer that is slow
 * to come, so a call that has been silent for a while asks here.
 */
import { connect } from 'node:net';
import { bareHost, isOwnName } from './addresses.ts';
import type { Clock } from './clock.ts';

/** False when the host refuses or does not accept a TCP connection within `timeoutMs`. */
export function isReachable(url: string, timeoutMs: number, clock: Pick<Clock, 'after'>): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // The system need not know the names of this machine, as `fetch` does.
  const hosts = isOwnName(hostname) ? ['127.0.0.1', '::1'] : [bareHost(hostname)];
  const sockets = hosts.map((host) =>
    connect({ host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }),
  );
  let open = sockets.length;
  const timer = clock.after(timeoutMs, () => finish(false));
  const finish = (isOpen: boolean) => {
    timer.cancel();
    for (const socket of sockets) socket.destroy();
    resolve(isOpen);
  };
  for (const socket of sockets) {
    socket.once('connect', () => finish(true));
    socket.once('error', () => {
      open -= 1;
      if (open === 0) finish(false);
    });
  }
  return promise;
}

/** For so long one answer holds for everybody. */
const holdsForMs = 1000;

/** The same question for many calls of few hosts: each host is asked at most once a second. */
export class Reachability {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #isProxied: (url: URL) => boolean;
  readonly #asked = new Map<string, Promise<boolean>>();

  /** @param isProxied of what is asked through a proxy nothing can be told from here, so that it counts as being there. */
  constructor(clock: Pick<Clock, 'after'>, isProxied: (url: URL) => boolean = () => false) {
    this.#clock = clock;
    this.#isProxied = isProxied;
  }

  /** @param isDirect no proxy is asked, whatever the variables say of this address, as where it was looked up of a name. */
  ask(url: string, timeoutMs: number, isDirect = false): Promise<boolean> {
    const to = new URL(url);
    if (!isDirect && this.#isProxied(to)) return Promise.resolve(true);
    const { origin } = to;
    const asked = this.#asked.get(origin);
    if (asked !== undefined) return asked;
    const asking = isReachable(url, timeoutMs, this.#clock);
    this.#asked.set(origin, asking);
    void asking.then(() => this.#clock.after(holdsForMs, () => this.#asked.delete(origin)));
    return asking;
  }
}
