/** Requests to count tokens: messages requests that need not bound the answer, since there is none. */
import { parseJsonObject } from '../json/body.ts';
import { replaceMembers } from '../json/members.ts';
import type { InferenceRequest } from '../translator.ts';
import { readMessagesRequest } from './request.ts';

/** What the check of a messages request demands and counting has no use for. */
const unused: ReadonlyMap<string, string> = new Map([['max_tokens', '1']]);

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field.
 */
export function readCountRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const checked = readMessagesRequest(replaceMembers(text, unused));
  return { ...checked, text, json, stream: false };
}
