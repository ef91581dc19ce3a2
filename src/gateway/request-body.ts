/**
 * The body of a request as text: checked for its type and held to its bound before it is read. And what of it must not
 * go on to a provider.
 */

import { BodyPace, BodyTooLargeError, brokenOff, readTextWithin, tooSlow } from '../base/bounded-body.ts';
import type { HeldBytes } from '../base/byte-budget.ts';
import { AppError } from '../base/errors.ts';
import { type JsonObject, parsedBytes } from '../protocols/json/fields.ts';
import { closedMembersAt } from '../providers/index.ts';
import type { UpstreamCall } from '../upstream/index.ts';
import type { Reading } from './endpoint.ts';
import type { GatewayServices } from './services.ts';

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * What is made of the text of a request, which counts against the process's budget until the request ends. Nothing of it is held by the
 * runtime meanwhile but what fills a socket's buffers, since the body is read piece by piece.
 * Rejects with an AppError: unsupported_content_type, body_too_large, request_timeout when it comes too slowly,
 * server_busy where there is no room for it, malformed_request when it breaks off.
 */
export function readBody<Ask>(
  { http, held }: Pick<Reading, 'http' | 'held'>,
  {
    settings,
    deadlines,
  }: { readonly settings: { readonly maxBodyBytes: number } } & Pick<GatewayServices, 'deadlines'>,
  read: (text: string) => Ask,
): Promise<Ask> {
  const refusal = refusalOf(http.headers);
  if (refusal !== null) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    const pace = new BodyPace(deadlines, () => reject(tooSlow('request body')));
    const onProgress = (receivedBytes: number): void => {
      if (pace.isLate) throw tooSlow('request body');
      pace.progressed(receivedBytes);
    };
    readTextWithin(http, { maxBytes: settings.maxBodyBytes, held, onProgress }).then(
      (text) => {
        pace.stop();
        try {
          resolve(read(text));
        } catch (refusal) {
          reject(refusal);
        }
      },
      (cause) => {
        pace.stop();
        reject(refusalFor(cause, settings.maxBodyBytes));
      },
    );
  });
}

function refusalFor(cause: unknown, maxBytes: number): AppError {
  if (cause instanceof AppError) return cause;
  return cause instanceof BodyTooLargeError ? tooLarge(maxBytes) : brokenOff(cause);
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

function tooLarge(maxBytes: number): AppError {
  return new AppError({
    code: 'body_too_large',
    public: `The request body is larger than ${(maxBytes / 1_048_576).toFixed(0)} MiB, the most that is accepted here.`,
  });
}

/**
 * What was parsed of a body counts beside its text, until the request ends: it can take 24 times as much.
 * @throws AppError server_busy where there is no room for it now, body_too_large where there never is.
 */
export function holdParsed(json: JsonObject, held: HeldBytes): void {
  const bytes = parsedBytes(json);
  if (!held.mayEverTake(bytes)) {
    throw new AppError({
      code: 'body_too_large',
      public: `The request body has so many lists, objects and values that it takes ${(bytes / 1_048_576).toFixed(0)} MiB, more than this server has for requests.`,
    });
  }
  held.take(bytes);
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
