/**
 * How a request is refused, wherever it fails, and those that reach no endpoint: an address where nothing is, a method
 * that is not possible, a server that stops.
 */
import { findClosest } from '../base/closest.ts';
import { AppError } from '../base/errors.ts';
import { FundsError } from '../ledger/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import type { UsageOutcome } from '../usage/index.ts';
import { errorAnswer } from './answers.ts';
import { describeShortage } from './hold.ts';
import { beginRequest, type RequestFacts, settleRequest } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

/** Answers with an error. Counted and logged like every end. */
export function refuse(
  facts: RequestFacts,
  refusal: AppError,
  { errors, services }: { errors: ErrorWriter; services: GatewayServices },
): Response {
  const error = refusal instanceof FundsError ? describeShortage(refusal, facts, services) : refusal;
  if (error.code === 'internal_error' || error.code === 'database_unavailable') {
    services.log.error('request failed inside the gateway', {
      requestId: facts.requestId,
      path: facts.endpoint,
      ...(error.internal === undefined ? {} : { detail: error.internal }),
      // Of a database that is away every request would tell the same, and nothing about it.
      ...(error.code === 'internal_error' && error.cause instanceof Error && error.cause.stack !== undefined
        ? { stack: error.cause.stack }
        : {}),
    });
  }
  settleRequest(facts, { status: error.status, outcome: outcomeOf(error), errorCode: error.code }, services);
  return errorAnswer(facts, error, errors);
}

function outcomeOf(error: AppError): Exclude<UsageOutcome, 'complete'> {
  if (error.code === 'client_closed') return 'client_closed';
  if (error.code === 'shutting_down') return 'interrupted';
  return error.status >= 502 && error.code !== 'database_unavailable' ? 'upstream_failed' : 'refused';
}

export function refuseMethod(
  http: Request,
  allowed: readonly string[],
  refusing: { errors: ErrorWriter; services: GatewayServices },
): Response {
  const methods = allowed.join(' or ');
  const error = new AppError({
    code: 'method_not_allowed',
    public: `${http.method} is not possible here; use ${methods}.`,
  });
  const response = refuseUnserved(error, refusing);
  response.headers.set('allow', allowed.join(', '));
  return response;
}

/** @param known the addresses that it may have meant. */
export function refuseAddress(
  http: Request,
  known: readonly string[],
  refusing: { errors: ErrorWriter; services: GatewayServices },
): Response {
  const { pathname } = new URL(http.url);
  const sentence = `There is nothing at ${pathname.slice(0, 200)}.${hintFor(pathname, known)}`;
  return refuseUnserved(new AppError({ code: 'not_found', public: sentence }), refusing);
}

/** Counted and logged like every refusal. */
export function refuseUnserved(
  error: AppError,
  refusing: { errors: ErrorWriter; services: GatewayServices },
): Response {
  return refuse(beginRequest('unknown', refusing.services), error, refusing);
}

/** Longer ones are no slip of a hand, and comparing them would cost. */
const longestCompared = 100;

/**
 * What an address was probably meant to be, from the slips that base URLs invite.
 * @returns a sentence with a space before it, or nothing where nothing is near.
 */
export function hintFor(pathname: string, known: readonly string[]): string {
  const tidy = pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  const [, first, second] = /^\/(v1|v1beta)\/(v1|v1beta)\//.exec(tidy) ?? [];
  if (first !== undefined) {
    const why = first === second ? 'it is there twice' : `the client adds /${second} to it`;
    return ` Leave /${first} out of the base URL: ${why}.`;
  }
  if (tidy !== pathname && known.includes(tidy)) return ` Did you mean ${tidy}, without a slash too many?`;
  if (/^\/v1(beta)?$/i.test(tidy)) {
    return ` It is a base URL, to which clients add the rest: GET ${tidy.toLowerCase()}/models lists the models.`;
  }
  const meant = findMeant(tidy, known);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

function findMeant(path: string, known: readonly string[]): string | undefined {
  if (path.startsWith('/models/')) return `/v1${path.slice(0, longestCompared)}`;
  if (path.length > longestCompared) return undefined;
  const withVersion = `/v1${path}`;
  return (
    known.find((each) => each === withVersion || path.endsWith(each)) ??
    findClosestRest(
      path,
      known.filter((each) => versionOf(each) === (versionOf(path) || '/v1')),
    ) ??
    findClosestRest(path, known)
  );
}

/** By what is behind the version alone, which says nothing of what was meant and would excuse slips in what is short. */
function findClosestRest(path: string, known: readonly string[]): string | undefined {
  const byRest = new Map(known.map((each) => [restOf(each), each]));
  const closest = findClosest(restOf(path), byRest.keys());
  return closest === undefined ? undefined : byRest.get(closest);
}

const versionOf = (path: string): string => /^\/v1(?:beta)?(?=\/)/i.exec(path)?.[0].toLowerCase() ?? '';
const restOf = (path: string): string => path.slice(versionOf(path).length + 1);
