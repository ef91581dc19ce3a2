/**
 * A connection to Redis that does not heal by itself: whoever loses one must say again who it is and what it holds, or
 * tell what it knows, before it is of use.
 */
import { RedisClient } from 'bun';
import { type Clock, withinTime } from './clock.ts';

const connectTimeoutMs = 1000;

/**
 * One attempt, which ends within a second whatever Redis does.
 * @param greet what is said first, in the same time.
 * @throws Error that says what was wrong, without the address's password.
 */
export async function connectToRedis(
  { url, clock }: { readonly url: string; readonly clock: Clock },
  greet?: (client: RedisClient) => Promise<unknown>,
): Promise<RedisClient> {
  const client = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    // What ends it in time is the clock, below.
    connectionTimeout: 15 * connectTimeoutMs,
  });
  try {
    await withinTime(clock, connectTimeoutMs, async (signal) => {
      signal.addEventListener('abort', () => client.close());
      await client.connect();
      await greet?.(client);
      signal.throwIfAborted();
    });
  } catch (thrown) {
    client.close();
    throw thrown;
  }
  return client;
}
