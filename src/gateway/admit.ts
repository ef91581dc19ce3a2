/** Who asks, and whether they are let in: the token, its scopes, and for what is paid for the price, the wallet and the limits. */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Model, ModelType } from '../catalogue/index.ts';
import type { Caller, CallerDirectory, KeyScope } from '../identity/index.ts';
import type { Admission } from '../ledger/index.ts';
import { isFree, mayUse, requirePrice } from './choose-model.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

const bearer = /^Bearer\s+(\S+)\s*$/i;

/** An endpoint whose clients send their token in a place of their own. */
interface TokenFinder {
  findToken?(http: Request): string | null;
}

/**
 * @throws AppError missing_token when there is none, and what the directory throws for one that does not hold.
 */
export function identifyCaller(
  http: Request,
  { findToken }: TokenFinder,
  directory: CallerDirectory,
): MaybePromise<Caller> {
  const { headers } = http;
  const authorization = headers.get('authorization');
  if (authorization !== null) {
    const match = bearer.exec(authorization);
    if (match?.[1] !== undefined) return directory.find(match[1]);
    throw new AppError({
      code: 'missing_token',
      public: 'The Authorization header must be of the form: Bearer <API token>.',
    });
  }
  const apiKey = headers.get('x-api-key');
  if (apiKey !== null) return directory.find(apiKey.trim());
  const own = findToken?.(http);
  if (own != null) return directory.find(own.trim());
  throw new AppError({
    code: 'missing_token',
    public: 'No API token was given. Send it as: Authorization: Bearer <API token>.',
  });
}

/** @throws AppError scope_missing. */
export function requireScope(caller: Caller, anyOf: readonly KeyScope[]): void {
  if (anyOf.some((scope) => caller.scopes.has(scope))) return;
  throw new AppError({
    code: 'scope_missing',
    public: `This key does not have the scope ${anyOf.map((scope) => `"${scope}"`).join(' or ')} that this address needs.`,
  });
}

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
