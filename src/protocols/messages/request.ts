/** Checks requests to create a message and requests to count tokens; fields that no rule names are left as they came. */

import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseJsonObject } from '../json/body.ts';
import { replaceMembers } from '../json/members.ts';
import type { InferenceRequest } from '../translator.ts';

const block = z.looseObject({ type: z.string().min(1) });
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Newer models take instructions in the middle of a conversation, under the role `system`. */
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
});

/** The bounds are those of the vendor's own API, so that what passes here is not refused there for its form. */
const messagesRequestSchema = z.looseObject({
  model: z.string().min(1).max(256),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  metadata: z
    .looseObject({
      user_id: z.string().max(512).nullish(),
      session_id: z.string().max(512).nullish(),
      sticky_key: z.string().max(512).nullish(),
    })
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

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field,
 * invalid_parameter for a conversation that is to be kept for the caller.
 */
export function readMessagesRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const parsed = messagesRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  if ((json['thread'] ?? null) !== null) throw unkeptThread();
  const { model, stream } = parsed.data;
  return { text, json, model, stream: stream === true, wantsStreamUsage: true };
}

/** Passed on it would be taken, and the next turn, which is sent alone, would reach a provider that never saw the first. */
function unkeptThread(): AppError {
  return new AppError({
    code: 'invalid_parameter',
    public: 'thread: conversations are not kept here. Leave the field out and send all messages each time.',
    param: 'thread',
  });
}

/** What a request to create a message must have and a request to count tokens need not: there is no answer to bound. */
const unusedInCounting: ReadonlyMap<string, string> = new Map([['max_tokens', '1']]);

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field.
 */
export function readCountRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const checked = readMessagesRequest(replaceMembers(text, unusedInCounting));
  return { ...checked, text, json, stream: false };
}
