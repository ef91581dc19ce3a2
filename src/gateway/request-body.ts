/** The body of a request as text: checked for its type and held to its bound before it is read. */
import { BodyTooLargeError, readTextWithin } from '../base/bounded-body.ts';
import { AppError } from '../base/errors.ts';

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * @throws AppError unsupported_content_type, body_too_large, malformed_request when it breaks off.
 */
export async function readJsonText(request: Request, maxBytes: number): Promise<string> {
  const type = request.headers.get('content-type');
  if (type !== null && !jsonType.test(type)) {
    throw new AppError({
      code: 'unsupported_content_type',
      public: `The content type must be application/json, not ${type.slice(0, 100)}.`,
    });
  }
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding !== 'identity') {
    throw new AppError({
      code: 'unsupported_content_type',
      public: `The request body must be sent uncompressed, not as ${encoding.slice(0, 40)}.`,
    });
  }
  try {
    return await readTextWithin(request, maxBytes);
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) throw tooLarge(maxBytes);
    throw new AppError({ code: 'malformed_request', public: 'The request body broke off.', cause });
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError({
    code: 'body_too_large',
    public: `The request body is larger than ${(maxBytes / 1_048_576).toFixed(0)} MiB, the most that is accepted here.`,
  });
}
