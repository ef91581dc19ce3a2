/** The only pipeline: caller → body → model → wallet and limits → providers in turn → answer → settlement. */
import { AppError, asAppError } from '../base/errors.ts';
import type { Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { type Candidate, findCandidates, type UpstreamFailure } from '../routing/index.ts';
import { attempt } from '../upstream/index.ts';
import { admit, admitUpload, identifyCaller, requireScope } from './admit.ts';
import { bytesAnswer, errorAnswer, jsonAnswer, streamAnswer, wholeAnswer } from './answer.ts';
import { factsOf, resolveModel } from './choose-model.ts';
import type { Arrival, Asked, FreeEndpoint, PaidEndpoint, Served } from './endpoint.ts';
import { relayBytes } from './relay-bytes.ts';
import { relayStream } from './relay-stream.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import { beginRequest, settleRequest } from './settle-request.ts';

type AnyEndpoint<Ask extends Asked, Subject> = PaidEndpoint<Ask> | FreeEndpoint<Ask, Subject>;

export async function serve<Ask extends Asked, Subject>(
  endpoint: AnyEndpoint<Ask, Subject>,
  arrival: Arrival,
  services: GatewayServices,
): Promise<Response> {
  const { http } = arrival;
  const facts = beginRequest(endpoint.name ?? endpoint.path, services);
  try {
    // What is there already is not waited for: each wait is a turn of the event loop, and some objects.
    const identified = identifyCaller(http, endpoint, services.callers);
    const caller = identified instanceof Promise ? await identified : identified;
    requireScope(caller, endpoint.scopes);
    endpoint.checkHeaders?.(http.headers);
    if (endpoint.kind === 'paid') {
      services.settlement.requireRoom();
      if (endpoint.isUpload === true) await admitUpload({ facts, caller, endpoint, services });
    }
    const read = endpoint.readRequest(arrival, services);
    const request = read instanceof Promise ? await read : read;
    const visit = { request, caller, http, facts, services };
    return await (endpoint.kind === 'paid' ? servePaid(endpoint, visit) : serveFree(endpoint, visit));
  } catch (thrown) {
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

async function serveFree<Ask, Subject>(
  endpoint: FreeEndpoint<Ask, Subject>,
  visit: Visit<Ask>,
): Promise<Response> {
  const { request, caller, facts, services } = visit;
  const subject = endpoint.findSubject(request, visit);
  if (endpoint.isLimited) facts.ticket = services.limiter.admit(caller.keyId, caller);
  const response = jsonAnswer(facts, await endpoint.answer({ ...visit, subject }));
  settleRequest(facts, { status: 200, outcome: 'complete' }, services);
  return response;
}

/** Without a wait of its own while the wallet is warm. */
function servePaid<Ask extends Asked>(endpoint: PaidEndpoint<Ask>, visit: Visit<Ask>): Promise<Response> {
  const { request, caller, facts, services } = visit;
  const snapshot = services.catalogue.current();
  const { model, isAutorouted } = resolveModel(request, endpoint, { caller, snapshot });
  if (isAutorouted) facts.autoroutedModel = model.publicId;
  const candidates = findCandidates(model, caller, endpoint.canServe);
  const admitted = admit({ caller, model, facts, streamed: request.stream, services });
  const answer = () => answerFrom(candidates, endpoint, { ...visit, model });
  return admitted === undefined ? answer() : admitted.then(answer);
}

/** Tries the candidates in order; the first that shows content answers. */
async function answerFrom<Ask extends Asked>(
  candidates: readonly Candidate[],
  endpoint: PaidEndpoint<Ask>,
  visit: Visit<Ask> & { readonly model: Model },
): Promise<Response> {
  const { request, caller, model, http, facts, services } = visit;
  const asked = { request, caller, model, facts: factsOf(model), headers: http.headers };
  let failure: UpstreamFailure | undefined;
  for (const candidate of candidates) {
    const options = { candidate, services: services.upstream, asker: http, streamed: request.stream };
    for (let tries = 0; tries < 2; tries += 1) {
      facts.waits();
      const result = await attempt(options, (call) => endpoint.ask({ ...asked, call }));
      facts.tried(candidate, result.report);
      if (result.kind === 'answer') return answerWith(result.answer, endpoint.errors, visit);
      if (result.kind === 'abandoned') throw clientClosed();
      // A provider that could not even be asked says less than one that failed.
      if (failure === undefined || result.failure.isUnasked !== true) failure = result.failure;
      services.log.warn('upstream failed', {
        requestId: facts.requestId,
        provider: candidate.deployment.provider.name,
        errorCode: result.failure.error.code,
        ...(result.failure.error.internal === undefined ? {} : { detail: result.failure.error.internal }),
      });
      if (!result.failure.canFailOver) throw failure.error;
      if (!result.failure.canRetrySame) break;
    }
  }
  throw failure?.error ?? new AppError({ code: 'no_provider', public: 'No provider can serve this model.' });
}

function answerWith(served: Served, errors: ErrorWriter, { facts, services }: Visit<Asked>): Response {
  if (served.kind === 'stream') {
    return streamAnswer(facts, relayStream({ stream: served, facts, errors, services }));
  }
  if (served.kind === 'bytes') {
    const { contentType, usage } = served;
    return bytesAnswer(facts, relayBytes(served, { facts, services }), {
      contentType,
      costNanoUsd: facts.costOf(usage),
    });
  }
  const { usage } = served;
  const response = wholeAnswer(facts, served, facts.costOf(usage));
  settleRequest(facts, { status: 200, outcome: 'complete', usage }, services);
  return response;
}

/** Answers with an error. Counted and logged like every end. */
export function refuse(
  facts: RequestFacts,
  error: AppError,
  { errors, services }: { errors: ErrorWriter; services: GatewayServices },
): Response {
  if (error.code === 'internal_error') {
    services.log.error('request failed inside the gateway', {
      requestId: facts.requestId,
      path: facts.endpoint,
      ...(error.internal === undefined ? {} : { detail: error.internal }),
      ...(error.cause instanceof Error && error.cause.stack !== undefined
        ? { stack: error.cause.stack }
        : {}),
    });
  }
  const response = errorAnswer(facts, error, errors);
  settleRequest(facts, { status: error.status, outcome: outcomeOf(error), errorCode: error.code }, services);
  return response;
}

function outcomeOf(error: AppError): 'client_closed' | 'upstream_failed' | 'refused' {
  if (error.code === 'client_closed') return 'client_closed';
  return error.status >= 502 ? 'upstream_failed' : 'refused';
}

const clientClosed = (): AppError =>
  new AppError({ code: 'client_closed', public: 'The client closed the connection.' });
