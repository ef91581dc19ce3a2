/** A database as one simulated server has it: each of its statements waits on the wire, and so does each change that it tells. */

import type { StatementWire } from '../../src/ledger/testing/statement-wire.ts';
import { type ChangeFeed, type ChangeListener, everyKey } from '../../src/storage/change-feed.ts';
import type { Database } from '../../src/storage/database.ts';

/** Statements, and transactions as a whole: nothing else happens in the database meanwhile. */
export function wiredDatabase(db: Database, wire: StatementWire, server: number): Database {
  const gated: Partial<Record<string | symbol, unknown>> = {
    execute: (...query: Parameters<Database['execute']>) =>
      wire.send(server, 'statement', async () => await db.execute(...query)),
    transaction: (...work: Parameters<Database['transaction']>) =>
      wire.send(server, 'transaction', () => db.transaction(...work)),
    select: (...columns: []) => wiredQuery(db.select(...columns), wire, server),
  };
  return new Proxy(db, { get: (target, name) => gated[name] ?? Reflect.get(target, name) });
}

/** A query is sent when it is awaited, however it was put together. */
function wiredQuery<Query extends object>(query: Query, wire: StatementWire, server: number): Query {
  return new Proxy(query, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'then') {
        const sent = () => wire.send(server, 'query', async () => await (target as Promise<unknown>));
        return (...told: Parameters<Promise<unknown>['then']>) => sent().then(...told);
      }
      return (...given: unknown[]) => {
        const result: unknown = member.apply(target, given);
        return typeof result === 'object' && result !== null ? wiredQuery(result, wire, server) : result;
      };
    },
  });
}

export class SimulatedFeed implements ChangeFeed {
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  readonly #all: () => readonly SimulatedFeed[];
  readonly #send: (run: () => void) => Promise<void>;

  /** @param all who hear what is told here. */
  constructor(all: () => readonly SimulatedFeed[], send: (run: () => void) => Promise<void>) {
    this.#all = all;
    this.#send = send;
  }

  publish(_executor: unknown, topic: string, key: string): Promise<void> {
    return this.#send(() => {
      for (const feed of this.#all()) feed.#tell(topic, key);
    });
  }

  subscribe(topic: string, listener: ChangeListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Something may have been missed. */
  resume(): void {
    for (const topic of this.#listeners.keys()) this.#tell(topic, everyKey);
  }

  #tell(topic: string, key: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(key);
  }
}
