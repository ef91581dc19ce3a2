/** How identity providers are asked: within bounds of size and time, and what it means when they fail. */
import * as oauth from 'oauth4webapi';
import { readTextWithin } from '../../base/bounded-body.ts';
import { type ByteBudget, HeldBytes } from '../../base/byte-budget.ts';
import type { Clock } from '../../base/clock.ts';
import { describeThrown } from '../../base/errors.ts';
import type { IdentityProvider } from '../../configuration/index.ts';

const timeoutMs = 10_000;
const mostAnswerBytes = 262_144;

export interface ProviderParts {
  readonly clock: Clock;
  readonly bodies: ByteBudget;
}

/** Why nobody came of it. */
export type ProviderFailure =
  /** The person, or the provider on their behalf, said no. */
  | 'denied'
  /** The answer does not belong to what was asked, or is used or over. */
  | 'stale'
  /** The provider cannot be reached, or answers what makes no sense. */
  | 'away';

export class ProviderError extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, cause: unknown) {
    super(failure, { cause });
    this.name = 'ProviderError';
    this.failure = failure;
  }
}

export function optionsFor(parts: ProviderParts, { issuer }: IdentityProvider, signal: AbortSignal) {
  return {
    signal,
    [oauth.customFetch]: (address: string, init: object) => fetchWithin(parts, address, init),
    // The configuration takes http for this machine alone.
    [oauth.allowInsecureRequests]: issuer.startsWith('http://'),
  };
}

async function fetchWithin({ bodies }: ProviderParts, address: string, init: object): Promise<Response> {
  const response = await fetch(address, init);
  const held = HeldBytes.ofRequest(bodies);
  try {
    const text = await readTextWithin(response, {
      maxBytes: mostAnswerBytes,
      held,
      // The whole of it has its time.
      onProgress: () => undefined,
    });
    const type = response.headers.get('content-type');
    const { status } = response;
    return new Response(text === '' ? null : text, {
      status,
      headers: type === null ? {} : { 'content-type': type },
    });
  } finally {
    held.giveBack();
  }
}

export async function withinProviderTime<Result>(
  { clock }: ProviderParts,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const timer = clock.after(timeoutMs, () => limit.abort());
  try {
    return await run(limit.signal);
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause;
    throw new ProviderError(failureOf(cause), cause);
  } finally {
    timer.cancel();
  }
}

/** RFC 6749, section 4.1.2.1, and OpenID Connect Core 1.0, section 3.1.2.6; others are for who set the provider up. */
const personSaidNo: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);

/** For the log: what a provider calls the mistake, such as `invalid_client`, is what whoever set it up has to know. */
export function tellFailure({ cause }: ProviderError): string {
  const isNamed =
    cause instanceof oauth.ResponseBodyError || cause instanceof oauth.AuthorizationResponseError;
  return isNamed ? `${describeThrown(cause)}: ${cause.error.slice(0, 200)}` : describeThrown(cause);
}

function failureOf(cause: unknown): ProviderFailure {
  if (cause instanceof oauth.AuthorizationResponseError) {
    return personSaidNo.has(cause.error) ? 'denied' : 'away';
  }
  // A code that was used, is over or is another client's.
  if (cause instanceof oauth.ResponseBodyError && cause.error === 'invalid_grant') return 'stale';
  if (cause instanceof oauth.OperationProcessingError && isAboutAnswer(cause)) return 'stale';
  return 'away';
}

/** The state, the issuer or the nonce is another than was asked with. */
function isAboutAnswer({ code, message }: oauth.OperationProcessingError): boolean {
  if (code !== oauth.INVALID_RESPONSE && code !== oauth.JWT_CLAIM_COMPARISON) return false;
  return /"(?:state|iss|nonce)"/.test(message);
}
