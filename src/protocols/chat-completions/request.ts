/** Chat completion requests: what the gateway relies on is checked, every other field is left as it came. */
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
  isTextWithin,
  listOf,
  parseRequestObject,
  withoutCase,
} from '../json/body.ts';
import { asObject, isJsonObject, type JsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';

/** All that the official clients send. */
const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

const message = z
  .object({
    role: z.enum(roles),
    content: listOf(z.object({ type: z.string() }), { textToo: true }).nullish(),
  })
  .refine((candidate) => candidate.content != null || candidate.role === 'assistant', {
    path: ['content'],
    error: 'is required; only an assistant message may leave it out',
  });

/**
 * Null stands for an absent optional field, as the official clients send it. Unknown fields are not looked at here: the
 * request goes on as text, with every field that it had.
 */
export const chatRequestSchema = z.object({
  model: z.string().min(1).max(256),
  messages: listOf(message, { least: 1 }),
  metadata: z
    .object({ session_id: z.string().max(512).nullish(), sticky_key: z.string().max(512).nullish() })
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
});

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field,
 *   invalid_parameter for fields that contradict each other.
 */
export function readChatRequest(text: string): InferenceRequest {
  const json = parseRequestObject(text);
  const { model, stream, stream_options: streamOptions } = isSoundChatRequest(json) ? json : checked(json);
  if (streamOptions != null && stream !== true) {
    throw new AppError({
      code: 'invalid_parameter',
      public: 'stream_options is only allowed when stream is true.',
      param: 'stream_options',
    });
  }
  return {
    text,
    json,
    model,
    stream: stream === true,
    wantsStreamUsage: streamOptions?.include_usage === true,
  };
}

interface SoundRequest {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined;
}

function checked(json: JsonObject): SoundRequest {
  const parsed = chatRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return parsed.data;
}

/** True only for what the schema takes; false where that is not plain to see. */
export function isSoundChatRequest(json: JsonObject): json is JsonObject & SoundRequest {
  const messages = json['messages'];
  return (
    isTextWithin(json['model'], 1, 256) &&
    isListOf(messages, isSoundMessage) &&
    messages.length > 0 &&
    isRoutingMetadata(json['metadata']) &&
    isBooleanOrAbsent(json['stream']) &&
    isStreamOptions(json['stream_options']) &&
    isNumberWithin(json['temperature'], 0, 2) &&
    isCountWithin(json['max_tokens'], 1) &&
    isCountWithin(json['max_completion_tokens'], 1) &&
    isNumberWithin(json['top_p'], 0, 1)
  );
}

const knownRoles: ReadonlySet<unknown> = new Set(roles);

function isSoundMessage(value: unknown): boolean {
  if (!isJsonObject(value) || !knownRoles.has(value['role'])) return false;
  const content = value['content'];
  if (typeof content === 'string') return true;
  return isAbsent(content) ? value['role'] === 'assistant' : isListOf(content, isTyped);
}

const isTyped = (part: unknown): boolean => isJsonObject(part) && typeof part['type'] === 'string';

const isStreamOptions = (value: unknown): boolean =>
  isAbsent(value) || (isJsonObject(value) && isBooleanOrAbsent(value['include_usage']));

/** Whether a stream is asked for its usage so that every host reads it: said once, in plain letters, beside nothing that could be taken for it. */
export function asksForUsage({ text, json, wantsStreamUsage }: InferenceRequest): boolean {
  if (!wantsStreamUsage || Object.keys(asObject(json['stream_options']) ?? {}).length > 1) return false;
  const at = text.indexOf(usageField);
  return at !== -1 && text.indexOf(usageField, at + usageField.length) === -1 && !text.includes('\\u00');
}

const usageField = '"include_usage"';
const isUsageField = (name: string): boolean => withoutCase(name) === 'INCLUDE_USAGE';

/** The options of a stream, in which nothing else can be taken for the one that asks for its usage. */
export function withUsageAsked(json: JsonObject): string {
  const options = Object.entries(asObject(json['stream_options']) ?? {});
  const others = options.filter(([name]) => !isUsageField(name));
  return JSON.stringify({ ...Object.fromEntries(others), include_usage: true });
}
