/** Responses requests: what every request must have is checked, every other field is left as it came. */
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
  isTextWithin,
  listOf,
  parseRequestObject,
} from '../json/body.ts';
import { isJsonObject, type JsonObject } from '../json/fields.ts';
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
    tools: listOf(named).nullish(),
    tool_choice: z.union([z.string(), named]).nullish(),
    text: z.looseObject({ format: named.nullish(), verbosity: z.string().nullish() }).nullish(),
    reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
    include: listOf(z.string()).nullish(),
    user: z.string().nullish(),
  });

/** Two instead of one with a union, which would not say which item of a list is wrong. */
const schemaWithItems = schemaWith(listOf(item));
const schemaWithText = schemaWith(z.string({ error: 'must be text or a list of items' }).nullish()).refine(
  ({ input, ...fields }) => input != null || otherInputs.some((name) => fields[name] != null),
  {
    path: ['input'],
    error: 'is required',
  },
);

export const responsesSchemaFor = ({ input }: JsonObject) =>
  Array.isArray(input) ? schemaWithItems : schemaWithText;

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field,
 *   invalid_parameter for an answer in the background.
 */
export function readResponsesRequest(text: string): InferenceRequest {
  const json = parseRequestObject(text);
  const { model, stream } = isSoundResponsesRequest(json) ? json : checked(json);
  refuseBackground(json);
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

interface SoundRequest {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

function checked(json: JsonObject): SoundRequest {
  const parsed = responsesSchemaFor(json).safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return parsed.data;
}

/** True only for what the schema takes; false where that is not plain to see. */
export function isSoundResponsesRequest(json: JsonObject): json is JsonObject & SoundRequest {
  const input = json['input'];
  return (
    isTextWithin(json['model'], 1, 256) &&
    (typeof input === 'string' || isListOf(input, isItem)) &&
    isTextOrAbsent(json['instructions']) &&
    isTextOrAbsent(json['previous_response_id']) &&
    isRoutingMetadata(json['metadata']) &&
    isBooleanOrAbsent(json['stream']) &&
    isBooleanOrAbsent(json['store']) &&
    isBooleanOrAbsent(json['background']) &&
    isBooleanOrAbsent(json['parallel_tool_calls']) &&
    isNumberWithin(json['temperature'], 0, 2) &&
    isNumberWithin(json['top_p'], 0, 1) &&
    isCountWithin(json['top_logprobs'], 0, 20) &&
    isCountWithin(json['max_output_tokens'], 1) &&
    (isAbsent(json['tools']) || isListOf(json['tools'], isNamed)) &&
    isToolChoice(json['tool_choice']) &&
    isTextSettings(json['text']) &&
    isReasoning(json['reasoning']) &&
    (isAbsent(json['include']) || isListOf(json['include'], isText)) &&
    isTextOrAbsent(json['user'])
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isItem = (value: unknown): boolean =>
  isJsonObject(value) && (isAbsent(value['type']) || isNamed(value)) && isTextOrAbsent(value['role']);

const isNamed = (value: unknown): boolean =>
  isJsonObject(value) && isText(value['type']) && value['type'] !== '';

const isToolChoice = (value: unknown): boolean => isTextOrAbsent(value) || isNamed(value);

const isTextSettings = (value: unknown): boolean =>
  isAbsent(value) ||
  (isJsonObject(value) &&
    (isAbsent(value['format']) || isNamed(value['format'])) &&
    isTextOrAbsent(value['verbosity']));

const isReasoning = (value: unknown): boolean =>
  isAbsent(value) ||
  (isJsonObject(value) && isTextOrAbsent(value['effort']) && isTextOrAbsent(value['summary']));
