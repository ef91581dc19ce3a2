/** What applying a configuration takes and tells, and the turn-taking of replicas that start together. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../../base/clock.ts';
import type { Envelope } from '../../base/envelope.ts';
import type { Ids } from '../../base/ids.ts';
import type { CatalogueWriter } from '../../catalogue/index.ts';
import type { Wallets } from '../../ledger/index.ts';
import type { Executor } from '../../storage/database.ts';
import type { Storage } from '../../storage/index.ts';
import type { Mistake } from './mistake.ts';

export interface ApplyParts {
  readonly storage: Storage;
  readonly envelope: Envelope;
  readonly wallets: Pick<Wallets, 'deposit'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tokenPrefix: string;
}

export interface ApplyReport {
  /** False when the database said all of it already; then nothing was published either. */
  readonly changed: boolean;
  readonly warnings: readonly Mistake[];
}

const turnName = 'sluice configuration';

/** Waits for the turn, which ends with the transaction. */
export async function takeTurn(executor: Executor): Promise<void> {
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${turnName}, 0))`);
}

export const writerOf = (executor: Executor, { storage, envelope }: ApplyParts): CatalogueWriter => ({
  executor,
  changes: storage.changes,
  envelope,
});
