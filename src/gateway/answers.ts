/** The answers, and the headers that each carries: ids, the limits' state, who answered and what was chosen for the caller. */
import type { AppError } from '../base/errors.ts';
import { writeUsd } from '../base/money.ts';
import { type LimitState, type LimitStates, RateLimitedError } from '../limits/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { explainRoute, isExplained } from './decision.ts';
import type { FreeAnswer } from './endpoint.ts';
import type { RequestFacts } from './request-facts.ts';
import type { RequestSession } from './session.ts';

export type HeaderRecord = Record<string, string>;

export function jsonAnswer(facts: RequestFacts, { body, headers }: FreeAnswer): Response {
  return new Response(body, { headers: { ...answerHeaders(facts, 'application/json'), ...headers } });
}

export function pricedAnswer(
  facts: RequestFacts,
  body: string | ReadableStream<Uint8Array>,
  { contentType, costNanoUsd }: { contentType: string; costNanoUsd: bigint | null },
): Response {
  const headers = answerHeaders(facts, contentType);
  // What is counted when the answer has gone costs what nobody knows yet.
  if (costNanoUsd !== null) headers['x-sluice-cost-usd'] = writeUsd(costNanoUsd);
  return new Response(body, { headers });
}

export function streamAnswer(facts: RequestFacts, body: ReadableStream<Uint8Array>): Response {
  const headers = answerHeaders(facts, 'text/event-stream; charset=utf-8');
  headers['cache-control'] = 'no-cache';
  headers['x-accel-buffering'] = 'no';
  return new Response(body, { headers });
}

export function errorAnswer(facts: RequestFacts, error: AppError, writer: ErrorWriter): Response {
  const headers = answerHeaders(facts, 'application/json');
  if (error instanceof RateLimitedError) addLimits(headers, error.limits);
  headers['x-should-retry'] = String(error.retryable);
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  // What is still to come of the body is nobody's any more.
  if (error.status === 408) headers['connection'] = 'close';
  return new Response(writer.writeBody(error, facts.requestId), { status: error.status, headers });
}

/** What every answer carries: request ids, the limits' state, the provider and the gateway's own time. */
export function answerHeaders(facts: RequestFacts, contentType: string): HeaderRecord {
  const headers: HeaderRecord = {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    // Answers are one caller's own; a stream says less, which is what its clients and proxies know.
    'cache-control': 'no-store',
    'x-request-id': facts.requestId,
    'request-id': facts.requestId,
    'x-sluice-overhead-ms': facts.overheadMs().toFixed(3),
  };
  const { candidate, ticket } = facts;
  if (candidate !== undefined) headers['x-sluice-provider'] = asHeader(candidate.deployment.provider.name);
  if (facts.session !== null) headers['x-sluice-session'] = writeSession(facts.session, facts.route?.isKept);
  if (facts.http !== undefined && isExplained(facts.http.headers)) {
    const explained = explainRoute(facts);
    if (explained !== null) headers['x-sluice-decision'] = explained;
  }
  if (facts.fallbackModel !== undefined) headers['x-sluice-model'] = asHeader(facts.fallbackModel);
  if (facts.leftOut !== undefined) headers['x-sluice-left-out'] = asHeader(facts.leftOut);
  if (facts.autoroutedModel !== undefined) addAutorouter(headers, facts.autoroutedModel);
  if (ticket !== undefined) addLimits(headers, ticket);
  return headers;
}

/** The session, who said so and how sure that is, and whether it stayed with its provider. */
function writeSession(
  { id, source, confidence }: RequestSession,
  isKept: boolean | null | undefined,
): string {
  const stay = isKept == null ? 'new' : isKept ? 'kept' : 'moved';
  return `${asHeader(id).replaceAll(';', ',')}; source=${source}; confidence=${confidence}; provider=${stay}`;
}

/** A header holds no letters but those of ASCII. */
const asHeader = (text: string): string => text.slice(0, 500).replace(/[^ -~]/g, '?');

/** Which level chose (system, organisation, user or key) is `system` until others can. */
function addAutorouter(headers: HeaderRecord, model: string): void {
  headers['x-sluice-autorouted'] = 'true';
  headers['x-sluice-autorouter-model'] = asHeader(model);
  headers['x-sluice-autorouter-algorithm'] = 'cost';
  headers['x-sluice-autorouter-source'] = 'system';
}

function addLimits(headers: HeaderRecord, { requests, tokens }: LimitStates): void {
  if (requests !== null) addLimit(headers, 'requests', requests);
  if (tokens !== null) addLimit(headers, 'tokens', tokens);
}

/** In the official clients' spelling: `120ms`, `1.5s`, `6m0s`. */
function addLimit(headers: HeaderRecord, name: 'requests' | 'tokens', state: LimitState): void {
  headers[`x-ratelimit-limit-${name}`] = String(state.limit);
  headers[`x-ratelimit-remaining-${name}`] = String(state.remaining);
  headers[`x-ratelimit-reset-${name}`] = writeDuration(state.resetMs);
}

function writeDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 100) / 10;
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${Math.round(seconds % 60)}s`;
}
