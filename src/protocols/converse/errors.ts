/** Errors as the Converse API reports them: a message in a body, an exception in a stream, a stop that is a failure. */
import { asFilledText, asObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { mostComplaintCharacters, type UpstreamComplaint } from '../translator.ts';

/** By type, in small letters. Where the API blames the caller for its model's failure, the failure is what counts. */
const statusByType: Readonly<Record<string, number>> = {
  validationexception: 400,
  accessdeniedexception: 403,
  resourcenotfoundexception: 404,
  servicequotaexceededexception: 429,
  throttlingexception: 429,
  internalserverexception: 500,
  modelerrorexception: 500,
  modelstreamerrorexception: 500,
  modelnotreadyexception: 503,
  serviceunavailableexception: 503,
  modeltimeoutexception: 504,
};

const unknownStatus = 500;

/** A context that is too long has no type of its own, only sentences, and each model has another. */
const tooLong =
  /input is too long|prompt is too long|exceed(?:s|ed)? (?:the )?context (?:limit|window|length)|maximum context length|too many input tokens/i;

/** What an error body says; null when it is not one. Its status is that of the answer, unless the body names a type. */
export function readConverseComplaint(body: string): UpstreamComplaint | null {
  return converseComplaintIn(tryParseJson(body));
}

export function converseComplaintIn(value: unknown): UpstreamComplaint | null {
  const body = asObject(value);
  if (body === undefined || body['output'] !== undefined) return null;
  return messageOf(body) === undefined && typeOf(body) === undefined ? null : complaintOf(body, null);
}

/** The member `exception` of a stream. */
export function readException(exception: JsonObject): UpstreamComplaint {
  return complaintOf(exception, unknownStatus);
}

const failedStops: ReadonlySet<unknown> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** For an answer that its model could not finish: to take it for whole would hide that. */
export function failedStopIn(from: JsonObject): UpstreamComplaint | null {
  const reason = asFilledText(from['stopReason']);
  if (reason === undefined || !failedStops.has(reason)) return null;
  const message = 'The model wrote something that its provider could not read.';
  return { message, code: reason, type: null, param: null, status: unknownStatus };
}

function complaintOf(error: JsonObject, otherwise: number | null): UpstreamComplaint {
  const message = messageOf(error) ?? '';
  const type = typeOf(error) ?? null;
  return {
    message,
    code: tooLong.test(message) ? 'context_length_exceeded' : null,
    type,
    param: null,
    status: type === null ? otherwise : (statusByType[type.toLowerCase()] ?? otherwise),
  };
}

/** Resource names hold the number of the account, which is not the caller's to know. */
const resourceName = /\barn:aws[\w-]*:[^\s"',]*/g;

function messageOf(error: JsonObject): string | undefined {
  const message =
    asFilledText(error['message']) ??
    asFilledText(error['Message']) ??
    asFilledText(error['originalMessage']);
  return message?.slice(0, mostComplaintCharacters).replaceAll(resourceName, '[removed]');
}

/** Some parts of the service write a namespace in front. */
function typeOf(error: JsonObject): string | undefined {
  const type = asFilledText(error['type']) ?? asFilledText(error['__type']);
  return type?.slice(type.lastIndexOf('#') + 1);
}
