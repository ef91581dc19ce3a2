/** The gateway's answers: their headers, and errors in the caller's protocol. */
import type { AppError } from '../base/errors.ts';
import { writeUsd } from '../base/money.ts';
import { type LimitState, type LimitStates, RateLimitedError } from '../limits/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import type { FreeAnswer } from './endpoint.ts';
import type { RequestFacts } from './request-facts.ts';

type HeaderRecord = Record<string, string>;

/** What every answer carries: request ids, the limits' state, the provider and the gateway's own time. */
function answerHeaders(facts: RequestFacts, contentType: string): HeaderRecord {
  const headers: HeaderRecord = {
    'content-type': contentType,
    'x-request-id': facts.requestId,
    'request-id': facts.requestId,
    'x-sluice-overhead-ms': facts.overheadMs().toFixed(3),
  };
  const { candidate, ticket } = facts;
  if (candidate !== undefined) headers['x-sluice-provider'] = candidate.deployment.provider.name;
  if (facts.autoroutedModel !== undefined) addAutorouter(headers, facts.autoroutedModel);
  if (ticket !== undefined) addLimits(headers, ticket);
  return headers;
}

export function jsonAnswer(facts: RequestFacts, { body, headers }: FreeAnswer): Response {
  return new Response(body, { headers: { ...answerHeaders(facts, 'application/json'), ...headers } });
}

export function wholeAnswer(
  facts: RequestFacts,
  { body, contentType }: { readonly body: string; readonly contentType: string },
  costNanoUsd: bigint,
): Response {
  const headers = answerHeaders(facts, contentType);
  headers['x-sluice-cost-usd'] = writeUsd(costNanoUsd);
  return new Response(body, { headers });
}

export function bytesAnswer(
  facts: RequestFacts,
  body: ReadableStream<Uint8Array>,
  { contentType, costNanoUsd }: { contentType: string; costNanoUsd: bigint },
): Response {
  const headers = answerHeaders(facts, contentType);
  headers['x-sluice-cost-usd'] = writeUsd(costNanoUsd);
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
  return new Response(writer.writeBody(error, facts.requestId), { status: error.status, headers });
}

/** Which level chose (system, organisation, user or key) is `system` until others can. */
function addAutorouter(headers: HeaderRecord, model: string): void {
  headers['x-sluice-autorouted'] = 'true';
  headers['x-sluice-autorouter-model'] = model;
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
