/** Makes the database say what a configuration declares: the environment's part, then the file's. */
import type { Envelope } from '../base/envelope.ts';
import {
  type CatalogueWork,
  disableUndeclaredModels,
  hideUndeclaredProviders,
  listModelsOf,
  upsertModels,
  upsertProviders,
  withoutForeignModels,
  withoutForeignProviders,
} from '../catalogue/index.ts';
import { replaceManagedHosts, setDataLock, upsertManagedOrganisation } from '../identity/index.ts';
import { takeLock, transact, type Work, type WorkParts } from '../storage/work.ts';
import { type ApplyReport, applyPeople, type PeopleParts } from './apply-people.ts';
import type { EnvironmentDeclaration } from './environment-providers.ts';
import { type ConfigurationFile, locating } from './file.ts';

export interface ApplyParts extends WorkParts, PeopleParts {
  readonly envelope: Envelope;
}

export interface DeclaredConfiguration {
  /** Null without a configuration file. */
  readonly file: ConfigurationFile | null;
  readonly declared: EnvironmentDeclaration;
}

/**
 * Applies a configuration to the database, in one transaction: all of it or nothing. Safe to repeat at every
 * start; rows that a file declared before stay as they are when there is no file now.
 * @throws ConfigurationError for what only the database could tell.
 */
export async function applyConfiguration(
  configuration: DeclaredConfiguration,
  parts: ApplyParts,
): Promise<ApplyReport> {
  const { file, declared } = configuration;
  return await transact(parts, async (work) => {
    await lockConfiguration(work);
    // Before the file, so that it can take names which the environment gave up.
    const environmentChanged = await applyEnvironment({ ...work, envelope: parts.envelope }, declared);
    if (file === null) return { changed: environmentChanged, warnings: [] };
    const { changed, warnings } = await applyFile(work, file, parts);
    return { changed: changed || environmentChanged, warnings };
  });
}

/** Of replicas that start together one works at a time: the next goes on when this work is committed. */
export const lockConfiguration = (work: Work): Promise<void> => takeLock(work, 'sluice configuration');

/**
 * What was declared at an earlier start and is not now is hidden or disabled. A provider or model that the file
 * or the portal owns stays as they made it.
 * @returns whether anything changed.
 */
async function applyEnvironment(work: CatalogueWork, declared: EnvironmentDeclaration): Promise<boolean> {
  const { unheard = [] } = declared;
  const known = await listModelsOf(work.executor, 'environment', unheard);
  const providerNames = [...declared.providers.map(({ name }) => name), ...known.map(({ server }) => server)];
  const modelIds = [...declared.models, ...known].map(({ id }) => id);
  const disabled = await disableUndeclaredModels(work, 'environment', modelIds);
  const hidden = await hideUndeclaredProviders(work, 'environment', providerNames);
  const providers = await withoutForeignProviders(work.executor, 'environment', declared.providers);
  const models = await withoutForeignModels(work.executor, 'environment', declared.models);
  const providersChanged = await upsertProviders(work, 'environment', providers);
  const modelsChanged = await upsertModels(work, 'environment', models);
  return disabled.length > 0 || hidden.length > 0 || providersChanged || modelsChanged;
}

/**
 * Writes the file over what is there. What it declares becomes its own, also when somebody else made it first.
 * What it declares no more: its models are disabled, its providers hidden and its keys revoked for good; its
 * users stay as they are and are their own from then on, because people own history and money and are not removed by a
 * deleted line.
 * @throws ConfigurationError for what only the database could tell.
 */
async function applyFile(work: Work, file: ConfigurationFile, parts: ApplyParts): Promise<ApplyReport> {
  const signInChanged = await applySignIn(work, file);
  const people = await applyPeople(work, file, parts);
  const catalogueChanged = await applyCatalogue({ ...work, envelope: parts.envelope }, file);
  return { changed: signInChanged || people.changed || catalogueChanged, warnings: people.warnings };
}

/**
 * The organisations and portals; its identity providers stay in memory, with their secrets. An organisation that is declared no more is left alone, since people belong to it; a portal ends.
 * @returns whether anything changed.
 */
async function applySignIn(work: Work, file: ConfigurationFile): Promise<boolean> {
  const ids = new Map<string, number>();
  let changed = false;
  for (const [index, { slug, name, ...demands }] of file.content.organisations.entries()) {
    const written = await locating(file, ['organisations', index], () =>
      upsertManagedOrganisation(work, { slug, name }),
    );
    const organisationId = written.organisation.id;
    ids.set(slug, organisationId);
    changed ||= written.changed;
    const { data_policy: ofAll, departments } = demands;
    if (ofAll !== undefined) changed = (await setDataLock(work, { organisationId }, ofAll)) || changed;
    for (const { name: department, data_policy: lock } of departments) {
      changed = (await setDataLock(work, { organisationId, department }, lock)) || changed;
    }
  }
  const hosts = file.content.portals.flatMap(({ host, name, accent, organisation }, at) => {
    const organisationId = ids.get(organisation);
    if (organisationId === undefined) return [];
    return [{ host, name, accent: accent ?? null, logo: file.logos.get(at) ?? null, organisationId }];
  });
  return (await replaceManagedHosts(work, hosts)) || changed;
}

async function applyCatalogue(work: CatalogueWork, file: ConfigurationFile): Promise<boolean> {
  const { providers, models } = file;
  const modelIds = models.map(({ id }) => id);
  const providerNames = providers.map(({ name }) => name);
  // First what goes: a name that one model gives up can be taken by another of the same file.
  const disabled = await disableUndeclaredModels(work, 'file', modelIds);
  const hidden = await hideUndeclaredProviders(work, 'file', providerNames);
  const providersChanged = await locating(file, ['providers'], () =>
    upsertProviders(work, 'file', providers),
  );
  const modelsChanged = await locating(file, ['models'], () => upsertModels(work, 'file', models));
  return disabled.length > 0 || hidden.length > 0 || providersChanged || modelsChanged;
}
