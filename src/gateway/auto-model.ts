/**
 * The model `auto`: the cheapest model that can do what the request asks. A router that learns from quality replaces
 * the choice later; the answer's headers stay the same.
 */
import { AppError } from '../base/errors.ts';
import type { CatalogueSnapshot, Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import { mayUse } from './model-access.ts';

export const autoName = 'auto';

/** Ties keep the catalogue's order. The simulator answers nothing real, so it is chosen only when alone. */
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

/** By the words that each protocol uses for it; reading the messages part by part would cost more than it is worth. */
export function capabilitiesFor({ json, text }: InferenceRequest): string[] {
  const tools = json['tools'];
  const usesTools = Array.isArray(tools) && tools.length > 0;
  const showsImages = /"type"\s*:\s*"(?:image|image_url|input_image)"/.test(text);
  return [...(usesTools ? ['tools'] : []), ...(showsImages ? ['vision'] : [])];
}

/** Nano-USD for a million tokens in and a quarter of a million out, the usual proportion of chat. */
function priceOf({ prices }: Model): bigint {
  return (prices?.input ?? 0n) * 4n + (prices?.output ?? 0n);
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
