/** Where the way of a request through its candidates begins: with its conversation, which has its place. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import type { Candidate, Route, Stickiness, Terms } from '../routing/index.ts';
import type { Asked } from './endpoint.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import { hasHistory, inferSession, type RequestSession, readKnownSession } from './session.ts';

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
 * The conversation is only looked for where there is a choice, and other processes asked where it is new to this one.
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
