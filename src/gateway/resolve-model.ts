/** Which model a request means: the one it names, the first of the endpoint's type, or what `auto` becomes. */
import { AppError } from '../base/errors.ts';
import type { Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import { isServed } from '../routing/index.ts';
import { autoName, chooseModel } from './auto-model.ts';
import type { Asked, Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { findModel, mayUse } from './model-access.ts';
import type { GatewayServices } from './services.ts';

/** @throws AppError model_not_found or model_not_allowed. */
export function resolveModel<Ask extends Asked>(
  request: Ask,
  context: {
    exchange: Exchange;
    caller: Caller;
    endpoint: Pick<Endpoint<Ask>, 'modelType' | 'neededCapabilities' | 'canServe'>;
    services: GatewayServices;
  },
): Model {
  const { exchange, caller, endpoint, services } = context;
  const snapshot = services.catalogue.current();
  const { model: name } = request;
  if (name === null) {
    const first = snapshot.models.find((model) => model.type === endpoint.modelType && mayUse(caller, model));
    if (first !== undefined) return first;
    throw new AppError({
      code: 'model_not_found',
      public: `There is no ${endpoint.modelType} model that this key can use.`,
      param: 'model',
    });
  }
  if (name !== autoName || endpoint.neededCapabilities === undefined || snapshot.byName.has(autoName)) {
    return findModel(name, endpoint.modelType, caller, snapshot);
  }
  // Not each provider does this work, and a key can be locked to some of them.
  const models = snapshot.models.filter((each) => isServed(each, caller, endpoint.canServe));
  const model = chooseModel(endpoint.neededCapabilities(request), caller, { ...snapshot, models });
  exchange.routedTo(model);
  return model;
}
