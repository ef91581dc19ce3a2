/** The two connections to Redis over which processes tell each other of routing; they end together. */
import { RedisClient } from 'bun';
import { type Clock, withinTime } from '../base/clock.ts';

const connectTimeoutMs = 1000;

export interface SharingLinkOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  /** Once, where it ended by itself. */
  readonly onEnd: (reason: Error) => void;
}

export class SharingLink {
  readonly #options: SharingLinkOptions;
  readonly #client: RedisClient;
  /** A connection that listens can do nothing else. */
  readonly #ears: RedisClient;
  #isOver = false;

  private constructor(options: SharingLinkOptions) {
    // Whoever reconnects first tells what it knows, so that is for the owner to do.
    const settings = {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: connectTimeoutMs,
    };
    this.#options = options;
    this.#client = new RedisClient(options.url, settings);
    this.#ears = new RedisClient(options.url, settings);
  }

  /** It listens when it is open. @throws Error that says what was wrong, in a bounded time. */
  static async open(options: SharingLinkOptions): Promise<SharingLink> {
    const link = new SharingLink(options);
    try {
      await withinTime(options.clock, connectTimeoutMs, async (signal) => {
        signal.addEventListener('abort', () => link.close());
        await Promise.all([link.#client.connect(), link.#ears.connect()]);
        await link.#ears.subscribe(options.channel, (message: string) => options.onMessage(message));
        signal.throwIfAborted();
      });
    } catch (error) {
      link.close();
      throw error;
    }
    link.#client.onclose = () => link.end(new Error('the connection has ended'));
    link.#ears.onclose = () => link.end(new Error('the connection that listens has ended'));
    return link;
  }

  /** @throws DOMException TimeoutError, which says nothing yet of the connection. */
  send(command: string, args: readonly string[], limitMs: number): Promise<unknown> {
    const reply = this.#client.send(command, [...args]);
    return withinTime(this.#options.clock, limitMs, (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      reply.then(resolve, reject);
      return promise;
    });
  }

  /** It is of no use any more. */
  end(reason: Error): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onEnd(reason);
  }

  close(): void {
    this.#isOver = true;
    this.#client.close();
    this.#ears.close();
  }
}
