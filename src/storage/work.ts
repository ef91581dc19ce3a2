/** The one way to write: a transaction, with what its writes need besides it, handed down to every room that takes part. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import { type Actor, type AuditNote, programItself, writeNotes } from './audit-trail.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Database, Transaction } from './database.ts';

/** What work is made of. */
export interface WorkParts {
  readonly storage: { readonly db: Database; readonly changes: ChangeFeed };
  readonly clock: Clock;
  readonly ids: Ids;
  /** Who does the work; the program itself when not given. */
  readonly actor?: Actor | undefined;
}

export interface Work {
  /** The transaction: work that is refused half-way leaves nothing behind. */
  readonly executor: Transaction;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Listeners of every process hear of the change once the work is committed, and never when it is not. */
  announce(topic: string, key: string): void;
  /** The audit trail has it with the commit, in the order in which it was noted, under the name of who does the work. */
  note(note: AuditNote): void;
}

/** Commits what `run` did and noted, and tells what it announced; or does none of it when `run` throws. */
export function transact<Result>(
  { storage, clock, ids, actor = programItself }: WorkParts,
  run: (work: Work) => Promise<Result>,
): Promise<Result> {
  return storage.db.transaction(async (executor) => {
    const announced = new Map<string, readonly [topic: string, key: string]>();
    const announce = (topic: string, key: string) => {
      announced.set(JSON.stringify([topic, key]), [topic, key]);
    };
    const notes: AuditNote[] = [];
    const note = (noted: AuditNote) => {
      notes.push(noted);
    };
    const result = await run({ executor, clock, ids, announce, note });
    // At the end, because the chains that they go to are locked until the commit.
    if (notes.length > 0) await writeNotes({ executor, ids, actor, nowMs: clock.nowMs() }, notes);
    // The database itself holds them back until the commit.
    for (const [topic, key] of announced.values()) await storage.changes.publish(executor, topic, key);
    return result;
  });
}

/** Holds back whoever asks for the lock of the same name until this work ends, in every process on the database. */
export async function takeLock({ executor }: Work, name: string): Promise<void> {
  await executor.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
