/** Makes the database say what the environment declares, where nobody else has taken the name. */
import {
  disableUndeclaredModels,
  hideUndeclaredProviders,
  upsertModels,
  upsertProviders,
  withoutForeignModels,
  withoutForeignProviders,
} from '../../catalogue/index.ts';
import type { Executor } from '../../storage/database.ts';
import { type ApplyParts, writerOf } from './apply.ts';
import type { EnvironmentDeclaration } from './environment-providers.ts';

/**
 * What was declared at an earlier start and is not now is hidden or disabled. A provider or model that the file
 * or the portal owns stays as they made it.
 * @returns whether anything changed.
 */
export async function applyEnvironment(
  executor: Executor,
  declared: EnvironmentDeclaration,
  parts: ApplyParts,
): Promise<boolean> {
  const writer = writerOf(executor, parts);
  const providerNames = declared.providers.map(({ name }) => name);
  const modelIds = declared.models.map(({ id }) => id);
  const disabled = await disableUndeclaredModels(writer, 'environment', modelIds);
  const hidden = await hideUndeclaredProviders(writer, 'environment', providerNames);
  const providers = await withoutForeignProviders(executor, 'environment', declared.providers);
  const models = await withoutForeignModels(executor, 'environment', declared.models);
  const providersChanged = await upsertProviders(writer, 'environment', providers);
  const modelsChanged = await upsertModels(writer, 'environment', models);
  return disabled.length > 0 || hidden.length > 0 || providersChanged || modelsChanged;
}
