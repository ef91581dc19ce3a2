/**
 * Answers that all processes keep together in Redis, sealed under the service secret. While Redis is away each process
 * keeps those of its own requests.
 */
import type { RedisClient } from 'bun';
import { type Clock, type Timer, withinTime } from '../base/clock.ts';
import type { Envelope } from '../base/envelope.ts';
import { describeThrown } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { connectToRedis } from '../base/redis-connection.ts';
import {
  type Claim,
  entryBytes,
  type KeptAnswer,
  type KeptAnswers,
  type KeyUse,
  keptForMs,
  MemoryAnswers,
  mostBytesOfKey,
} from './kept-answers.ts';

export interface RedisAnswersOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'requestId'>;
  readonly envelope: Envelope;
  readonly log: Log;
  /** That a request waits for Redis at most, at each question; 250 when not given. */
  readonly timeoutMs?: number;
}

const prefix = 'sluice:idempotency:';
const shelfPrefix = 'sluice:idempotency-shelf:';
/** After a failure nobody waits for Redis for so long. */
const awayForMs = 3000;
/** That a claim outlives its process. */
const leaseMs = 60_000;
const renewEveryMs = 20_000;

/** Deletes what is kept under a name only if it is still that: a claim of its owner, or an answer that cannot be read. */
const releaseScript =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Lengthens a claim only while it is its owner's: what was kept under the name meanwhile has a longer life already. */
const renewScript =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/**
 * Keeps an answer and deletes the oldest ones of its API key beyond the key's share. The score of a name on the key's shelf
 * is where its answer ends when all that were ever kept of the key are laid end to end, so that how much the newest take
 * is a difference of two scores, whatever has ended or was dropped meanwhile. A name may have been claimed again since.
 */
const keepScript = `
  local name, shelf = KEYS[1], KEYS[2]
  local answer, lifeMs, bytes, share = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  redis.call('SET', name, answer, 'PX', lifeMs)
  local last = redis.call('ZREVRANGE', shelf, 0, 0, 'WITHSCORES')
  local ends = (tonumber(last[2]) or 0) + bytes
  redis.call('ZADD', shelf, ends, name)
  redis.call('PEXPIRE', shelf, lifeMs)
  for _, oldest in ipairs(redis.call('ZRANGEBYSCORE', shelf, '-inf', ends - share)) do
    redis.call('ZREM', shelf, oldest)
    if redis.call('GETRANGE', oldest, 0, 0) == 'a' then redis.call('DEL', oldest) end
  end
`;

export class RedisAnswers implements KeptAnswers {
  readonly #options: Required<RedisAnswersOptions>;
  readonly #alone: MemoryAnswers;
  /** The requests of this process that are under way, by name. */
  readonly #claimed = new Map<string, { readonly fingerprint: string; readonly pending: string }>();
  #client: RedisClient | null = null;
  #connecting: Promise<void> | null = null;
  #retryAtMs = 0;
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(options: RedisAnswersOptions) {
    this.#options = { timeoutMs: 250, ...options };
    this.#alone = new MemoryAnswers(options.clock);
  }

  async claim(use: KeyUse): Promise<Claim> {
    // What is under way here it knows also while Redis is away, or has come back empty.
    const own = this.#claimed.get(prefix + use.name);
    if (own !== undefined) {
      return { kind: own.fingerprint === use.fingerprint ? 'under_way' : 'other_request' };
    }
    // What it took while Redis was away nobody else knows, also now that it is back.
    if (this.#alone.knows(use)) return this.#alone.claim(use);
    try {
      return await this.#claimShared(use);
    } catch (error) {
      this.#leave(error);
      return this.#alone.claim(use);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#client?.close();
    this.#client = null;
    this.#alone.close();
  }

  async #claimShared(use: KeyUse): Promise<Claim> {
    const name = prefix + use.name;
    const pending = `p ${use.fingerprint} ${this.#options.ids.requestId()}`;
    // What was there can end between both questions: then it is free.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const taken = await this.#send('SET', [name, pending, 'NX', 'PX', String(leaseMs)]);
      if (taken !== null) return this.#mine(use, pending);
      const found = await this.#send('GET', [name]);
      if (typeof found !== 'string') continue;
      const claim = await this.#read(found, use);
      if (claim !== null) return claim;
      await this.#send('EVAL', [releaseScript, '1', name, found]);
    }
    return { kind: 'under_way' };
  }

  #mine(use: KeyUse, pending: string): Claim {
    const name = prefix + use.name;
    this.#claimed.set(name, { fingerprint: use.fingerprint, pending });
    this.#renewLater();
    return {
      kind: 'mine',
      keep: async (answer) => {
        try {
          const sealed = await this.#options.envelope.seal(JSON.stringify(answer));
          const entry = `a ${use.fingerprint} ${sealed}`;
          const numbers = [keptForMs, entry.length + entryBytes, mostBytesOfKey].map(String);
          await this.#send('EVAL', [keepScript, '2', name, `${shelfPrefix}${use.keyId}`, entry, ...numbers]);
        } catch (error) {
          this.#leave(error);
          this.#alone.keep(use, answer);
        } finally {
          this.#claimed.delete(name);
        }
      },
      release: async () => {
        this.#claimed.delete(name);
        const args = [releaseScript, '1', name, pending];
        await this.#send('EVAL', args).catch((error) => this.#leave(error));
      },
    };
  }

  /** Null for an answer that does not open, sealed under another service secret or altered: it is as if there were none. */
  async #read(found: string, use: KeyUse): Promise<Claim | null> {
    const [kind, fingerprint, sealed = ''] = found.split(' ');
    if (fingerprint !== use.fingerprint) return { kind: 'other_request' };
    if (kind === 'p') return { kind: 'under_way' };
    try {
      const answer: KeptAnswer = JSON.parse(await this.#options.envelope.open(sealed));
      return { kind: 'kept', answer };
    } catch {
      return null;
    }
  }

  async #send(command: string, args: readonly string[]): Promise<unknown> {
    const client = await this.#connected();
    return await withinTime(this.#options.clock, this.#options.timeoutMs, (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      client.send(command, [...args]).then(resolve, reject);
      return promise;
    });
  }

  async #connected(): Promise<RedisClient> {
    if (this.#client === null) {
      if (this.#isClosed || this.#options.clock.monotonicMs() < this.#retryAtMs)
        throw new Error('Redis is away');
      this.#connecting ??= this.#connect().finally(() => {
        this.#connecting = null;
      });
      await this.#connecting;
    }
    if (this.#client === null) throw new Error('Redis is away');
    return this.#client;
  }

  async #connect(): Promise<void> {
    const client = await connectToRedis(this.#options);
    if (this.#isClosed) return client.close();
    client.onclose = () => {
      if (this.#client === client) this.#client = null;
    };
    this.#client = client;
  }

  /** Nobody waits for it for a while. */
  #leave(error: unknown): void {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.#retryAtMs && !this.#isClosed) {
      log.warn('Redis is away: idempotency keys are known to each process alone', {
        detail: describeThrown(error),
      });
      this.#retryAtMs = nowMs + awayForMs;
    }
    const client = this.#client;
    this.#client = null;
    client?.close();
  }

  /** One timer for all that is under way, while something is. */
  #renewLater(): void {
    if (this.#timer !== null || this.#claimed.size === 0 || this.#isClosed) return;
    this.#timer = this.#options.clock.after(renewEveryMs, () => {
      this.#timer = null;
      for (const [name, { pending }] of this.#claimed) {
        const args = [renewScript, '1', name, pending, String(leaseMs)];
        this.#send('EVAL', args).catch((error) => this.#leave(error));
      }
      this.#renewLater();
    });
  }
}
