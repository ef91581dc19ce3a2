/** The only pipeline: caller → body → model → limits → wallet → providers in turn → answer → settlement. */
import { AppError, asAppError } from '../base/errors.ts';
import type { Model, ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { ErrorWriter, InferenceRequest } from '../protocols/exchange.ts';
import type { ClientProtocol } from '../protocols/protocol.ts';
import { type Candidate, findCandidates, type UpstreamFailure } from '../routing/index.ts';
import { errorAnswer, streamAnswer, wholeAnswer } from './answer.ts';
import { type AttemptResult, attempt } from './attempt.ts';
import { autoName, chooseModel } from './auto-model.ts';
import { identifyCaller, requireScope } from './caller.ts';
import { estimateUsage } from './estimate.ts';
import { Exchange } from './exchange.ts';
import { findModel, isFree, requirePrice } from './model-access.ts';
import { relayStream } from './relay-stream.ts';
import { readJsonText } from './request-body.ts';
import type { GatewayServices } from './services.ts';
import { translatorBetween } from './translators.ts';
import { UpstreamCall } from './upstream-call.ts';

const bodyTimeoutMs = 60_000;

/** An inference endpoint, as data. */
export interface Endpoint {
  readonly path: string;
  readonly modelType: ModelType;
  readonly errors: ErrorWriter;
  /** @throws AppError for a body that is not a valid request. */
  readRequest(text: string): InferenceRequest;
  readonly client: ClientProtocol;
  /** Headers that belong to the client's protocol and go on to an upstream that speaks the same one. */
  readonly protocolHeaders: readonly string[];
  /** @throws AppError for protocol headers that cannot be. */
  checkHeaders?(headers: Headers): void;
}

interface Admitted {
  readonly exchange: Exchange;
  readonly request: InferenceRequest;
  readonly candidates: readonly Candidate[];
}

export async function relay(http: Request, endpoint: Endpoint, services: GatewayServices): Promise<Response> {
  const exchange = new Exchange(endpoint.path, services);
  try {
    const caller = await identifyCaller(http.headers, services.callers);
    requireScope(caller, ['inference', 'webchat']);
    endpoint.checkHeaders?.(http.headers);
    services.settlement.requireRoom();
    const text = await readJsonText(http, {
      maxBytes: services.settings.maxBodyBytes,
      timeoutMs: bodyTimeoutMs,
      deadlines: services.deadlines,
    });
    const request = endpoint.readRequest(text);
    const model = resolveModel(request, { exchange, caller, endpoint, services });
    const candidates = findCandidates(model, caller);
    await openExchange({ exchange, caller, model, request }, services);
    return await answerFrom({ exchange, request, candidates }, { http, endpoint, services });
  } catch (thrown) {
    return refuse(exchange, asAppError(thrown), { endpoint, services });
  }
}

async function openExchange(
  opening: { exchange: Exchange; caller: Caller; model: Model; request: InferenceRequest },
  services: GatewayServices,
): Promise<void> {
  const { exchange, caller, model, request } = opening;
  requirePrice(model, caller);
  const exempt = caller.billingExempt || isFree(model);
  const admission = await services.wallets.admit({ payerId: caller.payerId, exempt });
  try {
    const ticket = services.limiter.admit(caller.keyId, caller);
    exchange.open({ caller, model, admission, ticket, streamed: request.stream });
  } catch (refusal) {
    admission.release();
    throw refusal;
  }
}

function resolveModel(
  request: InferenceRequest,
  context: { exchange: Exchange; caller: Caller; endpoint: Endpoint; services: GatewayServices },
): Model {
  const { exchange, caller, endpoint, services } = context;
  const snapshot = services.catalogue.current();
  if (request.model !== autoName || endpoint.modelType !== 'chat' || snapshot.byName.has(autoName)) {
    return findModel(request.model, endpoint.modelType, caller, snapshot);
  }
  const model = chooseModel(request, caller, snapshot);
  exchange.routedTo(model);
  return model;
}

/** Tries the candidates in order; the first that shows content answers. */
async function answerFrom(
  admitted: Admitted,
  context: { http: Request; endpoint: Endpoint; services: GatewayServices },
): Promise<Response> {
  let failure: UpstreamFailure | undefined;
  for (const candidate of admitted.candidates) {
    for (let tries = 0; tries < 2; tries += 1) {
      const result = await tryCandidate(candidate, admitted, context);
      if (result.kind !== 'failure') return answerWith(result, admitted, context.endpoint);
      failure = result.failure;
      context.services.log.warn('upstream failed', {
        requestId: admitted.exchange.requestId,
        provider: candidate.deployment.provider.name,
        errorCode: failure.error.code,
        ...(failure.error.internal === undefined ? {} : { detail: failure.error.internal }),
      });
      if (!failure.canFailOver) throw failure.error;
      if (!failure.canRetrySame) break;
    }
  }
  throw failure?.error ?? new AppError({ code: 'no_provider', public: 'No provider can serve this model.' });
}

async function tryCandidate(
  candidate: Candidate,
  { exchange, request }: Admitted,
  { http, endpoint, services }: { http: Request; endpoint: Endpoint; services: GatewayServices },
): Promise<AttemptResult> {
  if (http.signal.aborted) throw clientClosed();
  const call = new UpstreamCall(services, candidate, { streamed: request.stream });
  const cancel = () => call.cancel();
  http.signal.addEventListener('abort', cancel, { once: true });
  exchange.callsUpstream(candidate);
  const { protocol } = candidate.adapter.chat;
  const result = await attempt({
    candidate,
    translator: translatorBetween(endpoint.client, protocol),
    forwarded: endpoint.client.name === protocol.name ? pickHeaders(http, endpoint.protocolHeaders) : {},
    facts: exchange.modelFacts(),
    request,
    call,
  });
  exchange.hasUpstream(result.kind === 'failure' ? 'failure' : 'content');
  if (http.signal.aborted) {
    call.cancel();
    throw clientClosed();
  }
  if (result.kind !== 'stream') http.signal.removeEventListener('abort', cancel);
  return result;
}

function pickHeaders(http: Request, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = http.headers.get(name);
    if (value !== null) picked[name] = value;
  }
  return picked;
}

function answerWith(
  result: Exclude<AttemptResult, { kind: 'failure' }>,
  { exchange, request }: Admitted,
  endpoint: Endpoint,
): Response {
  if (result.kind === 'stream') {
    const body = relayStream({ stream: result, exchange, request, errors: endpoint.errors });
    return streamAnswer(exchange, body);
  }
  const { answer } = result;
  const usage = answer.usage ?? estimateUsage(request, answer.generatedCharacters);
  const response = wholeAnswer(exchange, answer.body, exchange.costOf(usage));
  exchange.end({ status: 200, outcome: 'complete', usage });
  return response;
}

function refuse(
  exchange: Exchange,
  error: AppError,
  { endpoint, services }: { endpoint: Endpoint; services: GatewayServices },
): Response {
  if (error.code === 'internal_error') {
    services.log.error('request failed inside the gateway', {
      requestId: exchange.requestId,
      path: endpoint.path,
      ...(error.internal === undefined ? {} : { detail: error.internal }),
      ...(error.cause instanceof Error && error.cause.stack !== undefined
        ? { stack: error.cause.stack }
        : {}),
    });
  }
  const response = errorAnswer(exchange, error, endpoint.errors);
  exchange.end({ status: error.status, outcome: outcomeOf(error), errorCode: error.code });
  return response;
}

function outcomeOf(error: AppError): 'client_closed' | 'upstream_failed' | 'refused' {
  if (error.code === 'client_closed') return 'client_closed';
  return error.status >= 502 ? 'upstream_failed' : 'refused';
}

const clientClosed = (): AppError =>
  new AppError({ code: 'client_closed', public: 'The client closed the connection.' });
