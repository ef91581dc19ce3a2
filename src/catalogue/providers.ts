/** Writes providers so that their rows say what is declared, touching only what differs. */
import { and, eq, inArray, notInArray } from 'drizzle-orm';
import { providers } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import { announceWhen, type CatalogueWork, lockCatalogue, refuseIssues } from './catalogue-work.ts';
import { upsertCredentials } from './credentials.ts';
import { checkProviders, type ManagedBy, type ProviderDeclaration } from './declaration.ts';

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
  refuseIssues(checkProviders(declarations));
  if (declarations.length === 0) return false;
  await lockCatalogue(work);
  const { ids, changed } = await upsertRows(work, managedBy, declarations);
  const wanted = declarations.flatMap(({ name, credentials }) => {
    const providerId = ids.get(name);
    return providerId === undefined ? [] : [{ providerId, credentials }];
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
