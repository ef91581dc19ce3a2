/** The limiter of several processes that count together in Redis, each by itself with its share while that is away. */
import type { Clock, Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { admitHere, concurrentOf, settleMeters, statesOf } from './counting.ts';
import { type Holder, Holders, type Meters, nameOf, type Seat } from './holders.ts';
import {
  type LimitedCaller,
  type Limiter,
  type LimitHolderKind,
  type LimitReport,
  type Limits,
  RateLimitedError,
  type Ticket,
  unlimitedTicket,
} from './limiter.ts';
import { LocalShare } from './local-share.ts';
import { RedisAway, RedisLink } from './redis-link.ts';
import { type Step, unknownProcess } from './redis-scripts.ts';
import { type SharedCounting, SharedTicket } from './shared-ticket.ts';

export interface RedisLimiterOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What every name in Redis begins with; `sluice:limits:` when not given. */
  readonly prefix?: string;
  /** That a request waits for Redis at most, once; 50 when not given. */
  readonly timeoutMs?: number;
  /** That a process's places outlive it; 15,000 when not given. */
  readonly leaseMs?: number;
  /** The time of the meters in place of Redis's own, for tests in which time stands still. */
  readonly readMs?: () => number;
}

const firstPauseMs = 100;
const longestPauseMs = 3000;
/** Told in one call when the shared state is back; a call of so many takes Redis about a millisecond. */
const toldAtOnce = 100;
/** As many as are remembered at all; of more the first are forgotten. */
const mostUntold = 50_000;
/** So many can be told in front of the first request that is counted there again. */
const toldAtLast = 200;

export class RedisLimiter implements Limiter, SharedCounting {
  readonly #options: Required<Omit<RedisLimiterOptions, 'readMs'>> & Pick<RedisLimiterOptions, 'readMs'>;
  readonly #link: RedisLink;
  readonly holders = new Holders();
  /** Null while all count together. */
  #share: LocalShare | null = new LocalShare(1);
  /** Of whom the shared state does not know all. */
  readonly #untold = new Set<Holder>();
  /** Another one for each connection, so that what is still under way on an old one does nothing. */
  #process = '';
  /** How many count together, as last told. */
  processes = 1;
  #pauseMs = firstPauseMs;
  #timer: Timer | null = null;
  #isClosed = false;
  #isAwayTold = false;

  private constructor(options: RedisLimiterOptions) {
    this.#options = { prefix: 'sluice:limits:', timeoutMs: 50, leaseMs: 15_000, ...options };
    const { url, clock, timeoutMs } = this.#options;
    this.#link = new RedisLink({ url, clock, timeoutMs, onDown: (reason) => this.#leave(reason) });
  }

  /** Resolves after the first attempt, of about a second at most, whatever came of it. It goes on trying. */
  static async open(options: RedisLimiterOptions): Promise<RedisLimiter> {
    const limiter = new RedisLimiter(options);
    await limiter.#connect();
    return limiter;
  }

  admit(caller: LimitedCaller): MaybePromise<Ticket> {
    if (caller.keyLimits === null && caller.userLimits === null) return unlimitedTicket;
    const seats = this.holders.seatsOf(caller);
    return this.#share === null ? this.#admitShared(seats) : this.#admitHere(seats, this.#share);
  }

  async #admitShared(seats: readonly Seat[]): Promise<Ticket> {
    const reply = await this.ask('admit', seats, []);
    if (reply === null) return this.#admitHere(seats, this.share());
    this.requireRoom(reply, seats);
    for (const { holder } of seats) this.holders.enter(holder);
    return new SharedTicket(seats, this);
  }

  #admitHere(seats: readonly Seat[], share: LocalShare): Ticket {
    const nowMs = this.nowMs();
    const counted = seats.map((seat) => share.seatOf(seat, nowMs));
    admitHere(counted, this.holders, nowMs);
    this.touch(seats);
    return new SharedTicket(seats, this);
  }

  async stateOf(id: number, limits: Limits, whose: LimitHolderKind = 'key'): Promise<LimitReport> {
    const unseen: Holder = {
      ...{ whose, id, limits },
      ...{ requests: null, tokens: null, underWay: 0, reserved: 0 },
    };
    const holder = this.holders.peek(whose, id) ?? unseen;
    const reply = this.#share === null ? await this.ask('look', [{ holder: unseen, limits }], []) : null;
    if (reply !== null) {
      const concurrent = concurrentOf(limits, reply[5] ?? 0);
      return { ...statesOf([unseen]), concurrent, countedBy: 'shared' };
    }
    const { limits: own, meters } = this.share().look({ holder, limits }, this.nowMs());
    return { ...statesOf([meters]), concurrent: concurrentOf(own, holder.underWay), countedBy: 'share' };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    // The others need not wait for the lease to end.
    await this.#link.run('leave', [this.#processesName], [this.#process, '']).catch(() => undefined);
    this.#link.drop('it is closed');
  }

  get localShare(): LocalShare | null {
    return this.#share;
  }

  share(): LocalShare {
    this.#share ??= new LocalShare(this.processes);
    return this.#share;
  }

  touch(seats: readonly Seat[]): void {
    for (const { holder } of seats) this.#untold.add(holder);
    if (this.#untold.size <= mostUntold) return;
    // Whose requests are under way is told in any case.
    for (const holder of this.#untold.values().take(seats.length)) this.#untold.delete(holder);
  }

  async ask(step: Step, seats: readonly Seat[], args: readonly number[]): Promise<readonly number[] | null> {
    try {
      const reply = await this.#run(step, seats, args);
      const nowMs = this.nowMs();
      for (const [at, { holder, limits }] of seats.entries()) {
        settleMeters(holder, limits, nowMs);
        if (holder.requests !== null) holder.requests.used = reply[3 + 3 * at] ?? 0;
        if (holder.tokens !== null) holder.tokens.used = reply[4 + 3 * at] ?? 0;
      }
      return reply;
    } catch (thrown) {
      if (thrown instanceof RedisAway) return null;
      throw thrown;
    }
  }

  async #run(step: Step, seats: readonly Seat[], args: readonly number[]): Promise<readonly number[]> {
    const keys = [
      this.#processesName,
      ...seats.map(({ holder }) => `${this.#options.prefix}${nameOf(holder)}`),
    ];
    const time = this.#options.readMs?.() ?? '';
    const limits = seats.flatMap((seat) => writtenLimits(seat.limits));
    const reply = await this.#link.run(step, keys, [this.#process, time, ...limits, ...args]);
    if (reply[0] !== unknownProcess) return reply;
    this.#link.drop('the lease of this process was over');
    throw new RedisAway();
  }

  requireRoom([whose = 0, what = 0, waitMs = 0]: readonly number[], seats: readonly Seat[]): void {
    const refusing = seats[whose - 1];
    if (refusing === undefined) return;
    const name = kinds[what - 1] ?? 'requestsPerMinute';
    const exceeded = { whose: refusing.holder.whose, what: name, limit: refusing.limits[name] ?? 0, waitMs };
    throw new RateLimitedError(exceeded, statesOf(seats.map(({ holder }) => holder)));
  }

  nowMs(): number {
    return Math.floor(this.#options.clock.monotonicMs());
  }

  get #processesName(): string {
    return `${this.#options.prefix}processes`;
  }

  /** From now on each counts for itself. */
  #leave(reason: string): void {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    this.share();
    this.#tellAway(`${reason}; each of ${this.processes} lets its share through`);
    this.#tryLater();
  }

  /** Once, however often it is tried. */
  #tellAway(detail: string): void {
    if (this.#isAwayTold) return;
    this.#isAwayTold = true;
    this.#options.log.warn('Redis is away, limits are counted by each process', { detail });
  }

  #tryLater(): void {
    this.#timer = this.#options.clock.after(this.#pauseMs, () => void this.#connect());
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }

  async #connect(): Promise<void> {
    try {
      await this.#link.connect();
      // Closed meanwhile: nobody else would end it.
      if (this.#isClosed) return this.#link.drop('it is closed');
      await this.#join();
    } catch (thrown) {
      // What ended a connection that stood has been told.
      if (thrown instanceof RedisAway || this.#isClosed) return;
      this.#tellAway(`${describeThrown(thrown)}; each of ${this.processes} lets its share through`);
      this.#tryLater();
    }
  }

  /** Makes itself known, tells what it holds and what was taken meanwhile, and counts with the others from then on. */
  async #join(): Promise<void> {
    const former = this.#process;
    this.#process = crypto.randomUUID();
    const { leaseMs, log } = this.#options;
    const registered = [this.#process, '', leaseMs, former];
    this.processes = await this.#count('register', registered);
    for (const holder of this.holders.open()) this.#untold.add(holder);
    while (this.#untold.size > toldAtLast) await this.#tellSome();
    // Sent before any request of the new time, on the same connection, and so done before it. What fails ends that.
    while (this.#untold.size > 0) this.#tellSome().catch(() => undefined);
    this.#share = null;
    this.#isAwayTold = false;
    log.info('limits are counted in Redis, together with the other processes');
    this.#renewLater();
  }

  /** Of the first in line, so many that the call is answered in time. */
  async #tellSome(): Promise<void> {
    const nowMs = this.nowMs();
    const told = [...this.#untold.values().take(toldAtOnce)].map((holder) => {
      this.#untold.delete(holder);
      // Of whom the shared state has never told, too: what is taken of them has to be kept in mind if this goes wrong.
      settleMeters(holder, holder.limits, nowMs);
      return { holder, taken: this.share().tell(holder, nowMs) };
    });
    const numbers = told.flatMap(({ holder, taken }) => {
      const { requests, tokens, underWay, reserved } = holder;
      return [requests?.used ?? 0, tokens?.used ?? 0, taken.requests, taken.tokens, underWay, reserved];
    });
    const seats = told.map(({ holder }) => ({ holder, limits: holder.limits }));
    try {
      await this.#run('restore', seats, numbers);
    } catch (thrown) {
      // Nobody knows whether it came through: it is kept in mind as in use, to be told once the next time.
      for (const { holder, taken } of told) remember(holder, taken);
      this.touch(seats);
      throw thrown;
    }
  }

  #renewLater(): void {
    const { clock, leaseMs } = this.#options;
    this.#timer = clock.after(leaseMs / 3, async () => {
      try {
        this.processes = await this.#count('renew', [this.#process, '', leaseMs]);
        // Only now: a Redis that comes and goes is not asked ten times a second.
        this.#pauseMs = firstPauseMs;
        if (!this.#isClosed && this.#share === null) this.#renewLater();
      } catch {
        // The link has told why, and begins anew.
      }
    });
  }

  async #count(step: 'register' | 'renew', args: readonly (string | number)[]): Promise<number> {
    const [count = 1] = await this.#link.run(step, [this.#processesName], args);
    if (count !== unknownProcess) return count;
    this.#link.drop('the lease of this process was over');
    throw new RedisAway();
  }
}

const kinds = ['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'] as const;

const writtenLimits = (limits: Limits): readonly (string | number)[] =>
  kinds.map((kind) => limits[kind] ?? '');

function remember({ requests, tokens }: Meters, taken: { requests: number; tokens: number }): void {
  if (requests !== null) requests.used = Math.max(0, requests.used + taken.requests);
  if (tokens !== null) tokens.used = Math.max(0, tokens.used + taken.tokens);
}
