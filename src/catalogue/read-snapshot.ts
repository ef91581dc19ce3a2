/** Makes a snapshot of the catalogue as of one moment, with the secrets of its credentials opened. */
import type { Envelope } from '../base/envelope.ts';
import type { Database } from '../storage/database.ts';
import { assembleSnapshot } from './assemble-snapshot.ts';
import type { CatalogueSnapshot, Credential } from './model.ts';
import { readRows } from './read-rows.ts';

export interface SnapshotReading {
  readonly snapshot: CatalogueSnapshot;
  /** Clear text by sealed text, for the next reading. */
  readonly openedSecrets: ReadonlyMap<string, string>;
  /** What had to be left out, a sentence each. */
  readonly problems: readonly string[];
}

interface ReadingSources {
  readonly db: Database;
  readonly envelope: Envelope;
  /** From the reading before, so that a secret is opened once and not at every change. */
  readonly openedSecrets: ReadonlyMap<string, string>;
}

export async function readSnapshot({
  db,
  envelope,
  openedSecrets,
}: ReadingSources): Promise<SnapshotReading> {
  const rows = await db.transaction(readRows, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  const problems: string[] = [];
  const opened = new Map<string, string>();
  const credentials = new Map<number, Credential[]>();
  for (const { id, name, providerId, sealedSecret } of rows.credentials) {
    const secret = openedSecrets.get(sealedSecret) ?? (await tryOpen(envelope, sealedSecret));
    if (secret === undefined) {
      problems.push(`credential "${name}" (${id}) was sealed under another SLUICE_SECRET: set it again`);
      continue;
    }
    opened.set(sealedSecret, secret);
    credentials.set(providerId, [...(credentials.get(providerId) ?? []), { id, name, secret }]);
  }
  const assembled = assembleSnapshot(rows, credentials);
  return {
    snapshot: assembled.snapshot,
    openedSecrets: opened,
    problems: [...problems, ...assembled.problems],
  };
}

const tryOpen = (envelope: Envelope, sealed: string): Promise<string | undefined> =>
  envelope.open(sealed).catch(() => undefined);
