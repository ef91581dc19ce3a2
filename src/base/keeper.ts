/** Work that goes on beside the requests of a process: a round at once, and another a while after each. */
import type { Clock, Timer } from './clock.ts';
import { describeThrown } from './errors.ts';
import type { Log } from './log.ts';

export interface KeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** From the end of a round to the beginning of the next. */
  readonly pauseMs: number;
  /** Said in the log when a round fails, and what that means. */
  readonly failure: string;
  /**
   * One round. Processes do theirs beside one another: a round that must be alone takes its turn in the database. A long
   * one looks at `closing` between its parts, and leaves the rest to the next.
   */
  readonly round: (closing: AbortSignal) => Promise<void>;
}

/** Waits for what is under way, but not for longer than so: a database can be silent for as long as it likes. */
export async function closeKeepers(
  keepers: readonly { close(): Promise<void> }[],
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
): Promise<void> {
  const isOver = new AbortController();
  const all = Promise.all(keepers.map((keeper) => keeper.close())).finally(() => isOver.abort());
  await Promise.race([all, clock.sleep(limitMs, isOver.signal)]);
}

/** A round that fails every other second would fill the log. */
const silentMs = 60_000;

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #closing = new AbortController();
  #timer: Timer | undefined;
  #round: Promise<void>;
  /** When it last said that rounds fail; undefined since one went well. */
  #saidAtMs: number | undefined;

  /** It begins at once, beside what its process does. */
  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#round = this.#run();
  }

  /** Waits for what is under way; no round begins after it. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#timer?.cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { clock, pauseMs, round } = this.#options;
    const { signal } = this.#closing;
    try {
      await round(signal);
      this.#saidAtMs = undefined;
    } catch (error) {
      this.#say(error);
    }
    if (signal.aborted) return;
    this.#timer = clock.after(pauseMs, () => {
      this.#round = this.#run();
    });
  }

  #say(error: unknown): void {
    const { clock, log, failure } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#saidAtMs !== undefined && nowMs - this.#saidAtMs < silentMs) return;
    this.#saidAtMs = nowMs;
    log.warn(failure, { detail: describeThrown(error) });
  }
}
