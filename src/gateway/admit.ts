/** Who asks, and whether they are let in: the token and its scopes, the wallet and the limits, the model's price. */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import {
  areFree,
  type Deployment,
  type Model,
  type ModelType,
  type Prices,
  priceAt,
} from '../catalogue/index.ts';
import type { Caller, CallerDirectory, KeyScope } from '../identity/index.ts';
import { type Admission, FundsError, unchargedAdmission } from '../ledger/index.ts';
import type { ModelFacts } from '../protocols/turn/request.ts';
import type { Candidate } from '../routing/index.ts';
import { mayBeToldAgain } from './answers.ts';
import type { Asked, PaidEndpoint } from './endpoint.ts';
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
  directory: Pick<CallerDirectory, 'find'>,
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
  const payer = { payerId: caller.payerId, exempt: caller.billingExempt, budgetOf: caller };
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
  const admitted = services.limiter.admit(caller);
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
  const isPenniless = refusal instanceof FundsError;
  const { models } = services.catalogue.current();
  const isTypeOf = (model: Model) => model.type === endpoint.modelType && mayUse(caller, model);
  const mayHaveFree = models.some((model) => isTypeOf(model) && isFree(model, facts.arrivedAtMs));
  if (!isPenniless || !(mayHaveFree || mayBeToldAgain(facts.http, services))) throw refusal;
  facts.penniless = refusal;
  return giveTicket(visitor, unchargedAdmission);
}

interface Opening<Ask> {
  readonly request: Asked;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  /** Those that may answer it, the first one first, each with who may serve it. */
  readonly plans: readonly [Planned<Ask>, ...Planned<Ask>[]];
}

interface Planned<Ask> {
  readonly request: Ask;
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

/**
 * The request is open afterwards: its end is charged.
 * @returns what to wait for where the limiter is not in this process.
 * @throws AppError insufficient_funds or rate_limited.
 */
export function openRequest<Ask extends Asked>(
  endpoint: Pick<PaidEndpoint<Ask>, 'expectedTokens'>,
  { request, caller, facts, plans }: Opening<Ask>,
): Promise<void> | undefined {
  const { penniless, arrivedAtMs, admission = unchargedAdmission, ticket } = facts;
  if (penniless !== undefined && isAnyPaid(plans, arrivedAtMs)) throw penniless;
  const opening = { caller, model: plans[0].model, admission, streamed: request.stream };
  if (ticket?.countsTokens === true) {
    const expected = Math.max(...plans.map((plan) => endpoint.expectedTokens(plan.request, plan.model)));
    const reserved = ticket.reserve(expected);
    if (reserved instanceof Promise) {
      return reserved.then(() => {
        facts.opening = opening;
      });
    }
  }
  facts.opening = opening;
  return undefined;
}

/**
 * Those of the candidates that a caller can be charged for: what has no price is not served to those who pay.
 * @throws AppError model_unpriced where none is left.
 */
export function pricedCandidates(
  model: Model,
  candidates: readonly Candidate[],
  { caller, facts }: { readonly caller: Caller; readonly facts: RequestFacts },
): readonly Candidate[] {
  if (caller.billingExempt || priceAt(model, null, facts.arrivedAtMs) !== null) return candidates;
  const priced = candidates.filter(
    ({ deployment }) => priceAt(model, deployment, facts.arrivedAtMs) !== null,
  );
  if (priced.length > 0) return priced;
  throw new AppError({
    code: 'model_unpriced',
    public: `${model.publicId} has no price yet, so it cannot be used with a prepaid key. Ask your administrator.`,
    param: 'model',
  });
}

const isAnyPaid = (plans: readonly Planned<unknown>[], atMs: number): boolean =>
  plans.some(({ model, candidates }) => !areAllFree(model, candidates, atMs));

/** Nothing can ever be charged for it, so an empty wallet is no obstacle. */
function areAllFree(
  model: Model,
  servedBy: readonly { readonly deployment: Deployment }[],
  atMs: number,
): boolean {
  return servedBy.every(({ deployment }) => {
    const version = priceAt(model, deployment, atMs);
    return version !== null && areFree(version.prices);
  });
}

const isFree = (model: Model, atMs: number): boolean =>
  areAllFree(
    model,
    model.deployments.map((deployment) => ({ deployment })),
    atMs,
  );

interface Fitting<Ask> {
  readonly request: Ask;
  readonly caller: Caller;
  readonly model: Model;
  readonly candidates: readonly Candidate[];
  readonly facts: RequestFacts;
}

/**
 * For those who pay, the request without what a provider would charge for and the model has no price for.
 * @throws AppError model_unpriced where it cannot do without.
 */
export function fitToPrices<Ask extends Asked>(
  { fitToPrices: fit }: PaidEndpoint<Ask>,
  { request, caller, model, candidates, facts }: Fitting<Ask>,
): { readonly request: Ask; readonly leftOut: string | undefined } {
  if (fit === undefined || caller.billingExempt) return { request, leftOut: undefined };
  const prices = sharedPrices(model, candidates, facts.arrivedAtMs);
  const fitted = fit(request, model, prices);
  const leftOut = fitted.leftOut.length > 0 ? fitted.leftOut.join(', ').slice(0, 500) : undefined;
  return { request: fitted.request, leftOut };
}

/** What has a price wherever the request may come to be served. */
function sharedPrices(model: Model, candidates: readonly Candidate[], atMs: number): Prices {
  const pricesOf = ({ deployment }: Candidate) => priceAt(model, deployment, atMs)?.prices ?? nothingPriced;
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return pricesOf(only);
  const [first = nothingPriced, ...others] = candidates.map(pricesOf);
  if (others.every((prices) => prices === first)) return first;
  const shared = Object.entries(first).filter(([meter]) => others.every((prices) => meter in prices));
  return Object.fromEntries(shared);
}

const nothingPriced: Prices = {};

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

/** By the models that a key is locked to. */
export const mayUse = (caller: Pick<Caller, 'allowedModels'>, model: Model): boolean =>
  caller.allowedModels === null || caller.allowedModels.has(model.publicId);
