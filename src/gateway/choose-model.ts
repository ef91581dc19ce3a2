/** For which model a request is: the one that it names, the first of its kind, or what `auto` becomes. */
import { AppError } from '../base/errors.ts';
import type { CatalogueSnapshot, Model, ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Supports } from '../providers/index.ts';
import { isServed, listOf, type Terms } from '../routing/index.ts';

const autoName = 'auto';

/** Which models an endpoint is for. */
export interface ModelsSought<Ask> {
  readonly modelType: ModelType;
  /** What a model must be able to do, where `auto` is a model of this endpoint. */
  neededCapabilities?(ask: Ask): readonly string[];
  canServe(supports: Supports): boolean;
}

interface Chosen {
  readonly model: Model;
  /** The gateway chose it for the caller, who is told in the answer's headers. */
  readonly isAutorouted: boolean;
}

/**
 * The model that a request names, the first of the endpoint's type where it names none, or what `auto` becomes.
 * @throws AppError model_not_found or model_not_allowed.
 */
export function resolveModel<Ask extends { readonly model: string | null }>(
  request: Ask,
  sought: ModelsSought<Ask>,
  { caller, terms, snapshot }: { caller: Caller; terms: Terms; snapshot: CatalogueSnapshot },
): Chosen {
  const { model: name } = request;
  if (name === null) return { model: firstModel(sought.modelType, caller, snapshot), isAutorouted: false };
  if (name !== autoName || sought.neededCapabilities === undefined || snapshot.byName.has(autoName)) {
    return { model: findModel(name, sought.modelType, caller, snapshot), isAutorouted: false };
  }
  // Not each provider does this work, and a key can be locked to some of them.
  const models = snapshot.models.filter((each) => isServed(each, terms, sought.canServe));
  return { model: chooseModel(sought.neededCapabilities(request), caller, { models }), isAutorouted: true };
}

function firstModel(type: ModelType, caller: Caller, { models }: CatalogueSnapshot): Model {
  const first = models.find((model) => model.type === type && mayUse(caller, model));
  if (first !== undefined) return first;
  throw new AppError({
    code: 'model_not_found',
    public: `There is no ${type} model that this key can use.`,
    param: 'model',
  });
}

/**
 * The model `auto`: the one with the lowest price that can do what the request asks. A router that learns from quality
 * replaces the choice later; the answer's headers stay the same. Ties keep the catalogue's order. The simulator answers
 * nothing real, so it is chosen only when alone.
 */
export function chooseModel(
  needed: readonly string[],
  caller: Pick<Caller, 'allowedModels'>,
  snapshot: Pick<CatalogueSnapshot, 'models'>,
): Model {
  const able = snapshot.models.filter(
    (model) =>
      model.type === 'chat' &&
      model.prices !== null &&
      mayUse(caller, model) &&
      needed.every((capability) => model.capabilities.includes(capability)),
  );
  const real = able.filter((model) =>
    model.deployments.some(({ provider }) => provider.kind !== 'simulator'),
  );
  const [cheapest] = (real.length > 0 ? real : able).toSorted((a, b) => compare(priceOf(a), priceOf(b)));
  if (cheapest !== undefined) return cheapest;
  const reason = needed.length === 0 ? '' : ` with ${needed.join(' and ')}`;
  throw new AppError({
    code: 'model_not_found',
    public: `No model${reason} is available to this key for "auto" to choose from.`,
    param: 'model',
  });
}

/** Nano-USD for a million tokens in and a quarter of a million out, the usual proportion of chat. */
function priceOf({ prices }: Model): bigint {
  return (prices?.input ?? 0n) * 4n + (prices?.output ?? 0n);
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** A model by its name. @throws AppError model_not_found or model_not_allowed. */
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
      members: { level: 'key', lock: 'allowed_models', allowed: listOf(caller.allowedModels ?? []) },
    });
  }
  if (type !== null && model.type !== type)
    throw notFound(name, `is a model for ${model.type} and not for this address`);
  return model;
}

export const mayUse = (caller: Pick<Caller, 'allowedModels'>, model: Model): boolean =>
  caller.allowedModels === null || caller.allowedModels.has(model.publicId);

function notFound(name: string, reason: string): AppError {
  return new AppError({
    code: 'model_not_found',
    public: `The model ${JSON.stringify(name.slice(0, 100))} ${reason}. GET /v1/models lists what this key can use.`,
    param: 'model',
  });
}
