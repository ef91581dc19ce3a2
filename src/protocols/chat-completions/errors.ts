/** Errors of chat completions: as clients are shown them, and as upstreams report them with the spellings seen in the field. */
import { type AppError, type ErrorCode, errorKinds } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
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
  if (isJsonObject(error)) return complaintOf(error);
  if (typeof error === 'string') return { ...complaintOf(body), message: error };
  if (body['object'] === 'error') return complaintOf(body);
  if (typeof body['detail'] === 'string') return { ...complaintOf(body), message: body['detail'] };
  return null;
}

/** @param error what holds the message and its fields. */
export function complaintOf(error: JsonObject): UpstreamComplaint {
  const isOfFilter = isFiltered(error['innererror']);
  const code = isOfFilter ? 'content_filter' : (readText(error['code']) ?? readText(error['status']));
  const type = readText(error['type']);
  return {
    message: readText(error['message']) ?? '',
    code,
    type,
    param: readText(error['param']),
    status:
      readStatus(error['code']) ??
      readStatus(error['status']) ??
      readStatus(error['status_code']) ??
      statusByWord.get(code ?? '') ??
      statusByWord.get(type ?? '') ??
      null,
  };
}

/**
 * An error inside a 200 or a stream comes with no status of its own, and with a number only from some hosts (`code` of
 * vLLM and OpenRouter, `status_code` of Groq): its code, else its type, says which one it stands for. These are the words
 * of OpenAI, of hosts that are like it, and of gateways like this one.
 */
const statusByWord: ReadonlyMap<string, number> = new Map([
  ...Object.entries(errorKinds).map(([code, { status }]) => [code, status] as const),
  ['content_filter', 400],
  ['content_policy_violation', 400],
  ['invalid_prompt', 400],
  ['json_validate_failed', 400],
  ['tool_use_failed', 400],
  ['invalid_api_key', 401],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['slow_down', 429],
  ['server_is_overloaded', 503],
  ['vector_store_timeout', 504],
  // Types from here on.
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['rate_limit_error', 429],
  ['server_error', 500],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Azure says inside the error what its filter found; the code outside may be that of any bad request. */
function isFiltered(inner: unknown): boolean {
  if (!isJsonObject(inner)) return false;
  return inner['code'] === 'ResponsibleAIPolicyViolation' || isJsonObject(inner['content_filter_result']);
}

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Some hosts write the number as text. */
function readStatus(value: unknown): number | null {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : null;
}
