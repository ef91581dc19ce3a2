/** What applying a configuration takes and tells, and the turn-taking of replicas that start together. */
import type { Envelope } from '../../base/envelope.ts';
import type { Wallets } from '../../ledger/index.ts';
import { takeTurn, type Work, type WorkParts } from '../../storage/work.ts';
import type { Mistake } from './mistake.ts';

export interface ApplyParts extends WorkParts {
  readonly envelope: Envelope;
  readonly wallets: Pick<Wallets, 'deposit'>;
  readonly tokenPrefix: string;
}

export interface ApplyReport {
  /** False when the database said all of it already; then nothing was published either. */
  readonly changed: boolean;
  readonly warnings: readonly Mistake[];
}

/** Replicas that start together take turns, each until its work is committed. */
export const takeConfigurationTurn = (work: Work): Promise<void> => takeTurn(work, 'sluice configuration');
