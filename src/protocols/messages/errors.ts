/** Errors as messages clients expect them; `detail` stands beside, as the document names it. */
import type { AppError, ErrorCode } from '../../base/errors.ts';
import type { ErrorWriter } from '../translator.ts';

const typesByCode: Partial<Record<ErrorCode, string>> = {
  upstream_overloaded: 'overloaded_error',
  upstream_rate_limited: 'overloaded_error',
  shutting_down: 'overloaded_error',
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

/** The word on which official clients go on by themselves, with all messages in each request. */
const unthreadable = { error_code: 'thread_unsupported_request', unsupported: ['thread'] } as const;

function writeBody(error: AppError, requestId: string): string {
  return JSON.stringify({
    type: 'error',
    error: {
      type: typeOf(error),
      message: error.message,
      code: error.code,
      ...(error.fields.length > 0 ? { fields: error.fields } : {}),
      ...(error.param === 'thread' ? { details: unthreadable } : {}),
    },
    request_id: requestId,
    detail: error.message,
  });
}

export const messagesErrors: ErrorWriter = {
  writeBody,
  writeFrames: (error, requestId) => `event: error\ndata: ${writeBody(error, requestId)}\n\n`,
};
