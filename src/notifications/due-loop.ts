/** A loop over what is due: woken when something is added, by the time when something is due again, and once a minute. */
import type { Clock, Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';

const longestPauseMs = 60_000;
/** Behind a round that failed; twice as long behind each further one. */
const failurePauseMs = 1000;
/** What is due and was not taken twice is locked by another process: it is looked for again only so often. */
const lockedPauseMs = 250;

export interface DueLoopOptions {
  readonly changes: ChangeFeed;
  /** Announced when something is added. */
  readonly topic: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Said in the log when a round fails. */
  readonly failure: string;
  /** Does all that is due. @returns when the next is, in milliseconds since the epoch; null when nothing waits. */
  readonly round: (isClosing: () => boolean) => Promise<number | null>;
}

export class DueLoop {
  readonly #options: DueLoopOptions;
  readonly #unsubscribe: () => void;
  #timer: Timer | undefined;
  #round: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosing = false;
  /** Rounds that failed one after the other. */
  #failures = 0;
  /** The last round left something that was due. */
  #hasLeft = false;

  /** It begins at once. */
  constructor(options: DueLoopOptions) {
    this.#options = options;
    this.#unsubscribe = options.changes.subscribe(options.topic, () => this.wake());
    this.wake();
  }

  /** @returns what is under way, which ends soon; undefined where nothing is. */
  stop(): Promise<void> | undefined {
    this.#unsubscribe();
    this.#timer?.cancel();
    this.#isClosing = true;
    return this.#round;
  }

  /** A round now, or after the one that goes on. */
  wake(): void {
    if (this.#isClosing) return;
    if (this.#round !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#timer?.cancel();
    this.#round = this.#run();
  }

  async #run(): Promise<void> {
    const { clock, log, failure, round } = this.#options;
    let pauseMs = longestPauseMs;
    try {
      do {
        this.#isAskedAgain = false;
        const dueMs = (await round(() => this.#isClosing)) ?? Number.POSITIVE_INFINITY;
        pauseMs = this.#pauseUntil(dueMs - clock.nowMs());
        this.#failures = 0;
      } while (this.#isAskedAgain && !this.#isClosing);
    } catch (error) {
      log.error(failure, { detail: describeThrown(error) });
      // Whoever woke it is not told again: what they added would wait a minute for a database that was away for a second.
      pauseMs = Math.min(longestPauseMs, failurePauseMs * 2 ** this.#failures);
      this.#failures += 1;
    }
    this.#round = undefined;
    if (!this.#isClosing) this.#timer = clock.after(pauseMs, () => this.wake());
  }

  #pauseUntil(dueInMs: number): number {
    const hadLeft = this.#hasLeft;
    this.#hasLeft = dueInMs <= 0;
    if (!this.#hasLeft) return Math.min(longestPauseMs, dueInMs);
    return hadLeft ? lockedPauseMs : 0;
  }
}

/**
 * Does it once more after each of the pauses as long as it fails; once it is aborted, without a pause and for the last time.
 * @throws what it threw at last.
 */
export async function insist<Result>(
  work: () => Promise<Result>,
  {
    clock,
    pausesMs,
    signal,
  }: Pick<DueLoopOptions, 'clock'> & {
    readonly pausesMs: readonly number[];
    readonly signal: AbortSignal;
  },
): Promise<Result> {
  for (let at = 0; ; at += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pausesMs[at];
      if (pauseMs === undefined || signal.aborted) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}

/** Waits for what is under way, but no longer than `limitMs`; then `abort` ends it. */
export async function endWithin(
  underWay: Promise<unknown> | undefined,
  { clock, limitMs, abort }: { readonly clock: Clock; readonly limitMs: number; abort(): void },
): Promise<void> {
  if (underWay === undefined) return;
  const enough = new AbortController();
  await Promise.race([underWay.then(() => enough.abort()), clock.sleep(limitMs, enough.signal)]);
  abort();
  await underWay;
}
