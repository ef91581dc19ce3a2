/** Whether a request that is paid for is let in: its price, its payer's wallet and its key's limits. */
import type { Model, ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Admission } from '../ledger/index.ts';
import { isFree, mayUse, requirePrice } from './choose-model.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

interface Applicant {
  readonly caller: Caller;
  readonly model: Model;
  readonly streamed: boolean;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/**
 * At once while the payer's wallet is warm. The request is open afterwards: its end is charged.
 * @throws AppError model_unpriced, insufficient_funds or rate_limited.
 */
export function admit(applicant: Applicant): Promise<void> | undefined {
  const { caller, model, services } = applicant;
  requirePrice(model, caller);
  const exempt = caller.billingExempt || isFree(model);
  const admission = services.wallets.admit({ payerId: caller.payerId, exempt });
  if (admission instanceof Promise) return admission.then((admitted) => open(applicant, admitted));
  open(applicant, admission);
  return undefined;
}

function open({ caller, model, streamed, facts, services }: Applicant, admission: Admission): void {
  try {
    facts.ticket ??= services.limiter.admit(caller.keyId, caller);
  } catch (refusal) {
    admission.release();
    throw refusal;
  }
  facts.opening = { caller, model, admission, streamed };
}

/**
 * Refuses an upload before it is read, from a key that could not have it served.
 * @throws AppError rate_limited, or insufficient_funds where no model of the type is free.
 */
export async function admitUpload(upload: {
  readonly facts: RequestFacts;
  readonly caller: Caller;
  readonly endpoint: { readonly modelType: ModelType };
  readonly services: GatewayServices;
}): Promise<void> {
  const { facts, caller, endpoint, services } = upload;
  const { models } = services.catalogue.current();
  const exempt =
    caller.billingExempt ||
    models.some((model) => model.type === endpoint.modelType && mayUse(caller, model) && isFree(model));
  const admission = await services.wallets.admit({ payerId: caller.payerId, exempt });
  admission.release();
  facts.ticket = services.limiter.admit(caller.keyId, caller);
}
