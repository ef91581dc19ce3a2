/** Writes the credentials of providers, each sealed; one that still opens to the declared secret is left alone. */
import { createHash } from 'node:crypto';
import { eq, inArray } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import { providerCredentials } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import type { CatalogueWork } from './catalogue-work.ts';
import type { CredentialDeclaration, ManagedBy } from './declaration.ts';

interface WantedCredentials {
  readonly providerId: number;
  readonly credentials: readonly CredentialDeclaration[];
}

type StoredCredential = typeof providerCredentials.$inferSelect;

/**
 * A managed declaration is complete: the manager's other credentials of the provider are deleted, so that a
 * secret taken out of the file leaves the database too. Those that others added stay.
 */
export async function upsertCredentials(
  work: CatalogueWork,
  managedBy: ManagedBy | null,
  wanted: readonly WantedCredentials[],
): Promise<boolean> {
  const { executor } = work;
  const providerIds = wanted.map(({ providerId }) => providerId);
  const stored = await executor
    .select()
    .from(providerCredentials)
    .where(inArray(providerCredentials.providerId, providerIds));
  let changed = false;
  for (const { providerId, credentials } of wanted) {
    const present = stored.filter((row) => row.providerId === providerId);
    for (const credential of credentials) {
      const found = present.find(({ name }) => name === credential.name);
      if (found !== undefined && (await saysTheSame(work.envelope, found, credential, managedBy))) continue;
      const values = {
        sealedSecret: await work.envelope.seal(credential.secret),
        declaredHash: hashOf(credential.secret),
        renewingUntil: null,
        enabled: true,
        managedBy,
      };
      await (found === undefined
        ? executor.insert(providerCredentials).values({ providerId, name: credential.name, ...values })
        : executor.update(providerCredentials).set(values).where(eq(providerCredentials.id, found.id)));
      changed = true;
    }
    changed = (await deleteUndeclared(work, managedBy, present, credentials)) || changed;
  }
  return changed;
}

async function saysTheSame(
  envelope: Envelope,
  stored: StoredCredential,
  wanted: CredentialDeclaration,
  managedBy: ManagedBy | null,
): Promise<boolean> {
  if (!stored.enabled || stored.managedBy !== managedBy) return false;
  // What was sealed under another secret cannot be opened; the declared one replaces it.
  const secret = await envelope.open(stored.sealedSecret).catch(() => undefined);
  if (secret === undefined) return false;
  // A secret that was renewed since it was declared is the one that works.
  return secret === wanted.secret || stored.declaredHash === hashOf(wanted.secret);
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

async function deleteUndeclared(
  { executor }: Work,
  managedBy: ManagedBy | null,
  present: readonly StoredCredential[],
  declared: readonly CredentialDeclaration[],
): Promise<boolean> {
  if (managedBy === null) return false;
  const gone = present.filter(
    (row) => row.managedBy === managedBy && !declared.some(({ name }) => name === row.name),
  );
  if (gone.length === 0) return false;
  const ids = gone.map(({ id }) => id);
  await executor.delete(providerCredentials).where(inArray(providerCredentials.id, ids));
  return true;
}
