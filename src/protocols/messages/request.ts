/**
 * Reads requests to create a message and requests to count tokens; fields that no rule names are left as they came. The
 * schema decides and says what is wrong, but builds some hundred objects for a request; the quick look in front of it
 * builds none, and lets most requests pass without the schema.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import {
  asFieldIssues,
  isAbsent,
  isBooleanOrAbsent,
  isCountWithin,
  isListOf,
  isNumberWithin,
  isRoutingMetadata,
  isTextOrAbsent,
  isTextUpTo,
  isTextWithin,
  listOf,
  parseRequestObject,
} from '../json/body.ts';
import { isJsonObject, type JsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field,
 * invalid_parameter for a conversation that is to be kept for the caller.
 */
export function readMessagesRequest(text: string): InferenceRequest {
  const json = parseRequestObject(text);
  const { model, stream } = check(json);
  return { text, json, model, stream: stream === true, wantsStreamUsage: true };
}

/**
 * A bound for the answer, which a request to create a message must have, is of no use in counting and may be missing.
 * @throws AppError as `readMessagesRequest` does.
 */
export function readCountRequest(text: string): InferenceRequest {
  const json = parseRequestObject(text);
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

interface CheckedRequest {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

const block = z.looseObject({ type: z.string().min(1) });
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Newer models take instructions in the middle of a conversation, under the role `system`. */
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: listOf(block, { textToo: true }),
});

const longestModel = 256;
const longestMetadata = 512;
const metadataText = z.string().max(longestMetadata).nullish();

/** The bounds are those of the vendor's own API, so that what passes here is not refused there for its form. */
const messagesRequestSchema = z.looseObject({
  model: z.string().min(1).max(longestModel),
  max_tokens: z.int().min(1),
  messages: listOf(message, { least: 1 }),
  system: listOf(textBlock, { textToo: true }).nullish(),
  metadata: z
    .looseObject({ user_id: metadataText, session_id: metadataText, sticky_key: metadataText })
    .nullish(),
  stream: z.boolean().nullish(),
  stop_sequences: listOf(z.string()).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  tools: listOf(z.looseObject({ name: z.string().min(1).optional() })).nullish(),
  tool_choice: z.looseObject({ type: z.string() }).nullish(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.int().min(1).optional() }).nullish(),
});

/** @throws AppError validation_failed with one entry a field. */
export function checkBySchema(json: JsonObject): CheckedRequest {
  const parsed = messagesRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return parsed.data;
}

/** True only for what the schema takes; false where that is not plain to see, so that the schema must decide. */
export function isPlainlySound(json: JsonObject): json is JsonObject & CheckedRequest {
  return (
    isTextWithin(json['model'], 1, longestModel) &&
    !isAbsent(json['max_tokens']) &&
    isCountWithin(json['max_tokens'], 1) &&
    areMessages(json['messages']) &&
    isSystem(json['system']) &&
    isMetadata(json['metadata']) &&
    isBooleanOrAbsent(json['stream']) &&
    isListOrAbsent(json['stop_sequences'], isText) &&
    isNumberWithin(json['temperature'], 0, 1) &&
    isNumberWithin(json['top_p'], 0, 1) &&
    isCountWithin(json['top_k'], 0) &&
    isListOrAbsent(json['tools'], isTool) &&
    (isAbsent(json['tool_choice']) || hasType(json['tool_choice'])) &&
    (isAbsent(json['thinking']) || isThinking(json['thinking']))
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isFilledText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isListOrAbsent = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  isAbsent(value) || isListOf(value, isEntry);

const hasType = (value: unknown): boolean => isJsonObject(value) && isText(value['type']);

const areMessages = (value: unknown): boolean => isListOf(value, isMessage) && value.length > 0;

function isMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return false;
  return isText(content) || isListOf(content, isBlock);
}

const isBlock = (value: unknown): boolean => isJsonObject(value) && isFilledText(value['type']);

const isSystem = (value: unknown): boolean => isTextOrAbsent(value) || isListOf(value, isTextBlock);

const isTextBlock = (value: unknown): boolean =>
  isJsonObject(value) && value['type'] === 'text' && isText(value['text']);

const isMetadata = (value: unknown): boolean =>
  isRoutingMetadata(value) && (!isJsonObject(value) || isTextUpTo(value['user_id'], longestMetadata));

const isTool = (value: unknown): boolean =>
  isJsonObject(value) && (value['name'] === undefined || isFilledText(value['name']));

const isThinking = (value: unknown): boolean =>
  hasType(value) &&
  isJsonObject(value) &&
  value['budget_tokens'] !== null &&
  isCountWithin(value['budget_tokens'], 1);
