/** Errors of the messages protocol, in both directions: as clients expect them, and as upstreams report them. */
import type { AppError, ErrorCode } from '../../base/errors.ts';
import { complaintIn } from '../chat-completions/errors.ts';
import { asFilledText, asObject, tryParseJson } from '../json/fields.ts';
import type { ErrorWriter, UpstreamComplaint } from '../translator.ts';

const typesByCode: Partial<Record<ErrorCode, string>> = {
  upstream_overloaded: 'overloaded_error',
  upstream_rate_limited: 'overloaded_error',
  shutting_down: 'overloaded_error',
  server_busy: 'overloaded_error',
};

const typesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
};

function typeOf({ code, status }: AppError): string {
  const type = typesByCode[code] ?? typesByStatus[status];
  if (type !== undefined) return type;
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

/** On reading this, official clients go on by themselves and send all messages in each request. */
const unthreadable = { error_code: 'thread_unsupported_request', unsupported: ['thread'] } as const;

function writeBody(error: AppError, requestId: string): string {
  return JSON.stringify({
    type: 'error',
    error: {
      type: typeOf(error),
      message: error.message,
      code: error.code,
      ...(error.fields.length > 0 ? { fields: error.fields } : {}),
      ...error.members,
      ...(error.param === 'thread' ? { details: unthreadable } : {}),
    },
    request_id: requestId,
    detail: error.message,
  });
}

/** `detail` repeats the message for programs that read only that, as all our endpoints answer it. */
export const messagesErrors: ErrorWriter = {
  writeBody,
  writeFrames: (error, requestId) => `event: error\ndata: ${writeBody(error, requestId)}\n\n`,
};

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
      code: asFilledText(error['code']) ?? asFilledText(asObject(error['details'])?.['error_code']) ?? null,
      type,
      param: null,
      status: type === null ? null : (statusByType[type] ?? null),
    };
  }
  if (body?.['role'] !== undefined) return null;
  const message = asFilledText(body?.['message']) ?? asFilledText(body?.['detail']);
  // xAI and FastAPI hosts answer here as they do for chats.
  if (message === undefined) return complaintIn(value);
  return { message, code: null, type: null, param: null, status: null };
}
