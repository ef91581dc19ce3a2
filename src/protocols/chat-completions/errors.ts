/** Errors as chat completion clients expect them: `error` for the official clients, `detail` as the document names. */
import type { AppError, ErrorCode } from '../../base/errors.ts';
import type { ErrorWriter } from '../translator.ts';

const typesByCode: Partial<Record<ErrorCode, string>> = {
  insufficient_funds: 'insufficient_quota',
  rate_limited: 'rate_limit_error',
};

function typeOf(error: AppError): string {
  const special = typesByCode[error.code];
  if (special !== undefined) return special;
  if (error.status === 401) return 'authentication_error';
  if (error.status === 403) return 'permission_error';
  return error.status >= 500 ? 'server_error' : 'invalid_request_error';
}

function errorObject(error: AppError): object {
  return {
    message: error.message,
    type: typeOf(error),
    param: error.param ?? null,
    code: error.code,
    ...(error.fields.length > 0 ? { fields: error.fields } : {}),
  };
}

export const chatErrors: ErrorWriter = {
  writeBody: (error) => JSON.stringify({ error: errorObject(error), detail: error.message }),
  writeFrames: (error) => `data: ${JSON.stringify({ error: errorObject(error), detail: error.message })}\n\n`,
};
