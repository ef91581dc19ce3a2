/**
 * What a request to create a message must be. The schema decides and says what is wrong, but builds some hundred objects
 * for a request; the quick look in front of it builds none, and lets most requests pass without the schema.
 */
import { z } from 'zod';
import { asFieldIssues } from '../json/body.ts';
import { isJsonObject, type JsonObject } from '../json/fields.ts';

export interface CheckedRequest {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

const block = z.looseObject({ type: z.string().min(1) });
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Newer models take instructions in the middle of a conversation, under the role `system`. */
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
});

const longestModel = 256;
const longestMetadata = 512;
const metadataText = z.string().max(longestMetadata).nullish();

/** The bounds are those of the vendor's own API, so that what passes here is not refused there for its form. */
const messagesRequestSchema = z.looseObject({
  model: z.string().min(1).max(longestModel),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  metadata: z
    .looseObject({ user_id: metadataText, session_id: metadataText, sticky_key: metadataText })
    .nullish(),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  tools: z.array(z.looseObject({ name: z.string().min(1).optional() })).nullish(),
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
    isFilledText(json['model'], longestModel) &&
    isCountFrom(1, json['max_tokens']) &&
    areMessages(json['messages']) &&
    isSystem(json['system']) &&
    isMetadata(json['metadata']) &&
    (json['stream'] == null || typeof json['stream'] === 'boolean') &&
    (json['stop_sequences'] == null || isListOf(json['stop_sequences'], isText)) &&
    (json['temperature'] == null || isShare(json['temperature'])) &&
    (json['top_p'] == null || isShare(json['top_p'])) &&
    (json['top_k'] == null || isCountFrom(0, json['top_k'])) &&
    (json['tools'] == null || isListOf(json['tools'], isTool)) &&
    (json['tool_choice'] == null || hasType(json['tool_choice'])) &&
    (json['thinking'] == null || isThinking(json['thinking']))
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isFilledText = (value: unknown, longest = Number.POSITIVE_INFINITY): boolean =>
  typeof value === 'string' && value !== '' && value.length <= longest;

const isCountFrom = (least: number, value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least;

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (const item of value) if (!isItem(item)) return false;
  return true;
}

const hasType = (value: unknown): boolean => isJsonObject(value) && isText(value['type']);

const areMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && isListOf(value, isMessage);

function isMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return false;
  return isText(content) || isListOf(content, isBlock);
}

const isBlock = (value: unknown): boolean => isJsonObject(value) && isFilledText(value['type']);

const isSystem = (value: unknown): boolean => value == null || isText(value) || isListOf(value, isTextBlock);

const isTextBlock = (value: unknown): boolean =>
  isJsonObject(value) && value['type'] === 'text' && isText(value['text']);

function isMetadata(value: unknown): boolean {
  if (value == null) return true;
  if (!isJsonObject(value)) return false;
  return (
    isMetadataText(value['user_id']) &&
    isMetadataText(value['session_id']) &&
    isMetadataText(value['sticky_key'])
  );
}

const isMetadataText = (value: unknown): boolean =>
  value == null || (typeof value === 'string' && value.length <= longestMetadata);

const isTool = (value: unknown): boolean =>
  isJsonObject(value) && (value['name'] === undefined || isFilledText(value['name']));

const isThinking = (value: unknown): boolean =>
  isJsonObject(value) &&
  isText(value['type']) &&
  (value['budget_tokens'] === undefined || isCountFrom(1, value['budget_tokens']));
