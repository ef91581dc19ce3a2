/** Makes the database say what the configuration file declares. */
import {
  type CatalogueWork,
  disableUndeclaredModels,
  hideUndeclaredProviders,
  upsertModels,
  upsertProviders,
} from '../../catalogue/index.ts';
import type { Work } from '../../storage/work.ts';
import type { ApplyParts, ApplyReport } from './apply.ts';
import { applyPeople } from './apply-people.ts';
import type { ConfigurationFile } from './file.ts';
import { locating } from './refusal.ts';

/**
 * Writes the file over what is there. What it declares becomes its own, also when somebody else made it first.
 * What it declares no more: its models are disabled, its providers hidden and its keys revoked for good; its
 * users are left alone, because people own history and money and are not removed by a deleted line.
 * @throws ConfigurationError for what only the database could tell.
 */
export async function applyFile(
  work: Work,
  file: ConfigurationFile,
  parts: ApplyParts,
): Promise<ApplyReport> {
  const people = await applyPeople(work, file, parts);
  const catalogueChanged = await applyCatalogue({ ...work, envelope: parts.envelope }, file);
  return { changed: people.changed || catalogueChanged, warnings: people.warnings };
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
