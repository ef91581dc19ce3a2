/** Refuses an upload before it is read, from a key that could not have it served. */
import type { ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Exchange } from './exchange.ts';
import { isFree, mayUse } from './model-access.ts';
import type { GatewayServices } from './services.ts';

/** @throws AppError rate_limited, or insufficient_funds where no model of the type is free. */
export async function admitUpload(upload: {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly endpoint: { readonly modelType: ModelType };
  readonly services: GatewayServices;
}): Promise<void> {
  const { exchange, caller, endpoint, services } = upload;
  const { models } = services.catalogue.current();
  const exempt =
    caller.billingExempt ||
    models.some((model) => model.type === endpoint.modelType && mayUse(caller, model) && isFree(model));
  const admission = await services.wallets.admit({ payerId: caller.payerId, exempt });
  admission.release();
  exchange.limitedBy(services.limiter.admit(caller.keyId, caller));
}
