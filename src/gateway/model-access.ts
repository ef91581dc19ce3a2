/** Whether a caller may use a model, and what it is told if not. */
import { AppError } from '../base/errors.ts';
import type { CatalogueSnapshot, Model, ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';

/** @throws AppError model_not_found or model_not_allowed. */
export function findModel(
  name: string,
  type: ModelType | null,
  caller: Caller,
  snapshot: CatalogueSnapshot,
): Model {
  const model = snapshot.byName.get(name);
  if (model === undefined) throw notFound(name, 'does not exist');
  if (!mayUse(caller, model)) {
    throw new AppError({
      code: 'model_not_allowed',
      public: `This key is locked to certain models, and ${model.publicId} is not one of them.`,
      param: 'model',
    });
  }
  if (type !== null && model.type !== type)
    throw notFound(name, `is a model for ${model.type} and not for this address`);
  return model;
}

export const mayUse = (caller: Pick<Caller, 'allowedModels'>, model: Model): boolean =>
  caller.allowedModels === null || caller.allowedModels.has(model.publicId);

/** @throws AppError model_unpriced: what has no price cannot be charged, so it is not served to those who pay. */
export function requirePrice(model: Model, caller: Caller): void {
  if (model.prices !== null || caller.billingExempt) return;
  throw new AppError({
    code: 'model_unpriced',
    public: `${model.publicId} has no price yet, so it cannot be used with a prepaid key. Ask your administrator.`,
    param: 'model',
  });
}

/** Nothing can ever be charged for it, so an empty wallet is no obstacle. */
export const isFree = ({ prices }: Model): boolean =>
  prices !== null && Object.values(prices).every((price) => price === 0n);

function notFound(name: string, reason: string): AppError {
  return new AppError({
    code: 'model_not_found',
    public: `The model ${JSON.stringify(name.slice(0, 100))} ${reason}. GET /v1/models lists what this key can use.`,
    param: 'model',
  });
}
