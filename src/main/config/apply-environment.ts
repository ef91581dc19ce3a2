/** Makes the database say what the environment declares, where nobody else has taken the name. */
import {
  type CatalogueWork,
  disableUndeclaredModels,
  hideUndeclaredProviders,
  upsertModels,
  upsertProviders,
  withoutForeignModels,
  withoutForeignProviders,
} from '../../catalogue/index.ts';
import type { EnvironmentDeclaration } from './environment-providers.ts';

/**
 * What was declared at an earlier start and is not now is hidden or disabled. A provider or model that the file
 * or the portal owns stays as they made it.
 * @returns whether anything changed.
 */
export async function applyEnvironment(
  work: CatalogueWork,
  declared: EnvironmentDeclaration,
): Promise<boolean> {
  const providerNames = declared.providers.map(({ name }) => name);
  const modelIds = declared.models.map(({ id }) => id);
  const disabled = await disableUndeclaredModels(work, 'environment', modelIds);
  const hidden = await hideUndeclaredProviders(work, 'environment', providerNames);
  const providers = await withoutForeignProviders(work.executor, 'environment', declared.providers);
  const models = await withoutForeignModels(work.executor, 'environment', declared.models);
  const providersChanged = await upsertProviders(work, 'environment', providers);
  const modelsChanged = await upsertModels(work, 'environment', models);
  return disabled.length > 0 || hidden.length > 0 || providersChanged || modelsChanged;
}
