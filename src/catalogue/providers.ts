/** Writes providers and their sealed credentials so that the rows say what is declared, touching only what differs. */
import { createHash } from 'node:crypto';
import { and, asc, eq, inArray, notInArray } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import type { Database, Executor } from '../storage/database.ts';
import { type Resealed, resealColumn, type Seals } from '../storage/reseal-column.ts';
import { providerCredentials, providers } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import { announceWhen, type CatalogueWork, lockCatalogue, refuseIssues } from './catalogue-work.ts';
import {
  type CredentialDeclaration,
  checkPrivateAddresses,
  checkProviders,
  type ManagedBy,
  type ProviderDeclaration,
} from './declaration.ts';
import { isBoundTo, placeOf } from './place.ts';

/**
 * Makes each declared provider exist, visible and with exactly the declared values; its credentials too.
 * @param managedBy who declares them; the rows are theirs from now on.
 * @returns whether anything changed; nothing is published otherwise.
 * @throws AppError `validation_failed`; `loc` begins with the index in the list.
 */
export async function upsertProviders(
  work: CatalogueWork,
  managedBy: ManagedBy | null,
  declarations: readonly ProviderDeclaration[],
): Promise<boolean> {
  const isFree = managedBy !== null || work.isPrivateAllowed === true;
  refuseIssues([...checkProviders(declarations), ...(isFree ? [] : checkPrivateAddresses(declarations))]);
  if (declarations.length === 0) return false;
  await lockCatalogue(work);
  const { ids, changed } = await upsertRows(work, managedBy, declarations);
  const wanted = declarations.flatMap(({ name, credentials, ...provider }) => {
    const providerId = ids.get(name);
    return providerId === undefined ? [] : [{ providerId, credentials, boundTo: placeOf(provider) }];
  });
  const credentialsChanged = await upsertCredentials(work, managedBy, wanted);
  announceWhen(changed || credentialsChanged, work, 'providers');
  return changed || credentialsChanged;
}

async function upsertRows(
  { executor }: Work,
  managedBy: ManagedBy | null,
  declarations: readonly ProviderDeclaration[],
): Promise<{ ids: ReadonlyMap<string, number>; changed: boolean }> {
  const names = declarations.map(({ name }) => name);
  const stored = await executor.select().from(providers).where(inArray(providers.name, names));
  const storedByName = new Map(stored.map((row) => [row.name, row]));
  const ids = new Map(stored.map(({ name, id }) => [name, id]));
  let changed = false;
  for (const declaration of declarations) {
    const wanted = rowOf(declaration, managedBy);
    const found = storedByName.get(declaration.name);
    if (found !== undefined) {
      const { id, createdAt, ...present } = found;
      if (Bun.deepEquals(present, wanted)) continue;
      await executor.update(providers).set(wanted).where(eq(providers.id, id));
    } else {
      const [inserted] = await executor.insert(providers).values(wanted).returning({ id: providers.id });
      if (inserted !== undefined) ids.set(declaration.name, inserted.id);
    }
    changed = true;
  }
  return { ids, changed };
}

const rowOf = (declaration: ProviderDeclaration, managedBy: ManagedBy | null) => ({
  name: declaration.name,
  kind: declaration.kind,
  baseUrl: declaration.baseUrl === null ? null : declaration.baseUrl.replace(/\/+$/, ''),
  region: declaration.region,
  visible: true,
  settings: {
    ...declaration.settings,
    ...(Object.keys(declaration.timeoutsMs).length === 0 ? {} : { timeoutsMs: declaration.timeoutsMs }),
  },
  dataPolicy: declaration.dataClaim ?? null,
  managedBy,
});

/**
 * Hides the manager's providers that it declares no more. They are not deleted: usage and deployments name them.
 * @returns the names of those that were visible until now.
 */
export async function hideUndeclaredProviders(
  work: Work,
  managedBy: ManagedBy,
  declaredNames: readonly string[],
): Promise<readonly string[]> {
  await lockCatalogue(work);
  const hidden = await work.executor
    .update(providers)
    .set({ visible: false })
    .where(
      and(
        eq(providers.managedBy, managedBy),
        eq(providers.visible, true),
        notInArray(providers.name, [...declaredNames]),
      ),
    )
    .returning({ name: providers.name });
  announceWhen(hidden.length > 0, work, 'providers');
  return hidden.map(({ name }) => name);
}

/** In their order, with those that are hidden since they are not declared any more. */
export async function listProviderNames(executor: Executor): Promise<readonly string[]> {
  const rows = await executor.select({ name: providers.name }).from(providers).orderBy(asc(providers.name));
  return rows.map(({ name }) => name);
}

interface WantedCredentials {
  readonly providerId: number;
  readonly boundTo: string;
  readonly credentials: readonly CredentialDeclaration[];
}

type StoredCredential = typeof providerCredentials.$inferSelect;

/**
 * A managed declaration is complete: other credentials that any declaration gave the provider are deleted, so that a secret
 * taken out of the file leaves the database too, and so does the environment's where a file takes its provider over. Those
 * that somebody added by hand stay.
 */
async function upsertCredentials(
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
  for (const { providerId, credentials, boundTo } of wanted) {
    const present = stored.filter((row) => row.providerId === providerId);
    for (const credential of credentials) {
      const found = present.find(({ name }) => name === credential.name);
      const given = { boundTo, enabled: true, managedBy, ...limitsOf(credential) };
      if (found !== undefined && (await holds(work.envelope, found, { ...credential, boundTo }))) {
        if (saysTheSame(found, given)) continue;
        await executor.update(providerCredentials).set(given).where(eq(providerCredentials.id, found.id));
      } else {
        const values = {
          ...given,
          sealedSecret: await work.envelope.seal(credential.secret),
          declaredHash: hashOf(credential.secret),
          renewingUntil: null,
        };
        await (found === undefined
          ? executor.insert(providerCredentials).values({ providerId, name: credential.name, ...values })
          : executor.update(providerCredentials).set(values).where(eq(providerCredentials.id, found.id)));
      }
      changed = true;
    }
    changed = (await deleteUndeclared(work, managedBy, present, credentials)) || changed;
  }
  return changed;
}

/** Beside the secret, and where that is for. */
const saysTheSame = (
  stored: StoredCredential,
  {
    managedBy,
    maxConcurrent,
    requestsPerMinute,
  }: Pick<StoredCredential, 'managedBy' | 'maxConcurrent' | 'requestsPerMinute'>,
): boolean =>
  stored.enabled &&
  stored.managedBy === managedBy &&
  stored.maxConcurrent === maxConcurrent &&
  stored.requestsPerMinute === requestsPerMinute;

/** Whether the secret that is stored is to stay: the declared one, or what became of it by renewal, which works alone. */
async function holds(
  envelope: Envelope,
  stored: StoredCredential,
  wanted: CredentialDeclaration & { readonly boundTo: string },
): Promise<boolean> {
  // What it was renewed to elsewhere stays there: the declared one is given anew.
  if (!isBoundTo(stored.boundTo, wanted.boundTo)) return false;
  // What was sealed under another secret cannot be opened; the declared one replaces it.
  const secret = await envelope.open(stored.sealedSecret).catch(() => undefined);
  if (secret === undefined) return false;
  // A secret that was renewed since it was declared is the one that works.
  return secret === wanted.secret || stored.declaredHash === hashOf(wanted.secret);
}

const limitsOf = ({ maxConcurrent = null, requestsPerMinute = null }: CredentialDeclaration) => ({
  maxConcurrent,
  requestsPerMinute,
});

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

async function deleteUndeclared(
  { executor }: Work,
  managedBy: ManagedBy | null,
  present: readonly StoredCredential[],
  declared: readonly CredentialDeclaration[],
): Promise<boolean> {
  if (managedBy === null) return false;
  const gone = present.filter(
    (row) => row.managedBy !== null && !declared.some(({ name }) => name === row.name),
  );
  if (gone.length === 0) return false;
  const ids = gone.map(({ id }) => id);
  await executor.delete(providerCredentials).where(inArray(providerCredentials.id, ids));
  return true;
}

/** Under another service secret. */
export function resealCredentials(db: Database, seals: Seals): Promise<Resealed> {
  const { id: key, sealedSecret: column } = providerCredentials;
  return resealColumn(db, { table: providerCredentials, key, member: 'sealedSecret', column }, seals);
}
