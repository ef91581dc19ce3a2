/** Errors in the shape of Google's APIs. */
import type { Problem } from '../protocol.ts';
import { Refusal } from '../refusal.ts';

const namesByStatus: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function writeProblem({ status, message }: Problem): string {
  const name = namesByStatus[status] ?? (status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION');
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7.5s' };
  return JSON.stringify({
    error: { code: status, message, status: name, ...(status === 429 && { details: [retry] }) },
  });
}

export function refuse(message: string): Refusal {
  return new Refusal({ status: 400, message, type: 'invalid_request_error', code: null });
}
