/** Errors as Google’s APIs write them: read from upstreams, written for clients. */
import type { AppError } from '../../base/errors.ts';
import { retryAfterIn } from '../chat-completions/errors.ts';
import { asCount, asFilledText, asObject, asObjects, type JsonObject, tryParseJson } from '../json/fields.ts';
import { type ErrorWriter, mostComplaintCharacters, type UpstreamComplaint } from '../translator.ts';

/** The canonical status names of Google's APIs. An error in a stream may have nothing else. */
const statusByName: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  UNKNOWN: 500,
  INTERNAL: 500,
  DATA_LOSS: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** What an error body says; null when it is not one. */
export function readGoogleComplaint(body: string): UpstreamComplaint | null {
  return googleComplaintIn(tryParseJson(body));
}

export function googleComplaintIn(value: unknown): UpstreamComplaint | null {
  const error = asObject(Array.isArray(value) ? value[0] : value)?.['error'];
  const fields = asObject(error);
  if (fields === undefined) {
    const message = asFilledText(error);
    return message === undefined ? null : { message, code: null, type: null, param: null, status: null };
  }
  const message = asFilledText(fields['message']) ?? '';
  const name = asFilledText(fields['status']) ?? null;
  const code = asCount(fields['code']);
  const status = code !== undefined && code >= 400 && code <= 599 ? code : undefined;
  return {
    message,
    code: codeOf(message, fields) ?? name,
    type: name,
    param: null,
    status: status ?? (name === null ? null : (statusByName[name] ?? null)),
    ...retryAfterIn(fields),
  };
}

/** A full context has no code of its own. The reason of a detail tells more than the status: a bad key is a 400. */
function codeOf(message: string, error: JsonObject): string | undefined {
  const beginning = message.slice(0, mostComplaintCharacters);
  if (/token count.*exceeds the maximum/i.test(beginning)) return 'context_length_exceeded';
  for (const detail of asObjects(error['details'])) {
    const reason = asFilledText(detail['reason']);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The status name that a client of Google's expects with each HTTP status; 422 and the like are this gateway's own. */
const nameByStatus: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function nameOf(status: number): string {
  return nameByStatus[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
}

/** The details are messages of google.rpc, which official clients know by their `@type`. */
function detailsOf(error: AppError): readonly object[] {
  const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` });
  const fieldViolations = error.fields.map(({ loc, msg }) => ({ field: loc.join('.'), description: msg }));
  const { retryAfterSeconds } = error;
  return [
    { ...type('ErrorInfo'), reason: error.code.toUpperCase(), domain: 'sluice', ...metadataOf(error) },
    ...(fieldViolations.length > 0 ? [{ ...type('BadRequest'), fieldViolations }] : []),
    ...(retryAfterSeconds === undefined
      ? []
      : [{ ...type('RetryInfo'), retryDelay: `${retryAfterSeconds}s` }]),
  ];
}

/** Its values are texts. */
function metadataOf({ members }: AppError): object {
  if (members === undefined) return {};
  return {
    metadata: Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)])),
  };
}

function writeBody(error: AppError): string {
  const { status: code, message } = error;
  return JSON.stringify({
    error: { code, message, status: nameOf(code), details: detailsOf(error), ...error.members },
    detail: message,
  });
}

/** Errors as clients of Gemini's API expect them. The member `detail` stands beside, as on every address here. */
export const googleErrors: ErrorWriter = {
  writeBody,
  writeFrames: (error) => `data: ${writeBody(error)}\n\n`,
};
