/** Tells every process that shares the database, this one included, what a committed transaction changed. */
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Executor } from './database.ts';
import type { DatabaseClient } from './database-client.ts';

/** Stands for every key of a topic: what was cached of it may be out of date. */
export const everyKey = '*';

export type ChangeListener = (key: string) => void;

export interface ChangeFeed {
  /**
   * Announces a change. Inside a transaction listeners hear of it once that commits, and never when it rolls back.
   * A key too long to send becomes `*`. Commits that publish wait for each other: keep it out of the hot path.
   */
  publish(executor: Executor, topic: string, key: string): Promise<void>;
  /** @returns a function that ends the subscription. A key of `*` means that everything may have changed. */
  subscribe(topic: string, listener: ChangeListener): () => void;
}

const changeChannel = 'sluice_changes';

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const largestPayloadBytes = 7999;
const payloadShape = z.tuple([z.string(), z.string()]);

/** Built on NOTIFY, which has the wanted meaning on both databases: nothing before the commit, nothing without it. */
export class NotifyingChangeFeed implements ChangeFeed {
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  readonly #warn: (message: string) => void;

  constructor(onWarning: (message: string) => void) {
    this.#warn = onWarning;
  }

  async publish(executor: Executor, topic: string, key: string): Promise<void> {
    await executor.execute(sql`SELECT pg_notify(${changeChannel}, ${writePayload(topic, key)})`);
  }

  subscribe(topic: string, listener: ChangeListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    // Wrapped, so that the same function can be subscribed twice and ended once.
    const subscription: ChangeListener = (key) => listener(key);
    listeners.add(subscription);
    return () => {
      listeners.delete(subscription);
    };
  }

  deliver(payload: string): void {
    const change = readPayload(payload);
    if (change === null) {
      this.#warn('A message on the change channel could not be read.');
      return;
    }
    const [topic, key] = change;
    this.#call(this.#listeners.get(topic) ?? [], key);
  }

  /** For when messages may have been missed. */
  everythingMayHaveChanged(): void {
    for (const listeners of this.#listeners.values()) this.#call(listeners, everyKey);
  }

  #call(listeners: Iterable<ChangeListener>, key: string): void {
    for (const listener of [...listeners]) {
      try {
        listener(key);
      } catch (error) {
        this.#warn(`A listener to changes failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

function writePayload(topic: string, key: string): string {
  const payload = JSON.stringify([topic, key]);
  if (Buffer.byteLength(payload) <= largestPayloadBytes) return payload;
  return JSON.stringify([topic, everyKey]);
}

function readPayload(payload: string): [topic: string, key: string] | null {
  try {
    return payloadShape.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}

const firstPauseMs = 100;
const longestPauseMs = 5000;
/** With the time that a statement is given to answer, a dead connection is found within a minute. */
const pulseMs = 30_000;

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

  /**
   * Asks now and then whether the connection is alive, until it is stopped: one that a firewall has forgotten says nothing,
   * which is what one says that hears of no changes. The client ends and loses it when it does not answer.
   */
  async watch(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#clock.sleep(pulseMs, signal);
      if (signal.aborted) return;
      if (!this.#isResuming) await this.#hasStarted();
    }
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
