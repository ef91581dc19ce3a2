/** Keeps one connection listening to the change channel, again after each loss. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import { changeChannel } from './change-feed.ts';
import type { DatabaseClient } from './database-client.ts';

const firstPauseMs = 100;
const longestPauseMs = 5000;

export class ChangeListening {
  readonly #client: DatabaseClient;
  readonly #clock: Clock;
  readonly #onResumed: () => void;
  readonly #stopping = new AbortController();
  #isResuming = false;

  /** @param onResumed called each time listening is in force again after a loss. */
  constructor(client: DatabaseClient, clock: Clock, onResumed: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.#onResumed = onResumed;
  }

  /** Rejects when the database cannot be asked. */
  async start(): Promise<void> {
    await this.#client.db.execute(sql.raw(`LISTEN ${changeChannel}`));
  }

  /** To be called when the client lost its connection. */
  async resume(): Promise<void> {
    const { signal } = this.#stopping;
    if (this.#isResuming || signal.aborted) return;
    this.#isResuming = true;
    for (let pauseMs = firstPauseMs; !(await this.#hasStarted()); pauseMs *= 2) {
      await this.#clock.sleep(Math.min(pauseMs, longestPauseMs), signal);
      if (signal.aborted) return;
    }
    this.#isResuming = false;
    this.#onResumed();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #hasStarted(): Promise<boolean> {
    try {
      await this.start();
      return true;
    } catch {
      return false;
    }
  }
}
