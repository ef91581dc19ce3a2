/**
 * The body of a request as text: checked for its type and held to its bound before it is read. And what of it must not
 * go on to a provider.
 */
import { BodyTooLargeError, readTextWithin } from '../base/bounded-body.ts';
import type { Deadlines } from '../base/deadlines.ts';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import { closedMembersAt } from '../providers/index.ts';
import type { UpstreamCall } from '../upstream/index.ts';
import type { GatewayServices } from './services.ts';

/** For a whole body to arrive. */
const bodyTimeoutMs = 60_000;

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

export interface BodyBounds {
  readonly maxBytes: number;
  /** For the whole body to arrive. */
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
}

/** The text of a request of usual size. */
export function readBodyText(request: Request, { settings, deadlines }: GatewayServices): Promise<string> {
  return readJsonText(request, { maxBytes: settings.maxBodyBytes, timeoutMs: bodyTimeoutMs, deadlines });
}

/**
 * Rejects with an AppError: unsupported_content_type, body_too_large, request_timeout, malformed_request when it breaks
 * off.
 */
export function readJsonText(request: Request, bounds: BodyBounds): Promise<string> {
  const refusal = refusalOf(request.headers);
  if (refusal !== null) return Promise.reject(refusal);
  const { maxBytes, timeoutMs, deadlines } = bounds;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const deadline = deadlines.start(timeoutMs, () => reject(timedOut(timeoutMs)));
  readTextWithin(request, maxBytes).then(
    (text) => {
      deadline.stop();
      resolve(text);
    },
    (cause) => {
      deadline.stop();
      reject(cause instanceof BodyTooLargeError ? tooLarge(maxBytes) : brokenOff(cause));
    },
  );
  return promise;
}

/** What is no JSON, or not sent as it is. */
function refusalOf(headers: Headers): AppError | null {
  const type = headers.get('content-type');
  if (type !== null && !jsonType.test(type)) {
    return new AppError({
      code: 'unsupported_content_type',
      public: `The content type must be application/json, not ${type.slice(0, 100)}.`,
    });
  }
  const encoding = headers.get('content-encoding');
  if (encoding === null || encoding === 'identity') return null;
  return new AppError({
    code: 'unsupported_content_type',
    public: `The request body must be sent uncompressed, not as ${encoding.slice(0, 40)}.`,
  });
}

function brokenOff(cause: unknown): AppError {
  return new AppError({ code: 'malformed_request', public: 'The request body broke off.', cause });
}

function timedOut(timeoutMs: number): AppError {
  return new AppError({
    code: 'request_timeout',
    public: `The request body did not arrive within ${timeoutMs / 1000} s.`,
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError({
    code: 'body_too_large',
    public: `The request body is larger than ${(maxBytes / 1_048_576).toFixed(0)} MiB, the most that is accepted here.`,
  });
}

/**
 * @param json what goes on to the provider as it came.
 * @throws AppError invalid_parameter for a member that chooses what answers behind the provider, or what it costs.
 */
export function requireOpenMembers(json: JsonObject, { candidate }: UpstreamCall): void {
  const { adapter, target } = candidate;
  const name = closedMembersAt(adapter, target.baseUrl)(json)?.slice(0, 100);
  if (name === undefined) return;
  throw new AppError({
    code: 'invalid_parameter',
    public: `${name} is not passed on: it would choose what answers behind the provider, or on which terms. Leave it out; the model is chosen by "model" alone.`,
    param: name,
  });
}
