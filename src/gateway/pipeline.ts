/** The only pipeline: caller, wallet and limits → body → model → providers in turn → answer → settlement. */
import { asAppError } from '../base/errors.ts';
import { priceAt } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import type { Route, Terms, UpstreamFailure } from '../routing/index.ts';
import { attempt } from '../upstream/index.ts';
import { clientClosed, settleAbandoned } from './abandoned.ts';
import { admitCaller, factsOf, identifyCaller, openRequest, requireScope, takeTicket } from './admit.ts';
import { answerOnce, isAskedOnce, jsonAnswer, pricedAnswer, streamAnswer } from './answers.ts';
import { allFilteredOf, isExplained } from './decision.ts';
import type { Arrival, Asked, FreeEndpoint, PaidEndpoint, Served } from './endpoint.ts';
import { type ChargedUsage, UncountedUsage } from './estimate.ts';
import { holdCost } from './hold.ts';
import { openRoute, type Plan, type Plans, planOf, planRequest } from './plans.ts';
import { takePreferences } from './preferences.ts';
import { refuse } from './refusals.ts';
import { relayStream } from './relay.ts';
import { relayBytes, relayWhole } from './relay-bytes.ts';
import { holdParsed } from './request-body.ts';
import { beginRequest, type RequestFacts, settleRequest } from './request-facts.ts';
import { Rescue, readRescue } from './rescue.ts';
import type { GatewayServices } from './services.ts';
import { readGivenSession, readLabels } from './session.ts';
import { bindToState, outOfReach } from './upstream-state.ts';
import { openInSpool } from './usage-record.ts';

type AnyEndpoint<Ask extends Asked, Subject> = PaidEndpoint<Ask> | FreeEndpoint<Ask, Subject>;

export async function serve<Ask extends Asked, Subject>(
  endpoint: AnyEndpoint<Ask, Subject>,
  arrival: Arrival,
  services: GatewayServices,
): Promise<Response> {
  const { http, parameters } = arrival;
  const facts = beginRequest(endpoint.name ?? endpoint.path, services);
  facts.http = http;
  try {
    services.connections.hold(http);
    // What is there already is not waited for: each wait is a turn of the event loop, and some objects.
    const turn = services.upstream.beginnings.enter();
    if (turn !== undefined) await turn;
    const identified = identifyCaller(http, endpoint, services.callers);
    const caller = identified instanceof Promise ? await identified : identified;
    facts.held.belongTo(caller.keyId);
    requireScope(caller, endpoint.scopes);
    endpoint.checkHeaders?.(http.headers);
    if (endpoint.kind === 'paid') {
      services.settlement.requireRoom();
      const admitted = admitCaller({ facts, caller, endpoint, services });
      if (admitted !== undefined) await admitted;
    } else if (endpoint.isLimited) {
      const admitted = takeTicket({ facts, caller, services });
      if (admitted !== undefined) await admitted;
    }
    const read = endpoint.readRequest({ http, parameters, held: facts.held }, services);
    const request = read instanceof Promise ? await read : read;
    if (request.json !== undefined) holdParsed(request.json, facts.held);
    const visit = { request, caller, http, facts, services };
    if (endpoint.kind === 'free') return await serveFree(endpoint, visit);
    const work = (asking: Visit<Ask>) => servePaid(endpoint, asking);
    return await (isAskedOnce(visit) ? answerOnce(visit, work, refuseThrown) : work(visit));
  } catch (thrown) {
    return refuseThrown(thrown);
  } finally {
    if (facts.waiting !== undefined) services.unanswered.leave(facts.waiting);
  }

  function refuseThrown(thrown: unknown): Response {
    const errors = endpoint.errorsFor?.(http.headers) ?? endpoint.errors;
    return refuse(facts, asAppError(thrown), { errors, services });
  }
}

/** A request whose caller and body are known. */
interface Visit<Ask> {
  readonly request: Ask;
  readonly caller: Caller;
  readonly http: Request;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/** The models that may answer are known, each with who may serve it. */
interface PlannedVisit<Ask> extends Visit<Ask> {
  readonly plans: Plans<Ask>;
  readonly terms: Terms;
}

async function serveFree<Ask extends Asked, Subject>(
  endpoint: FreeEndpoint<Ask, Subject>,
  visit: Visit<Ask>,
): Promise<Response> {
  const { caller, facts, services } = visit;
  const parts = { caller, atMs: facts.arrivedAtMs, takesAll: endpoint.takesAll };
  const { request, ...wanted } = takePreferences(visit.request, parts);
  const subject = endpoint.findSubject(request, { ...visit, ...wanted });
  const response = jsonAnswer(facts, await endpoint.answer({ ...visit, request, subject }));
  settleRequest(facts, { status: 200, outcome: 'complete' }, services);
  return response;
}

function servePaid<Ask extends Asked>(endpoint: PaidEndpoint<Ask>, visit: Visit<Ask>): Promise<Response> {
  const { request, caller, http, facts, services } = visit;
  facts.session = readGivenSession(http.headers, request.json);
  facts.labels = readLabels(http.headers, request.json, facts.session?.id ?? null);
  const parts = { caller, atMs: facts.arrivedAtMs, takesAll: endpoint.takesAll };
  const wanted = takePreferences(request, parts);
  const planned: PlannedVisit<Ask> = {
    request,
    caller,
    http,
    facts,
    services,
    terms: wanted.terms,
    plans: planRequest(endpoint, wanted, visit),
  };
  const bound = bindToState(endpoint, planned.plans, visit);
  return bound instanceof Promise
    ? bound.then((plans) => holdFor(endpoint, planned, plans))
    : holdFor(endpoint, planned, bound);
}

// Each step is a function of its own: closures would be made for every request, and hardly any request has to wait here.
function holdFor<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  planned: PlannedVisit<Ask>,
  bound: Plans<Ask>,
): Promise<Response> {
  const { caller, http, facts, services, terms, plans } = planned;
  if (isExplained(http.headers)) {
    const { canServe } = endpoint;
    facts.filtered = allFilteredOf({ planned: plans, bound, terms, canServe });
  }
  const held = holdCost(endpoint, { plans: bound, caller, facts, services });
  return held instanceof Promise
    ? held.then((paid) => openFor(endpoint, planned, paid))
    : openFor(endpoint, planned, held);
}

function openFor<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  planned: PlannedVisit<Ask>,
  plans: Plans<Ask>,
): Promise<Response> {
  const { request, caller, http, facts, services, terms } = planned;
  const visit = { request, caller, http, facts, services, terms, plans };
  const opened = openRequest(endpoint, visit);
  return opened === undefined ? answerFrom(endpoint, visit) : opened.then(() => answerFrom(endpoint, visit));
}

/** A request's signal is made when it is first asked for, which costs something: a request that was quick is sent as it is. */
const looksAfterMs = 100;

/** Asks one after the other as the route says; the first that shows content answers. */
async function answerFrom<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  visit: PlannedVisit<Ask>,
): Promise<Response> {
  const { caller, terms, plans, http, facts, services } = visit;
  const { headers } = http;
  const waiting = services.unanswered.enter(http);
  facts.waiting = waiting;
  const owes = (asked: () => ChargedUsage, done: () => ChargedUsage | undefined = owesNothing) => {
    facts.owes = { asked, done };
  };
  const rescues = visit.request.stream ? readRescue(headers, caller) : false;
  const opening = openRoute(plans, visit);
  const route = opening instanceof Promise ? await opening : opening;
  waiting.throwIfInterrupted();
  openInSpool(facts, route, services);
  const onLinger = (cut: () => void) => facts.lingers(services.settlement.owe(cut));
  let failure: UpstreamFailure | undefined;
  while (true) {
    const { candidate, isLast, isRetry, contentWithinMs } = route;
    if (candidate === null) break;
    const plan = planOf(plans, candidate.deployment);
    const { request, model } = plan;
    facts.goesTo(plan);
    if (route.pauseMs > 0) {
      await facts.pauses(() => route.pause(waiting.signal));
      waiting.throwIfInterrupted();
      if (http.signal.aborted) throw clientClosed();
    }
    // What took long before this was not a call's, which looks after its client by itself.
    if (facts.elapsedMs() > looksAfterMs && http.signal.aborted) throw clientClosed();
    facts.waits();
    // What a provider did that failed in the end is not the client's to pay.
    facts.owes = null;
    const result = await attempt(
      {
        candidate,
        services: services.upstream,
        asker: http,
        onLinger,
        streamed: request.stream,
        isLast,
        isRetry,
        contentWithinMs,
      },
      (call) => {
        const prices = priceAt(model, candidate.deployment, facts.arrivedAtMs)?.prices ?? null;
        const rescueRoom = (rescues ?? model.rescue) ? facts.held : null;
        const ofModel = factsOf(model);
        waiting.awaits(call);
        // Written out, here and below: what is spread is copied by name, with each request.
        return endpoint.ask({
          request,
          caller,
          model,
          prices,
          call,
          facts: ofModel,
          headers,
          services,
          held: facts.held,
          rescueRoom,
          owes,
        });
      },
    );
    facts.tried(candidate, waiting.reportOf(result.report), route);
    waiting.throwIfInterrupted();
    if (result.kind === 'answer') {
      route.answered();
      const answering = { request: visit.request, caller, http, facts, services, terms, plans, plan, route };
      return answerWith(result.answer, endpoint.errors, answering);
    }
    if (result.kind === 'abandoned') throw await settleAbandoned(result, visit);
    if (failure === undefined || !saysLess(result.failure, failure)) failure = result.failure;
    services.log.warn('upstream failed', {
      requestId: facts.requestId,
      provider: candidate.deployment.provider.name,
      errorCode: result.failure.error.code,
      ...(result.askedAt === null ? {} : { upstreamUrl: result.askedAt }),
      ...(result.failure.error.internal === undefined ? {} : { detail: result.failure.error.internal }),
    });
    if (!route.failed(result.failure)) break;
  }
  const { refusal } = route;
  // Of those who were left out one may serve again soon.
  const error = failure === undefined || (isSpent(failure) && refusal.retryable) ? refusal : failure.error;
  throw facts.heldBy === undefined ? error : outOfReach(facts.heldBy, error);
}

/** A provider that could not even be asked, and an account without money where another one may serve again soon. */
const saysLess = (failure: UpstreamFailure, before: UpstreamFailure): boolean =>
  failure.isUnasked === true || (isSpent(failure) && before.error.retryable);

const isSpent = ({ error }: UpstreamFailure): boolean => error.code === 'upstream_quota_spent';

const owesNothing = () => undefined;

/** With what was decided of its answer. */
interface Answering extends PlannedVisit<Asked> {
  readonly plan: Plan<Asked>;
  readonly route: Route;
}

function answerWith(served: Served, errors: ErrorWriter, visit: Answering): Response {
  const response = responseOf(served, errors, visit);
  const { outputCap } = visit.plan;
  if (outputCap !== null) response.headers.set('x-sluice-output-cap', String(outputCap));
  return response;
}

function responseOf(served: Served, errors: ErrorWriter, visit: Answering): Response {
  const { facts, caller, services } = visit;
  if (served.kind === 'stream') {
    const { stream, estimate, rest } = served;
    const rescue = rest === undefined ? undefined : new Rescue({ ...visit, broken: served, rest });
    const response = streamAnswer(facts, relayStream({ stream, estimate, facts, errors, services, rescue }));
    if (rest !== undefined) response.headers.set('x-sluice-rescue', 'ready');
    return response;
  }
  const { usage } = served;
  const costNanoUsd = usage instanceof UncountedUsage ? null : facts.prices.costOf(usage);
  if (served.kind === 'bytes') {
    const { contentType } = served.bytes;
    return pricedAnswer(facts, relayBytes(served, { facts, services }), { contentType, costNanoUsd });
  }
  // Settled first, so that the headers tell the limits with what it used.
  settleRequest(facts, { status: 200, outcome: 'complete', usage }, services);
  const { body, contentType } = served;
  facts.wholeBody = body;
  return pricedAnswer(facts, relayWhole(body, caller.keyId, services), { contentType, costNanoUsd });
}
