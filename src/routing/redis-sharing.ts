/**
 * What the processes of a service tell each other by Redis: circuits that open and close, and who answered which
 * conversation. Everything is told behind the requests; while Redis is away each process goes by what it knows itself.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CircuitState } from './circuit.ts';
import { SharingLink } from './sharing-link.ts';
import { beatScript, namesIn, readScript } from './sharing-scripts.ts';
import { readReport, readTold, type ToldCircuit } from './told-circuit.ts';
import { Untold } from './untold.ts';

/** Whoever remembers: what others tell reaches it, and what it knows is told when the connection is new. */
export interface SharingListener {
  learn(name: string, state: CircuitState): void;
  circuits(): Iterable<readonly [string, CircuitState]>;
  /** By which the times of circuits are told. */
  nowMs(): number;
  /** What was told before may have been lost. */
  joined(): void;
}

/** What others are told, and asked. */
export interface Sharing {
  tellCircuit(name: string, state: CircuitState): void;
  tellSession(session: string, account: string): void;
  /** Bounded in time, and never rejects: null where nobody knows, or nobody can be asked. */
  findSession(session: string): Promise<string | null>;
  tellState(word: string, holder: string): void;
  /** As `findSession`. */
  findState(word: string): Promise<string | null>;
  /** How many there are, this one included, as last told. */
  readonly processes: number;
}

export interface RedisSharingOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What every name in Redis begins with; `sluice:routing:` when not given. */
  readonly prefix?: string;
  /** That a request waits for Redis at most; 25 when not given. */
  readonly timeoutMs?: number;
}

const writeTimeoutMs = 1000;
const firstPauseMs = 100;
const longestPauseMs = 3000;
/** What is told within so long is told together, so that a storm of failures is one message. */
const tellAfterMs = 20;
const beatEveryMs = 5000;
const leaseMs = 15_000;

export class RedisSharing implements Sharing {
  readonly #options: Required<RedisSharingOptions>;
  readonly #names: ReturnType<typeof namesIn>;
  readonly #listener: SharingListener;
  readonly #process = crypto.randomUUID();
  readonly #untold = new Untold();
  /** Null while Redis is away. */
  #link: SharingLink | null = null;
  /** It has not answered in time, so that nobody waits for it until it does. */
  #isDoubted = false;
  #pauseMs = firstPauseMs;
  #retry: Timer | null = null;
  #beat: Timer | null = null;
  #telling: Timer | null = null;
  #isClosed = false;
  #isAwayTold = false;
  #processes = 1;

  private constructor(options: RedisSharingOptions, listener: SharingListener) {
    this.#options = { prefix: 'sluice:routing:', timeoutMs: 25, ...options };
    this.#names = namesIn(this.#options.prefix);
    this.#listener = listener;
  }

  /** Resolves after the first attempt, of a few seconds at most, whatever came of it. It goes on trying. */
  static async open(options: RedisSharingOptions, listener: SharingListener): Promise<RedisSharing> {
    const sharing = new RedisSharing(options, listener);
    await sharing.#connect();
    return sharing;
  }

  get processes(): number {
    return this.#processes;
  }

  tellCircuit(name: string, state: CircuitState): void {
    this.#untold.circuits.add(name, state);
    this.#tellLater();
  }

  tellSession(session: string, account: string): void {
    this.#untold.sessions.add(session, account);
    this.#tellLater();
  }

  tellState(word: string, holder: string): void {
    this.#untold.states.add(word, holder);
    this.#tellLater();
  }

  findSession(session: string): Promise<string | null> {
    return this.#find('GET', [this.#names.session(session)]);
  }

  findState(word: string): Promise<string | null> {
    return this.#find('HGET', [this.#names.states, word]);
  }

  async #find(command: string, args: string[]): Promise<string | null> {
    const link = this.#link;
    if (link === null || this.#isDoubted) return null;
    try {
      const found = await link.send(command, args, this.#options.timeoutMs);
      return typeof found === 'string' ? found : null;
    } catch (error) {
      if (error instanceof DOMException) this.#doubt(link);
      else link.end(asError(error));
      return null;
    }
  }

  /** Tells what is still to be told, as far as that goes at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#retry, this.#beat, this.#telling]) timer?.cancel();
    const link = this.#link;
    if (link === null) return;
    const gone = async () => {
      await this.#tell(link);
      await link.send('ZREM', [this.#names.processes, this.#process], writeTimeoutMs);
    };
    await gone().catch(() => undefined);
    this.#link = null;
    link.close();
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const link = await this.#open();
      await this.#join(link);
    } catch (error) {
      this.#away(describeThrown(error));
    }
  }

  async #open(): Promise<SharingLink> {
    const { url, clock } = this.#options;
    const link = await SharingLink.open({
      ...{ url, clock, channel: this.#names.told },
      onMessage: (message) => this.#hear(message),
      onEnd: (reason) => {
        if (this.#link !== link) return;
        this.#link = null;
        this.#beat?.cancel();
        this.#away(reason.message);
      },
    });
    return link;
  }

  /** It listens already: first it tells what it knows, then it reads what others know. */
  async #join(link: SharingLink): Promise<void> {
    try {
      await this.#count(link);
      this.#untold.circuits.putBack([...this.#listener.circuits()]);
      await this.#tell(link);
      const known = await link.send('EVAL', [readScript, '1', this.#names.circuits], writeTimeoutMs);
      for (const told of readReport(known)) this.#learn(told);
    } catch (error) {
      link.close();
      throw error;
    }
    if (this.#isClosed) {
      link.close();
      return;
    }
    this.#link = link;
    this.#isDoubted = false;
    this.#isAwayTold = false;
    this.#listener.joined();
    this.#beatLater(link);
    this.#tellLater();
  }

  #hear(message: string): void {
    const told = readTold(message);
    if (told !== null && told.from !== this.#process) this.#learn(told);
  }

  #learn({ name, remainingMs, state }: ToldCircuit): void {
    const openUntilMs = remainingMs > 0 ? this.#listener.nowMs() + remainingMs : 0;
    this.#listener.learn(name, { ...state, openUntilMs });
  }

  #tellLater(): void {
    if (this.#telling !== null || this.#link === null || this.#isClosed) return;
    if (this.#untold.size === 0) return;
    this.#telling = this.#options.clock.after(tellAfterMs, () => void this.#tellNow());
  }

  async #tellNow(): Promise<void> {
    const link = this.#link;
    try {
      if (link !== null) await this.#tell(link);
    } catch (error) {
      link?.end(asError(error));
    }
    this.#telling = null;
    this.#tellLater();
  }

  #tell(link: SharingLink): Promise<void> {
    const nowMs = this.#listener.nowMs();
    const telling = { link, names: this.#names, process: this.#process, nowMs };
    return this.#untold.tell({ ...telling, withinMs: writeTimeoutMs });
  }

  #beatLater(link: SharingLink): void {
    this.#beat = this.#options.clock.after(beatEveryMs, () => {
      this.#count(link).then(
        () => {
          // Only now: a Redis that comes and goes is not asked ten times a second.
          this.#pauseMs = firstPauseMs;
          if (this.#link === link) this.#beatLater(link);
        },
        (error) => link.end(asError(error)),
      );
    });
  }

  async #count(link: SharingLink): Promise<void> {
    const args = [beatScript, '1', this.#names.processes, this.#process, String(leaseMs)];
    const count = await link.send('EVAL', args, writeTimeoutMs);
    if (typeof count === 'number') this.#processes = Math.max(1, count);
  }

  /** It may be this process that stood still: Redis is away only when it does not answer in a longer time either. */
  #doubt(link: SharingLink): void {
    if (this.#isDoubted) return;
    this.#isDoubted = true;
    link.send('PING', [], writeTimeoutMs).then(
      () => {
        if (this.#link === link) this.#isDoubted = false;
      },
      (error) => link.end(asError(error)),
    );
  }

  #away(detail: string): void {
    if (this.#isClosed) return;
    const { log, clock } = this.#options;
    if (!this.#isAwayTold) {
      const message = 'Redis is away: what is known of providers and conversations is each process its own';
      log.warn(message, { detail });
    }
    this.#isAwayTold = true;
    this.#retry?.cancel();
    this.#retry = clock.after(this.#pauseMs, () => void this.#connect());
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
