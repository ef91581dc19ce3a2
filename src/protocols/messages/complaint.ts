/** Errors as messages upstreams report them: `{type: "error", error: {type, message}}`. */
import { asFilledText, asObject, tryParseJson } from '../json/fields.ts';
import type { UpstreamComplaint } from '../translator.ts';

/** In a stream no status comes with an error; its type says which one it stands for. */
const statusByType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** What an error body says; null when it is not one. Hosts in front of the protocol leave out the outer `type`. */
export function readMessagesComplaint(body: string): UpstreamComplaint | null {
  return messagesComplaintIn(tryParseJson(body));
}

export function messagesComplaintIn(value: unknown): UpstreamComplaint | null {
  const body = asObject(value);
  const error = asObject(body?.['error']);
  if (error !== undefined) {
    const type = asFilledText(error['type']) ?? null;
    return {
      message: asFilledText(error['message']) ?? '',
      code: asFilledText(error['code']) ?? null,
      type,
      param: null,
      status: type === null ? null : (statusByType[type] ?? null),
    };
  }
  const message = asFilledText(body?.['message']) ?? asFilledText(body?.['detail']);
  if (message === undefined || body?.['role'] !== undefined) return null;
  return { message, code: null, type: null, param: null, status: null };
}
