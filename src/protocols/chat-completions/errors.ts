/** Errors of chat completions: as clients are shown them, and as upstreams report them with the spellings seen in the field. */
import { type AppError, type ErrorCode, errorKinds } from '../../base/errors.ts';
import { asFilledText, asObjects, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
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
 * (vLLM, Mistral, whose message may be a list of fields or hold one), `{detail: "…"}` and `{detail: [{loc, msg}]}`
 * (FastAPI hosts), and any of these inside a one-element array (Gemini's host).
 */
export function complaintIn(value: unknown): UpstreamComplaint | null {
  const body = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(body)) return null;
  const { error, object, detail } = body;
  if (isJsonObject(error)) return complaintOf(error);
  if (typeof error === 'string') return { ...complaintOf(body), message: error };
  if (object === 'error' || object === 'Error') return spelledComplaint(body);
  if (typeof detail === 'string') return { ...complaintOf(body), message: detail };
  return Array.isArray(detail) ? fieldsComplaint(detail) : null;
}

/** @param error what holds the message and its fields. */
export function complaintOf(error: JsonObject): UpstreamComplaint {
  const isOfFilter = isFiltered(error['innererror']) || isModerated(error['metadata']);
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
    ...retryAfterIn(error),
  };
}

function spelledComplaint(body: JsonObject): UpstreamComplaint {
  const said = complaintOf(body);
  const { message } = body;
  if (typeof message === 'string') return said;
  const inner = isJsonObject(message) ? (message['detail'] ?? message['message']) : message;
  if (typeof inner === 'string') return { ...said, message: inner };
  const fields = fieldsComplaint(inner);
  if (fields === null) return said;
  return {
    ...said,
    message: fields.message,
    param: said.param ?? fields.param,
  };
}

/**
 * A list of what is wrong with which field of the request; null for what is none. It quotes what a client wrote and says
 * nothing of an account: so it begins with the place, and has no type of its own.
 */
function fieldsComplaint(detail: unknown): UpstreamComplaint | null {
  const fields = asObjects(detail).flatMap((field) => {
    const message = asFilledText(field['msg']);
    if (message === undefined) return [];
    const place = Array.isArray(field['loc']) ? field['loc'].filter((step) => step !== 'body').join('.') : '';
    return [{ place, text: `${place || 'body'}: ${message}` }];
  });
  const [first] = fields;
  if (first === undefined) return null;
  return {
    message: fields.map(({ text }) => text).join('; '),
    code: null,
    type: null,
    param: first.place === '' ? null : first.place,
    status: null,
  };
}

/**
 * Google's hosts name a wait in no header, but in a detail: `34.4s` of a `google.rpc.RetryInfo` (read in November 2026,
 * https://cloud.google.com/java/docs/reference/proto-google-common-protos/latest/com.google.rpc.RetryInfo).
 */
export function retryAfterIn(error: JsonObject): { retryAfterSeconds?: number } {
  for (const detail of asObjects(error['details'])) {
    const delay = detail['retryDelay'];
    if (typeof delay === 'string' && /^\d{1,9}(?:\.\d{1,9})?s$/.test(delay)) {
      return { retryAfterSeconds: Number(delay.slice(0, -1)) };
    }
  }
  return {};
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

/**
 * OpenRouter answers 403 for a prompt that was flagged, and says so in what it adds to its error (read in November 2026,
 * https://openrouter.ai/docs/api/reference/errors-and-debugging and its API's description).
 */
function isModerated(metadata: unknown): boolean {
  if (!isJsonObject(metadata)) return false;
  const { reasons, patterns, flagged_input: flagged, error_type: type } = metadata;
  return (
    isFilled(reasons) ||
    isFilled(patterns) ||
    typeof flagged === 'string' ||
    type === 'content_policy_violation'
  );
}

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Some hosts write the number as text. */
function readStatus(value: unknown): number | null {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : null;
}
