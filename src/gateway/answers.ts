/**
 * The answers, and the headers that each carries: ids, the limits' state, who answered and what was chosen for the
 * caller. And requests with an `Idempotency-Key`, which are answered once, and the same again: README.md says which, for
 * whom and how long.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { writeUsd } from '../base/money.ts';
import type { Caller } from '../identity/index.ts';
import { type LimitState, type LimitStates, RateLimitedError } from '../limits/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { explainRoute, isExplained } from './decision.ts';
import type { Asked, FreeAnswer } from './endpoint.ts';
import { type KeptAnswer, type KeyUse, mostBytesOfAnswer } from './kept-answers.ts';
import { type RequestFacts, settleRequest } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import type { RequestSession } from './session.ts';

type HeaderRecord = Record<string, string>;

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
function answerHeaders(facts: RequestFacts, contentType: string): HeaderRecord {
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
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}m${whole % 60}s`;
}

const idempotencyHeader = 'idempotency-key';
const longestIdempotencyKey = 255;
/** They belong to an answer, and are told again with it. */
const keptHeaders = [
  ...['x-sluice-cost-usd', 'x-sluice-provider', 'x-sluice-left-out', 'x-sluice-output-cap', 'x-should-retry'],
  'x-sluice-model',
  ...['x-sluice-autorouted', 'x-sluice-autorouter-model', 'x-sluice-autorouter-algorithm'],
  ...['x-sluice-autorouter-source'],
] as const;
/** What the body itself causes; every other refusal passes, or can be mended without changing the request. */
const keptStatuses: ReadonlySet<number> = new Set([200, 400, 422]);

interface Once {
  readonly request: Asked;
  readonly caller: Caller;
  readonly http: Request;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/** Also a caller without money may be told again what was paid for. */
export function mayBeToldAgain(http: Request | undefined, { keptAnswers }: GatewayServices): boolean {
  return keptAnswers !== null && http?.headers.has(idempotencyHeader) === true;
}

/** A request that says nothing of the kind, is streamed, or wants nothing kept is served as ever. */
export function isAskedOnce({ request, http, services }: Once): boolean {
  return mayBeToldAgain(http, services) && !request.stream && request.json?.['store'] !== false;
}

/**
 * @param work answers a request whose client may leave meanwhile: it goes on, so that the answer is there for the next try.
 * @throws AppError invalid_parameter for a key that cannot be, idempotency_key_reused, request_under_way.
 */
export async function answerOnce<Visit extends Once>(
  visit: Visit,
  work: (visit: Visit) => Promise<Response>,
  refuse: (thrown: unknown) => Response,
): Promise<Response> {
  const { facts, services, http } = visit;
  const claim = await services.keptAnswers?.claim(useOf(visit));
  if (claim === undefined) return await work(visit);
  if (claim.kind === 'other_request') throw reused();
  if (claim.kind === 'under_way') throw underWay();
  if (claim.kind === 'kept') return replay(claim.answer, facts, services);
  const stopping = new AbortController();
  const ended = services.settlement.owe(() => stopping.abort());
  let kept: KeptAnswer | null = null;
  try {
    const { url, method, headers } = http;
    const staying = new Request(url, { method, headers, signal: stopping.signal });
    const response = await work({ ...visit, http: staying }).catch(refuse);
    kept = await answerIn(response, facts);
    return response;
  } finally {
    await (kept === null ? claim.release() : claim.keep(kept));
    ended();
  }
}

/** @throws AppError invalid_parameter */
function useOf({ request, caller, http }: Once): KeyUse {
  const key = http.headers.get(idempotencyHeader) ?? '';
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > longestIdempotencyKey) {
    throw new AppError({
      code: 'invalid_parameter',
      public: `Idempotency-Key must have 1 to ${longestIdempotencyKey} visible ASCII characters without spaces, such as a UUID.`,
      param: 'Idempotency-Key',
    });
  }
  const { pathname } = new URL(http.url);
  return {
    keyId: caller.keyId,
    name: hashOf(`${caller.keyId} ${key}`),
    fingerprint: hashOf(`${http.method} ${pathname} ${writeAsked(request)}`),
  };
}

/** All that a body of JSON asks for is in its text; of a form it is in the fields that were read, and its files. */
function writeAsked(request: Asked): string {
  if ('text' in request && typeof request.text === 'string' && request.text !== '') return request.text;
  return JSON.stringify(request, (_name, value: unknown) => {
    if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('base64url');
    return typeof value === 'bigint' ? String(value) : value;
  });
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Null for what is not kept. */
async function answerIn(response: Response, { wholeBody }: RequestFacts): Promise<KeptAnswer | null> {
  const { status, headers } = response;
  if (!keptStatuses.has(status) || (status === 200 && wholeBody === undefined)) return null;
  const body = status === 200 ? (wholeBody ?? '') : await response.clone().text();
  if (Buffer.byteLength(body) > mostBytesOfAnswer) return null;
  const told: HeaderRecord = {};
  for (const name of keptHeaders) {
    const value = headers.get(name);
    if (value !== null) told[name] = value;
  }
  return { status, body, contentType: headers.get('content-type') ?? 'application/json', headers: told };
}

function replay(
  { status, body, contentType, headers }: KeptAnswer,
  facts: RequestFacts,
  services: GatewayServices,
): Response {
  const isComplete = status === 200;
  settleRequest(
    facts,
    {
      status,
      outcome: isComplete ? 'complete' : 'refused',
      ...(isComplete ? {} : { errorCode: 'told_again' }),
    },
    services,
  );
  const told = { ...answerHeaders(facts, contentType), ...headers, 'x-sluice-idempotent-replay': 'true' };
  return new Response(body, { status, headers: told });
}

const reused = (): AppError =>
  new AppError({
    code: 'idempotency_key_reused',
    public:
      'This Idempotency-Key was used for another request: another address or body. Use a new key for each request, and the same one only to send it again.',
    param: 'Idempotency-Key',
  });

const underWay = (): AppError =>
  new AppError({
    code: 'request_under_way',
    public: 'A request with this Idempotency-Key is under way. Send it again in a second for its answer.',
    retryAfterSeconds: 1,
  });
