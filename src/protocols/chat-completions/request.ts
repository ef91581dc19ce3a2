/** Chat completion requests: the document's fields are checked, every other field is left as it came. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseJsonObject } from '../json/body.ts';
import type { InferenceRequest } from '../translator.ts';

/** The document names system, user and assistant; the others are what the official clients send besides. */
const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

const message = z
  .object({
    role: z.enum(roles),
    content: z.union([z.string(), z.array(z.object({ type: z.string() }))]).nullish(),
  })
  .refine((candidate) => candidate.content != null || candidate.role === 'assistant', {
    path: ['content'],
    error: 'is required; only an assistant message may leave it out',
  });

/**
 * Document 1, POST /v1/chat/completions. Null stands for an absent optional field, as the official clients send it.
 * Unknown fields are not looked at here: the request goes on as text, with every field that it had.
 */
const chatRequestSchema = z.object({
  model: z.string().min(1).max(256),
  messages: z.array(message).min(1),
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
  const json = parseJsonObject(text);
  const parsed = chatRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  const { model, stream, stream_options: streamOptions } = parsed.data;
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
