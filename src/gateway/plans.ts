/**
 * The models that may answer a request, each with those who can serve it: the one that it names, and behind it those
 * that it falls back on. A model that nobody may serve is passed over while another is left. The
 * way through them begins here too.
 */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Deployment, Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import { type Candidate, findCandidates, type Route, type Stickiness, type Terms } from '../routing/index.ts';
import { fitToPrices, pricedCandidates } from './admit.ts';
import { type ModelsSought, resolveModel } from './choose-model.ts';
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
    const fitted = fitToPrices(endpoint, { ...planning, request, model: planned, candidates });
    return { model: planned, candidates, ...fitted, outputCap: null };
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
export function openRoute(
  [{ model, candidates }, ...others]: readonly [Planned, ...Planned[]],
  routed: Routed,
): MaybePromise<Route> {
  const { request, http, terms, facts, services, isDry = false } = routed;
  let sticky: Stickiness | null = null;
  if (candidates.length > 1) {
    facts.session ??= readKnownSession(http.headers, request.json) ?? inferSession(request.json);
    if (facts.session !== null) sticky = stickinessOf(facts.session, model, routed);
  }
  const { wish } = terms;
  const isUsual = wish === undefined && others.length === 0 && !isDry;
  const opening = isUsual ? undefined : { wish, others, isDry };
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
