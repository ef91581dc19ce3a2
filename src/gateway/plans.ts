/**
 * The models that may answer a request, each with those who can serve it: the one that it names, the first of its kind
 * or what `auto` becomes, and behind it those that it falls back on. A model that nobody may serve is passed over while
 * another is left. The way through them begins here too.
 */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { CatalogueSnapshot, Deployment, Model, ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import type { Supports } from '../providers/index.ts';
import {
  type Candidate,
  findCandidates,
  isServed,
  listOf,
  type Route,
  type Stickiness,
  type Terms,
} from '../routing/index.ts';
import { fitToPrices, mayUse, pricedCandidates } from './admit.ts';
import type { Asked, PaidEndpoint } from './endpoint.ts';
import { atModel, type Preferring } from './preferences.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import { hasHistory, inferSession, type RequestSession, readKnownSession } from './session.ts';

export interface Plan<Ask> {
  readonly model: Model;
  readonly candidates: readonly Candidate[];
  /** Without what the model has no price for. */
  readonly request: Ask;
  /** Of that. */
  readonly leftOut: string | undefined;
  /** Tokens of each answer, where that was lowered to what is paid for. */
  readonly outputCap: number | null;
}

/** At least one, in the order in which they are asked. */
export type Plans<Ask> = readonly [Plan<Ask>, ...Plan<Ask>[]];

interface Planning {
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/** @throws AppError of the first model, where none can be served to the caller. */
export function planRequest<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  preferring: Preferring<Ask>,
  planning: Planning,
): Plans<Ask> {
  const { request, terms, models } = preferring;
  return ofServed(wantedModels(endpoint, { request, terms, models }, planning), planFor);

  function planFor(planned: Model): Plan<Ask> {
    const able = findCandidates(planned, terms, endpoint.canServe);
    const candidates = pricedCandidates(planned, able, planning);
    const { caller, facts } = planning;
    const fitted = fitToPrices(endpoint, { request, caller, facts, model: planned, candidates });
    return { model: planned, candidates, request: fitted.request, leftOut: fitted.leftOut, outputCap: null };
  }
}

/**
 * Those that a request names, in order and each once; the first may be chosen for it.
 * @throws AppError for a name that is none, or none for its caller.
 */
export function wantedModels<Ask extends { readonly model: string | null }>(
  sought: ModelsSought<Ask>,
  { request, terms, models }: Preferring<Ask>,
  { caller, facts, services }: Planning,
): readonly [Model, ...Model[]] {
  const asking = { caller, terms, snapshot: services.catalogue.current() };
  const { model, isAutorouted } = resolveModel(request, sought, asking);
  if (isAutorouted) facts.autoroutedModel = model.publicId;
  facts.firstModel = model;
  if (models.length === 0) return [model];
  const wanted = new Set<Model>();
  for (const [index, name] of models.entries()) {
    try {
      wanted.add(resolveModel({ ...request, model: name }, sought, asking).model);
    } catch (thrown) {
      throw atModel(thrown, index);
    }
  }
  wanted.delete(model);
  return [model, ...wanted];
}

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
function resolveModel<Ask extends { readonly model: string | null }>(
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
 * The model `auto`: the one with the lowest list price among those with the abilities that the request needs; how long
 * the request is, or how hard, is not looked at. Ties keep the catalogue's order. The simulator answers nothing real, so
 * it is chosen only when alone.
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

function notFound(name: string, reason: string): AppError {
  return new AppError({
    code: 'model_not_found',
    public: `The model ${JSON.stringify(name.slice(0, 100))} ${reason}. GET /v1/models lists what this key can use.`,
    param: 'model',
  });
}

/** What is found of those that can be served. @throws AppError of the first, where none can. */
export function ofServed<Found>(
  models: readonly [Model, ...Model[]],
  find: (model: Model) => Found,
): readonly [Found, ...Found[]] {
  const [only, ...rest] = models;
  if (rest.length === 0) return [find(only)];
  let refusal: unknown;
  const [first, ...others] = models.flatMap((each) => {
    try {
      return [find(each)];
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      refusal ??= thrown;
      return [];
    }
  });
  if (first === undefined) throw refusal;
  return [first, ...others];
}

/** A deployment is of one model. */
export function planOf<Ask>(plans: Plans<Ask>, deployment: Deployment): Plan<Ask> {
  const [first, ...others] = plans;
  return others.find(({ model }) => model.deployments.includes(deployment)) ?? first;
}

interface Planned {
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

interface Routed {
  readonly request: Asked;
  readonly caller: Caller;
  readonly terms: Terms;
  readonly http: Request;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
  /** Only to tell who would be asked. */
  readonly isDry?: boolean;
}

/**
 * Where the way of a request through its candidates begins: with its conversation, which has its place. That is only
 * looked for where there is a choice, and other processes are asked where it is new to this one.
 * @param plans of the models that may answer, the one that was asked for first.
 */
export function openRoute(plans: readonly [Planned, ...Planned[]], routed: Routed): MaybePromise<Route> {
  const { request, http, terms, facts, services, isDry = false } = routed;
  const [{ model, candidates }] = plans;
  let sticky: Stickiness | null = null;
  if (candidates.length > 1) {
    facts.session ??= readKnownSession(http.headers, request.json) ?? inferSession(request.json);
    if (facts.session !== null) sticky = stickinessOf(facts.session, model, routed);
  }
  const { wish } = terms;
  const isUsual = wish === undefined && plans.length === 1 && !isDry;
  const opening = isUsual ? undefined : { wish, others: plans.slice(1), isDry };
  const open = () => {
    const route = services.routes.open(candidates, model, sticky, opening);
    facts.route = route;
    return route;
  };
  if (sticky === null) return open();
  const recalled = services.routes.recall(sticky, () => isContinued(request.json));
  return recalled === undefined ? open() : recalled.then(open);
}

const isContinued = (json: JsonObject | undefined): boolean =>
  hasHistory(json) || typeof json?.['previous_response_id'] === 'string';

/** Of the key and the model: the same word of another caller is another conversation. */
function stickinessOf(session: RequestSession, model: Model, { request, caller }: Routed): Stickiness {
  const words = JSON.stringify([caller.keyId, model.publicId, session.id]);
  // What a client names is one conversation from the start; what only begins alike may be many.
  const isNew = session.confidence === 'inferred' && !hasHistory(request.json);
  return { session: Bun.hash.xxHash64(words).toString(36), isNew };
}
