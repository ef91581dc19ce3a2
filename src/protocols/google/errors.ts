/** Errors as Google’s APIs write them: read from upstreams, written for clients. */
import { asCount, asFilledText, asObject, asObjects, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { UpstreamComplaint } from '../translator.ts';

/** The canonical codes of Google's APIs; an error in a stream may have nothing else. */
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
  };
}

/** A full context has no code of its own. The reason of a detail tells more than the status: a bad key is a 400. */
function codeOf(message: string, error: JsonObject): string | undefined {
  if (/token count.*exceeds the maximum/i.test(message)) return 'context_length_exceeded';
  for (const detail of asObjects(error['details'])) {
    const reason = asFilledText(detail['reason']);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
