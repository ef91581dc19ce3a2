/** Errors in the shape of the messages protocol. */
import type { Problem } from '../protocol.ts';

const typesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export function problemFields({ status, message, details }: Problem): object {
  const usual = status >= 500 ? 'api_error' : 'invalid_request_error';
  return {
    type: 'error',
    error: { type: typesByStatus[status] ?? usual, message, ...details },
    request_id: 'req_double_problem',
  };
}
