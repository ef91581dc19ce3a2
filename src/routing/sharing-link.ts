/** The two connections to Redis over which processes tell each other of routing; they end together. */
import type { RedisClient } from 'bun';
import { type Clock, withinTime } from '../base/clock.ts';
import { connectToRedis } from '../base/redis-connection.ts';

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

  private constructor(options: SharingLinkOptions, client: RedisClient, ears: RedisClient) {
    this.#options = options;
    this.#client = client;
    this.#ears = ears;
    client.onclose = () => this.end(new Error('the connection has ended'));
    ears.onclose = () => this.end(new Error('the connection that listens has ended'));
  }

  /** It listens when it is open. @throws Error that says what was wrong, in a bounded time. */
  static async open(options: SharingLinkOptions): Promise<SharingLink> {
    const ears = await connectToRedis(options, (fresh) =>
      fresh.subscribe(options.channel, (message: string) => options.onMessage(message)),
    );
    try {
      const client = await connectToRedis(options);
      if (ears.connected) return new SharingLink(options, client, ears);
      client.close();
      throw new Error('the connection that listens has ended');
    } catch (error) {
      ears.close();
      throw error;
    }
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
