/** Reading JSON bodies from outside, and checking them, with errors that say what was wrong and where. */
import { z } from 'zod';
import { AppError, type FieldIssue } from '../../base/errors.ts';
import {
  isJsonObject,
  type JsonObject,
  parseWithinLevels,
  TooDeepError,
  TooManyValuesError,
} from './fields.ts';
import { describeIssue } from './issue-words.ts';
import { findRepeated } from './text.ts';

z.config({ localeError: (issue) => describeIssue(issue) });

/**
 * A request's body, in which each member stands once and under its own name. The text goes on to hosts that read it by
 * themselves: of two members of one name some take the first, and some take `Model` for `model`, so that another model
 * would answer than the one that was asked for, allowed and priced here.
 * @throws AppError malformed_json when the text is not a JSON object, body_too_large when it has too many values,
 *   invalid_parameter for a member that is there twice or differs by case alone from one that is read here.
 */
export function parseRequestObject(text: string): Record<string, unknown> {
  const json = parseJsonObject(text);
  refuseLookalikes(json);
  const repeated = findRepeated(text, json);
  if (repeated === undefined) return json;
  throw invalidMember(repeated, 'is there twice; send it once.');
}

/** The members of requests that are read here, whatever the protocol. */
const readMembers = [
  ...['model', 'messages', 'input', 'prompt', 'system', 'instructions', 'contents', 'systemInstruction'],
  ...['system_instruction', 'generationConfig', 'generation_config', 'toolConfig', 'tool_config', 'tools'],
  ...['tool_choice', 'functions', 'function_call', 'parallel_tool_calls', 'stream', 'stream_options'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n', 'best_of', 'stop', 'stop_sequences'],
  ...['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty', 'logprobs'],
  ...[
    'top_logprobs',
    'reasoning',
    'reasoning_effort',
    'thinking',
    'output_config',
    'response_format',
    'text',
  ],
  ...['metadata', 'user', 'store', 'background', 'include', 'previous_response_id', 'conversation'],
  ...['service_tier', 'serviceTier', 'speed', 'inference_geo', 'modalities', 'audio', 'prediction'],
  ...['web_search_options', 'mcp_servers', 'container', 'encoding_format', 'dimensions', 'input_type'],
  ...['query', 'documents', 'top_n', 'return_documents', 'voice', 'stream_format'],
];

/** As hosts compare names that do so without case: also the long s and the sign of Kelvin are letters to them. */
export const withoutCase = (name: string): string => name.toLowerCase().toUpperCase();

const exactNames: ReadonlySet<string> = new Set(readMembers);
const namesWithoutCase: ReadonlyMap<string, string> = new Map(
  readMembers.map((name) => [withoutCase(name), name]),
);

function refuseLookalikes(json: JsonObject): void {
  for (const name in json) {
    if (exactNames.has(name)) continue;
    const meant = namesWithoutCase.get(withoutCase(name));
    if (meant === undefined) continue;
    throw invalidMember(name, `differs from ${meant} by case alone; write ${meant}, or leave it out.`);
  }
}

function invalidMember(name: string, reason: string): AppError {
  const shown = name.slice(0, 100);
  return new AppError({ code: 'invalid_parameter', public: `${shown}: ${reason}`, param: shown });
}

/**
 * @throws AppError malformed_json when the text is not a JSON object, or is nested too deep, body_too_large when it has
 *   too many values.
 */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === '') {
    throw new AppError({
      code: 'malformed_json',
      public: 'The request body is empty; it must be a JSON object.',
    });
  }
  let value: unknown;
  try {
    value = parseWithinLevels(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    const isTooMuch = cause instanceof TooManyValuesError;
    throw new AppError({
      code: isTooMuch ? 'body_too_large' : 'malformed_json',
      public:
        isTooMuch || cause instanceof TooDeepError
          ? `The request body cannot be taken: ${reason}.`
          : `The request body is not valid JSON: ${reason.slice(0, 200)}`,
      cause,
    });
  }
  if (!isJsonObject(value)) {
    const found = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
    throw new AppError({
      code: 'malformed_json',
      public: `The request body must be a JSON object, not ${found}.`,
    });
  }
  return value;
}

/** Wrong fields that an error names; of others it says how many there are. */
const mostFieldsNamed = 20;

/** What a list says of the entries that it did not look at any more. */
const uncheckedEntries = 'uncheckedEntries';
/** The code of what is wrong with an entry, which its list tells for it. */
const entryCode = 'entryCode';

/** A failed check as one AppError: a sentence for people, a list for programs. */
export function asFieldIssues(error: z.ZodError, input: unknown): AppError {
  const found: z.core.$ZodIssue[] = [];
  let unchecked = 0;
  for (const issue of error.issues) {
    const left: unknown = issue.code === 'custom' ? issue.params?.[uncheckedEntries] : undefined;
    if (typeof left === 'number') unchecked += left;
    else found.push(issue);
  }
  const fields = found.slice(0, mostFieldsNamed).map((issue) => readIssue(issue, input));
  const [first] = fields;
  return new AppError({
    code: 'validation_failed',
    public:
      first === undefined
        ? 'The request is not valid.'
        : `${dotted(first.loc)}: ${first.msg}${others(found.length - 1, unchecked)}`,
    fields,
    ...(first === undefined ? {} : { param: dotted(first.loc) }),
  });
}

function others(more: number, unchecked: number): string {
  if (unchecked > 0) return ` (and ${more} more; ${unchecked} further entries were not checked)`;
  return more > 0 ? ` (and ${more} more)` : '';
}

/**
 * A list whose entries are checked one by one, until so many are wrong as an error names: a check that went on would
 * build an object for each wrong entry of a body that holds millions. The list is taken as it came, so that no entry is
 * copied either.
 * @param shape.textToo True where text may stand in the list's place.
 */
export function listOf(
  entry: z.ZodType,
  { least = 0, most = Number.POSITIVE_INFINITY, textToo = false }: ListShape = {},
) {
  return z.unknown().superRefine((value, context) => {
    if (textToo && typeof value === 'string') return;
    if (!Array.isArray(value)) {
      const message = textToo ? 'must be text or a list' : undefined;
      context.addIssue({ code: 'invalid_type', expected: 'array', message, input: value });
      return;
    }
    if (value.length < least) {
      context.addIssue({ code: 'too_small', origin: 'array', minimum: least, inclusive: true, input: value });
    }
    if (value.length > most) {
      context.addIssue({ code: 'too_big', origin: 'array', maximum: most, inclusive: true, input: value });
      return;
    }
    checkEntries(value, entry, context);
  });
}

interface ListShape {
  readonly least?: number;
  readonly most?: number;
  readonly textToo?: boolean;
}

function checkEntries(list: readonly unknown[], entry: z.ZodType, context: z.core.$RefinementCtx): void {
  let found = 0;
  for (const [at, value] of list.entries()) {
    const { error } = entry.safeParse(value);
    if (error === undefined) continue;
    for (const issue of error.issues) {
      const params = (issue.code === 'custom' && issue.params) || { [entryCode]: issue.code };
      context.addIssue({ code: 'custom', path: [at, ...issue.path], message: issue.message, params });
    }
    found += error.issues.length;
    if (found < mostFieldsNamed) continue;
    const left = list.length - at - 1;
    if (left > 0) context.addIssue({ code: 'custom', params: { [uncheckedEntries]: left } });
    return;
  }
}

function readIssue(issue: z.core.$ZodIssue, input: unknown): FieldIssue {
  const loc = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const ofEntry: unknown = issue.code === 'custom' ? issue.params?.[entryCode] : undefined;
  const code = typeof ofEntry === 'string' ? ofEntry : issue.code;
  const isMissing =
    (code === 'invalid_type' || code === 'invalid_value') && valueAt(input, loc) === undefined;
  const msg = isMissing && code === 'invalid_type' ? 'is required' : issue.message;
  return { loc, msg, type: isMissing ? 'missing' : code };
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** `messages[0].role` from `['messages', 0, 'role']`; `body` for the whole. */
function dotted(loc: readonly (string | number)[]): string {
  let text = '';
  for (const step of loc) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text === '' ? 'body' : text;
}

/*
 * Predicates for a check of requests that runs before their schema. A schema builds some hundred objects for a request
 * and says what is wrong with it; most requests have nothing wrong. Each says yes only to what the schema takes, and no
 * where that is not plain to see: then the schema decides.
 */

/** A member that the official clients leave out, or send as null. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export const isTextOrAbsent = (value: unknown): boolean => typeof value === 'string' || isAbsent(value);

export const isBooleanOrAbsent = (value: unknown): boolean => typeof value === 'boolean' || isAbsent(value);

export const isTextWithin = (value: unknown, least: number, most: number): value is string =>
  typeof value === 'string' && value.length >= least && value.length <= most;

export const isTextUpTo = (value: unknown, most: number): boolean =>
  isAbsent(value) || (typeof value === 'string' && value.length <= most);

export const isNumberWithin = (value: unknown, least: number, most: number): boolean =>
  isAbsent(value) || (typeof value === 'number' && value >= least && value <= most);

export const isCountWithin = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  isAbsent(value) ||
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most);

/** Whether a value is a list of which each entry is as it must be. */
export function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  for (const entry of value) if (!isEntry(entry)) return false;
  return true;
}

/** The metadata of a request, of which two members are for the gateway. */
export const isRoutingMetadata = (value: unknown): boolean =>
  isAbsent(value) ||
  (isJsonObject(value) && isTextUpTo(value['session_id'], 512) && isTextUpTo(value['sticky_key'], 512));
