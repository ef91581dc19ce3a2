/**
 * The connection to Redis: every call has its bound, and the first that goes wrong ends the connection and with it all
 * calls under way. Nobody waits on it afterwards until `connect` has made another.
 */
import type { RedisClient } from 'bun';
import type { Clock, Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import { connectToRedis } from '../base/redis-connection.ts';
import { type Step, scripts } from './redis-scripts.ts';

/** What came while this process stood still is read in its next turn: it has that turn, and as long as it stood still. */
const graceMs = 5;

export class RedisAway extends Error {}

export interface RedisLinkOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Of one call. */
  readonly timeoutMs: number;
  /** A connection that stood has ended. */
  readonly onDown: (reason: string) => void;
}

interface Call {
  readonly dueMs: number;
  readonly fail: (error: Error) => void;
}

export class RedisLink {
  readonly #options: RedisLinkOptions;
  #client: RedisClient | null = null;
  /** In the order in which they were sent, which is that of the replies. */
  readonly #calls = new Set<Call>();
  #timer: Timer | null = null;
  /** The call that is in its grace. */
  #late: Call | null = null;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
  }

  /** One attempt, in a bounded time. @throws Error that says what was wrong, without the address's password. */
  async connect(): Promise<void> {
    const client = await connectToRedis(this.#options, (fresh) =>
      Promise.all(Object.values(scripts).map(({ text }) => fresh.send('SCRIPT', ['LOAD', text]))),
    );
    client.onclose = () => this.#dropIf(client, 'the connection has ended');
    this.#client = client;
  }

  /** @throws RedisAway when there is no answer in time, or one that is no list of numbers; the connection ends then. */
  run(step: Step, keys: readonly string[], args: readonly (string | number)[]): Promise<readonly number[]> {
    const client = this.#client;
    if (client === null) return Promise.reject(new RedisAway('there is no connection'));
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    const call: Call = { dueMs: this.#options.clock.monotonicMs() + this.#options.timeoutMs, fail: reject };
    this.#calls.add(call);
    if (this.#timer === null) this.#watch(call.dueMs);
    const told = [scripts[step].sha, String(keys.length), ...keys, ...args.map(String)];
    client.send('EVALSHA', told).then(
      (reply: unknown) => {
        if (!isNumbers(reply)) return this.#dropIf(client, 'it answered what nobody asked for');
        this.#calls.delete(call);
        resolve(reply);
      },
      (thrown: unknown) => this.#dropIf(client, describeThrown(thrown)),
    );
    return promise;
  }

  /** Ends the connection and all calls under way. */
  drop(reason: string): void {
    const client = this.#client;
    if (client === null) return;
    this.#client = null;
    this.#timer?.cancel();
    this.#timer = null;
    const calls = [...this.#calls];
    this.#calls.clear();
    // Before the calls end: who made them then knows already that there is nobody to ask.
    this.#options.onDown(reason);
    for (const { fail } of calls) fail(new RedisAway(reason));
    client.close();
  }

  /** What is said of an old connection says nothing of the one that stands: its calls ended with it. */
  #dropIf(client: RedisClient, reason: string): void {
    if (this.#client === client) this.drop(reason);
  }

  /** One timer for all calls: the first that was sent is the first that is due. */
  #watch(dueMs: number): void {
    const { clock, timeoutMs } = this.#options;
    this.#timer = clock.after(Math.max(0, dueMs - clock.monotonicMs()), () => {
      this.#timer = null;
      const [first] = this.#calls;
      if (first === undefined) return;
      const nowMs = clock.monotonicMs();
      const stoodStillMs = nowMs - dueMs;
      if (nowMs < first.dueMs) {
        this.#watch(first.dueMs);
      } else if (this.#late === first) {
        this.drop(`it has not answered within ${timeoutMs} ms`);
      } else {
        this.#late = first;
        this.#watch(nowMs + Math.max(graceMs, Math.min(timeoutMs, stoodStillMs)));
      }
    });
  }
}

const isNumbers = (reply: unknown): reply is readonly number[] =>
  Array.isArray(reply) && reply.every((each) => typeof each === 'number');
