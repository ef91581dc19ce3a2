/** The only pipeline: caller → body → model → wallet → limits → providers in turn → answer → settlement. */
import { AppError, asAppError } from '../base/errors.ts';
import type { Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { type Candidate, findCandidates, type UpstreamFailure } from '../routing/index.ts';
import { attempt } from '../upstream/index.ts';
import { admitUpload } from './admit-upload.ts';
import { bytesAnswer, errorAnswer, streamAnswer, wholeAnswer } from './answer.ts';
import { identifyCaller, requireScope } from './caller.ts';
import type { Asked, Endpoint, Served } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { isFree, requirePrice } from './model-access.ts';
import { relayBytes } from './relay-bytes.ts';
import { relayStream } from './relay-stream.ts';
import { resolveModel } from './resolve-model.ts';
import type { GatewayServices } from './services.ts';

interface Context<Ask extends Asked> {
  readonly http: Request;
  readonly endpoint: Endpoint<Ask>;
  readonly services: GatewayServices;
}

interface Admitted<Ask extends Asked> {
  readonly exchange: Exchange;
  readonly request: Ask;
  readonly caller: Caller;
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

export async function relay<Ask extends Asked>(context: Context<Ask>): Promise<Response> {
  const { http, endpoint, services } = context;
  const exchange = new Exchange(endpoint.path, services);
  try {
    const caller = await identifyCaller(http.headers, services.callers);
    requireScope(caller, ['inference', 'webchat']);
    endpoint.checkHeaders?.(http.headers);
    services.settlement.requireRoom();
    if (endpoint.isUpload === true) await admitUpload({ exchange, caller, endpoint, services });
    const request = await endpoint.readRequest(http, services);
    const model = resolveModel(request, { exchange, caller, endpoint, services });
    const candidates = findCandidates(model, caller, endpoint.canServe);
    await openExchange({ exchange, caller, model, streamed: request.stream }, services);
    return await answerFrom({ exchange, request, caller, model, candidates }, context);
  } catch (thrown) {
    return refuse(exchange, asAppError(thrown), context);
  }
}

async function openExchange(
  opening: { exchange: Exchange; caller: Caller; model: Model; streamed: boolean },
  services: GatewayServices,
): Promise<void> {
  const { exchange, caller, model, streamed } = opening;
  requirePrice(model, caller);
  const exempt = caller.billingExempt || isFree(model);
  const admission = await services.wallets.admit({ payerId: caller.payerId, exempt });
  try {
    const ticket = exchange.ticket ?? services.limiter.admit(caller.keyId, caller);
    exchange.open({ caller, model, admission, ticket, streamed });
  } catch (refusal) {
    admission.release();
    throw refusal;
  }
}

/** Tries the candidates in order; the first that shows content answers. */
async function answerFrom<Ask extends Asked>(
  { exchange, request, caller, model, candidates }: Admitted<Ask>,
  context: Context<Ask>,
): Promise<Response> {
  const { http, endpoint, services } = context;
  const { headers } = http;
  const facts = exchange.modelFacts();
  let failure: UpstreamFailure | undefined;
  for (const candidate of candidates) {
    const options = { candidate, services: services.upstream, asker: http, streamed: request.stream };
    for (let tries = 0; tries < 2; tries += 1) {
      exchange.callsUpstream();
      const result = await attempt(options, (call) =>
        endpoint.ask({ request, caller, model, call, facts, headers }),
      );
      exchange.hasUpstream(candidate, result.report);
      if (result.kind === 'answer') return answerWith(result.answer, exchange, context);
      if (result.kind === 'abandoned') throw clientClosed();
      // A provider that could not even be asked says less than one that failed.
      if (failure === undefined || result.failure.isUnasked !== true) failure = result.failure;
      services.log.warn('upstream failed', {
        requestId: exchange.requestId,
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

function answerWith(served: Served, exchange: Exchange, { endpoint, services }: RefusalContext): Response {
  if (served.kind === 'stream') {
    return streamAnswer(
      exchange,
      relayStream({ stream: served, exchange, errors: endpoint.errors, services }),
    );
  }
  if (served.kind === 'bytes') {
    return bytesAnswer(exchange, relayBytes(served, exchange), {
      contentType: served.contentType,
      costNanoUsd: exchange.costOf(served.usage),
    });
  }
  const { usage } = served;
  const response = wholeAnswer(exchange, served, exchange.costOf(usage));
  exchange.end({ status: 200, outcome: 'complete', usage });
  return response;
}

interface RefusalContext {
  readonly endpoint: { readonly path: string; readonly errors: ErrorWriter };
  readonly services: GatewayServices;
}

function refuse(exchange: Exchange, error: AppError, { endpoint, services }: RefusalContext): Response {
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
