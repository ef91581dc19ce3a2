/** The model that a first request is shown with: what `auto` would choose, so that the line works when pasted. */
import { AppError } from '../base/errors.ts';
import type { CatalogueSnapshot } from '../catalogue/index.ts';
import { chooseModel } from '../gateway/index.ts';
import { isServed } from '../routing/index.ts';

const nobody = { allowedModels: null, allowedProviders: null, allowedRegions: null };

/** Null when no model can be asked in the chat protocols, or none has a price. */
export function chooseModelToTry({ models }: Pick<CatalogueSnapshot, 'models'>): string | null {
  const served = models.filter((model) => isServed(model, nobody, ({ chat }) => chat !== undefined));
  try {
    return chooseModel([], nobody, { models: served }).publicId;
  } catch (refusal) {
    if (refusal instanceof AppError) return null;
    throw refusal;
  }
}
