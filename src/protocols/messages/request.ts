/** Reads requests to create a message and requests to count tokens; fields that no rule names are left as they came. */
import { AppError } from '../../base/errors.ts';
import { parseJsonObject } from '../json/body.ts';
import type { JsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';
import { type CheckedRequest, checkBySchema, isPlainlySound } from './request-check.ts';

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field,
 * invalid_parameter for a conversation that is to be kept for the caller.
 */
export function readMessagesRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const { model, stream } = check(json);
  return { text, json, model, stream: stream === true, wantsStreamUsage: true };
}

/**
 * A bound for the answer, which a request to create a message must have, is of no use in counting and may be missing.
 * @throws AppError as `readMessagesRequest` does.
 */
export function readCountRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const { model } = check({ ...json, max_tokens: 1 });
  return { text, json, model, stream: false, wantsStreamUsage: true };
}

function check(json: JsonObject): CheckedRequest {
  const checked = isPlainlySound(json) ? json : checkBySchema(json);
  if (json['thread'] != null) throw unkeptThread();
  return checked;
}

/** Passed on it would be taken, and the next turn, which is sent alone, would reach a provider that never saw the first. */
function unkeptThread(): AppError {
  return new AppError({
    code: 'invalid_parameter',
    public: 'thread: conversations are not kept here. Leave the field out and send all messages each time.',
    param: 'thread',
  });
}
