/** Responses requests: what every request must have is checked, every other field is left as it came. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseJsonObject } from '../json/body.ts';
import type { InferenceRequest } from '../translator.ts';

const item = z.looseObject({ type: z.string().min(1).nullish(), role: z.string().nullish() });
const named = z.looseObject({ type: z.string().min(1) });

/** What stands in for an input that is not in the request itself. */
const otherInputs = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Null stands for an absent optional field, as the official clients send it. The bounds are those of the protocol. */
const schemaWith = <Input extends z.ZodType>(input: Input) =>
  z.looseObject({
    model: z.string().min(1).max(256),
    input,
    instructions: z.string().nullish(),
    previous_response_id: z.string().nullish(),
    metadata: z
      .looseObject({ session_id: z.string().max(512).nullish(), sticky_key: z.string().max(512).nullish() })
      .nullish(),
    stream: z.boolean().nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    tools: z.array(named).nullish(),
    tool_choice: z.union([z.string(), named]).nullish(),
    text: z.looseObject({ format: named.nullish(), verbosity: z.string().nullish() }).nullish(),
    reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
    include: z.array(z.string()).nullish(),
    user: z.string().nullish(),
  });

/** Two instead of one with a union, which would not say which item of a list is wrong. */
const schemaWithItems = schemaWith(z.array(item));
const schemaWithText = schemaWith(z.string({ error: 'must be text or a list of items' }).nullish()).refine(
  ({ input, ...fields }) => input != null || otherInputs.some((name) => fields[name] != null),
  {
    path: ['input'],
    error: 'is required',
  },
);

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field,
 *   invalid_parameter for an answer in the background.
 */
export function readResponsesRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const parsed = (Array.isArray(json['input']) ? schemaWithItems : schemaWithText).safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  refuseBackground(parsed.data);
  const { model, stream } = parsed.data;
  return { text, json, model, stream: stream === true, wantsStreamUsage: true };
}

/**
 * Answers in the background are not for a gateway that is paid by what it relays.
 * @throws AppError invalid_parameter: what is generated after the answer could be counted by nobody here.
 */
export function refuseBackground({ background }: { readonly background?: unknown }): void {
  if (background !== true) return;
  throw new AppError({
    code: 'invalid_parameter',
    public: 'background cannot be true here: answers are relayed as they are made. Leave it out, or stream.',
    param: 'background',
  });
}
