/** Errors of chat completions: as clients are shown them, and as upstreams report them with the spellings seen in the field. */
import type { AppError, ErrorCode } from '../../base/errors.ts';
import { isJsonObject, tryParseJson } from '../json/fields.ts';
import type { ErrorWriter, UpstreamComplaint } from '../translator.ts';

const typesByCode: Partial<Record<ErrorCode, string>> = {
  insufficient_funds: 'insufficient_quota',
  budget_exceeded: 'insufficient_quota',
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
    ...error.members,
  };
}

export const chatErrors: ErrorWriter = {
  writeBody: (error) => JSON.stringify({ error: errorObject(error), detail: error.message }),
  writeFrames: (error) => `data: ${JSON.stringify({ error: errorObject(error), detail: error.message })}\n\n`,
};

/** What an error body says; null when it is not one. */
export function readChatComplaint(body: string): UpstreamComplaint | null {
  return complaintIn(tryParseJson(body));
}

/**
 * `{error: {message, type, code, param}}` (OpenAI and most), `{error: "…"}` (Ollama), `{object: "error", message}`
 * (vLLM, Mistral), `{detail: "…"}` (FastAPI hosts), and any of these inside a one-element array (Gemini's host).
 */
export function complaintIn(value: unknown): UpstreamComplaint | null {
  const body = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(body)) return null;
  const error = body['error'];
  if (isJsonObject(error)) return readFields(error);
  if (typeof error === 'string') return { ...readFields(body), message: error };
  if (body['object'] === 'error') return readFields(body);
  if (typeof body['detail'] === 'string') return { ...readFields(body), message: body['detail'] };
  return null;
}

function readFields(from: Record<string, unknown>): UpstreamComplaint {
  const code = from['code'];
  return {
    message: readText(from['message']) ?? '',
    code: isFiltered(from['innererror']) ? 'content_filter' : (readText(code) ?? readText(from['status'])),
    type: readText(from['type']),
    param: readText(from['param']),
    status: readStatus(code) ?? readStatus(from['status']),
  };
}

/** Azure says inside the error what its filter found; the code outside may be that of any bad request. */
function isFiltered(inner: unknown): boolean {
  if (!isJsonObject(inner)) return false;
  return inner['code'] === 'ResponsibleAIPolicyViolation' || isJsonObject(inner['content_filter_result']);
}

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function readStatus(value: unknown): number | null {
  return typeof value === 'number' && value >= 400 && value <= 599 ? value : null;
}
