/**
 * Who asks, for which model, and whether they are let in: the token and its scopes, the model and its price, the wallet
 * and the limits.
 */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { CatalogueSnapshot, Model, ModelType } from '../catalogue/index.ts';
import type { Caller, CallerDirectory, KeyScope } from '../identity/index.ts';
import { type Admission, exemptAdmission } from '../ledger/index.ts';
import type { ModelFacts } from '../protocols/turn/request.ts';
import type { Supports } from '../providers/index.ts';
import { isServed } from '../routing/index.ts';
import type { Asked, PaidEndpoint } from './endpoint.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

const bearer = /^Bearer\s+(\S+)\s*$/i;
const autoName = 'auto';

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

/** Which models an endpoint is for. */
interface ModelsSought<Ask> {
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
  { caller, snapshot }: { caller: Caller; snapshot: CatalogueSnapshot },
): Chosen {
  const { model: name } = request;
  if (name === null) return { model: firstModel(sought.modelType, caller, snapshot), isAutorouted: false };
  if (name !== autoName || sought.neededCapabilities === undefined || snapshot.byName.has(autoName)) {
    return { model: findModel(name, sought.modelType, caller, snapshot), isAutorouted: false };
  }
  // Not each provider does this work, and a key can be locked to some of them.
  const models = snapshot.models.filter((each) => isServed(each, caller, sought.canServe));
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

interface Visitor {
  readonly facts: RequestFacts;
  readonly caller: Caller;
  readonly endpoint: { readonly modelType: ModelType };
  readonly services: GatewayServices;
}

/**
 * Lets a caller in by the key alone, before anything of the body is read: the wallet and the limits. An empty wallet is
 * no obstacle yet where the key may use a model that is free.
 * @returns what to wait for while the payer's wallet is not warm.
 * @throws AppError insufficient_funds or rate_limited.
 */
export function admitCaller(visitor: Visitor): Promise<void> | undefined {
  const { caller, services } = visitor;
  const payer = { payerId: caller.payerId, exempt: caller.billingExempt };
  try {
    const admission = services.wallets.admit(payer);
    if (!(admission instanceof Promise)) return giveTicket(visitor, admission);
    return admission.then(
      (admitted) => giveTicket(visitor, admitted),
      (refusal) => admitPenniless(visitor, refusal),
    );
  } catch (refusal) {
    return admitPenniless(visitor, refusal);
  }
}

function giveTicket(visitor: Visitor, admission: Admission): Promise<void> | undefined {
  visitor.facts.admission = admission;
  return takeTicket(visitor);
}

/** @throws RateLimitedError */
export function takeTicket({
  facts,
  caller,
  services,
}: Pick<Visitor, 'facts' | 'caller' | 'services'>): Promise<void> | undefined {
  const admitted = services.limiter.admit(caller.keyId, caller);
  if (admitted instanceof Promise) {
    return admitted.then((ticket) => {
      facts.ticket = ticket;
    });
  }
  facts.ticket = admitted;
  return undefined;
}

/** What the wallet said is said once the model is known, unless that is free. */
function admitPenniless(visitor: Visitor, refusal: unknown): Promise<void> | undefined {
  const { facts, caller, endpoint, services } = visitor;
  const isPenniless = refusal instanceof AppError && refusal.code === 'insufficient_funds';
  const { models } = services.catalogue.current();
  const isTypeOf = (model: Model) => model.type === endpoint.modelType && mayUse(caller, model);
  if (!isPenniless || !models.some((model) => isTypeOf(model) && isFree(model))) throw refusal;
  facts.penniless = refusal;
  return giveTicket(visitor, exemptAdmission);
}

interface Opening {
  readonly caller: Caller;
  readonly model: Model;
  readonly streamed: boolean;
}

/**
 * The request is open afterwards: its end is charged.
 * @param expectedTokens what it may come to use, for keys whose tokens are limited.
 * @returns what to wait for where the limiter is not in this process.
 * @throws AppError model_unpriced, insufficient_funds or rate_limited.
 */
export function openRequest(
  facts: RequestFacts,
  { caller, model, streamed }: Opening,
  expectedTokens: () => number,
): Promise<void> | undefined {
  requirePrice(model, caller);
  if (facts.penniless !== undefined && !isFree(model)) throw facts.penniless;
  const { admission = exemptAdmission } = facts;
  const open = () => {
    facts.opening = { caller, model, admission, streamed };
  };
  const reserved = caller.tokensPerMinute === null ? undefined : facts.ticket?.reserve(expectedTokens());
  if (reserved instanceof Promise) return reserved.then(open);
  open();
  return undefined;
}

/** @throws AppError model_unpriced: what has no price cannot be charged, so it is not served to those who pay. */
function requirePrice(model: Model, caller: Caller): void {
  if (model.prices !== null || caller.billingExempt) return;
  throw new AppError({
    code: 'model_unpriced',
    public: `${model.publicId} has no price yet, so it cannot be used with a prepaid key. Ask your administrator.`,
    param: 'model',
  });
}

/** A model is one object until the catalogue is read anew, so what follows from it alone is kept with it. */
const freeModels = new WeakMap<Model, boolean>();

/** Nothing can ever be charged for it, so an empty wallet is no obstacle. */
function isFree(model: Model): boolean {
  const known = freeModels.get(model);
  if (known !== undefined) return known;
  const { prices } = model;
  const isFree = prices !== null && Object.values(prices).every((price) => price === 0n);
  freeModels.set(model, isFree);
  return isFree;
}

interface Fitting<Ask> {
  readonly request: Ask;
  readonly caller: Caller;
  readonly model: Model;
  readonly facts: RequestFacts;
}

/**
 * For those who pay, the request without what a provider would charge for and the model has no price for.
 * @throws AppError model_unpriced where it cannot do without.
 */
export function fitToPrices<Ask extends Asked>(
  { fitToPrices: fit }: PaidEndpoint<Ask>,
  { request, caller, model, facts }: Fitting<Ask>,
): Ask {
  const { prices } = model;
  if (fit === undefined || prices === null || caller.billingExempt || isFree(model)) return request;
  const fitted = fit(request, model, prices);
  if (fitted.leftOut.length > 0) facts.leftOut = fitted.leftOut.join(', ').slice(0, 500);
  return fitted.request;
}

const knownFacts = new WeakMap<Model, ModelFacts>();

/** What a conversion needs to know of the model; what the catalogue does not say is left open. */
export function factsOf(model: Model): ModelFacts {
  const known = knownFacts.get(model);
  if (known !== undefined) return known;
  const reasons = model.capabilities.some((each) => each === 'reasoning' || each === 'thinking');
  const facts = { maxOutputTokens: model.maxOutputTokens ?? undefined, reasons: reasons || undefined };
  knownFacts.set(model, facts);
  return facts;
}
