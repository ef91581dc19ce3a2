/** Requests with an `Idempotency-Key`: answered once, and the same again. README.md says which, for whom and how long. */
import { createHash } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import type { Caller } from '../identity/index.ts';
import { answerHeaders, type HeaderRecord } from './answers.ts';
import type { Asked } from './endpoint.ts';
import { type KeptAnswer, type KeyUse, mostBytesOfAnswer } from './kept-answers.ts';
import { type RequestFacts, settleRequest } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

const headerName = 'idempotency-key';
const longestKey = 255;
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
  return keptAnswers !== null && http?.headers.has(headerName) === true;
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
  const key = http.headers.get(headerName) ?? '';
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > longestKey) {
    throw new AppError({
      code: 'invalid_parameter',
      public: `Idempotency-Key must have 1 to ${longestKey} visible ASCII characters without spaces, such as a UUID.`,
      param: 'Idempotency-Key',
    });
  }
  const asked = JSON.stringify(request, (_name, value: unknown) => {
    if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('base64url');
    return typeof value === 'bigint' ? String(value) : value;
  });
  const { pathname } = new URL(http.url);
  return {
    keyId: caller.keyId,
    name: hashOf(`${caller.keyId} ${key}`),
    fingerprint: hashOf(`${http.method} ${pathname} ${asked}`),
  };
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
