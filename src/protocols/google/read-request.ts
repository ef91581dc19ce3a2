/** This file reads generateContent requests into the form between the protocols: settings, tools and schemas. */
import {
  asCount,
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  filledTexts,
  isJsonObject,
  type JsonObject,
} from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import { cannotRead, refuse } from '../turn/refuse.ts';
import {
  efforts,
  type Reasoning,
  type ResponseFormat,
  type Sampling,
  type TurnRequest,
} from '../turn/request.ts';
import { askForOneOf } from '../turn/schema.ts';
import type { FunctionTool, Tool, ToolChoice } from '../turn/tools.ts';
import { inOneSpelling } from './field-names.ts';
import { readMessages, readSystem } from './read-messages.ts';

/** What calls are given, and what they gave. */
const toolMembers = ['args', 'response'] as const;

/**
 * The body alone does not say whether the answer is to be streamed.
 * @throws AppError invalid_parameter for what the form does not know.
 */
export function readGoogleTurn(given: JsonObject, text = ''): TurnRequest {
  const spelled = readSpelledBelow(text, toolMembers);
  const json = spelled === undefined ? given : inOneSpelling(spelled, text);
  const config = asObject(json['generationConfig']) ?? {};
  refuseCached(json);
  const choices = asCount(config['candidateCount']) ?? 1;
  const turn: TurnRequest = {
    system: readSystem(json['systemInstruction']),
    messages: readMessages(json['contents']),
    tools: readTools(json['tools'], json['toolConfig']),
    toolChoice: readToolChoice(json['toolConfig']),
    parallelToolUse: true,
    maxOutputTokens: asCount(config['maxOutputTokens']),
    stopSequences: filledTexts(config['stopSequences']),
    sampling: readSampling(config),
    reasoning: readReasoning(asObject(config['thinkingConfig'])),
    responseFormat: readFormat(config),
    choices: choices > 1 ? choices : undefined,
    logprobs: config['responseLogprobs'] === true ? (asCount(config['logprobs']) ?? 0) : undefined,
    stream: false,
    vendor: {},
  };
  const words = readWords(config);
  return words.length === 0 ? turn : askForOneOf(turn, words);
}

/** What was cached is a part of the prompt: an answer without it would be an answer to something else. */
function refuseCached(json: JsonObject): void {
  if (asFilledText(json['cachedContent']) !== undefined)
    throw refuse('content that was cached at Google', 'cachedContent');
}

function readSampling(config: JsonObject): Sampling {
  return {
    temperature: asNumber(config['temperature']),
    topP: asNumber(config['topP']),
    topK: asCount(config['topK']),
    seed: asNumber(config['seed']),
    frequencyPenalty: asNumber(config['frequencyPenalty']),
    presencePenalty: asNumber(config['presencePenalty']),
  };
}

/** A budget of zero switches thinking off; a negative one leaves it to the model how much to think. */
function readReasoning(config: JsonObject | undefined): Reasoning | undefined {
  const level = asText(config?.['thinkingLevel'])?.toLowerCase();
  const effort = efforts.find((known) => known === level);
  const budget = asNumber(config?.['thinkingBudget']);
  if (budget === 0) return { effort, thinking: 'off' };
  if (budget !== undefined && budget > 0) return { effort, thinking: 'on', budgetTokens: budget };
  const isShown = config?.['includeThoughts'] === true || budget !== undefined;
  if (effort === undefined && !isShown) return undefined;
  return { effort, thinking: isShown ? 'adaptive' : undefined };
}

/** Whether nobody asked for thoughts: some hosts tell them all the same, which Google's clients may take for the answer. */
export function hidesThoughts(json: JsonObject): boolean {
  const config = asObject(asObject(json['generationConfig'])?.['thinkingConfig']);
  if (config?.['includeThoughts'] != null) return config['includeThoughts'] === false;
  const { thinking, effort } = readReasoning(config) ?? {};
  return thinking === 'off' || (thinking === undefined && effort === undefined);
}

/** The words of which the answer is to be one; none where it is another text. */
function readWords(config: JsonObject): readonly string[] {
  if (config['responseMimeType'] !== 'text/x.enum') return [];
  const schema = readSchema(config, { json: 'responseJsonSchema', old: 'responseSchema' });
  return asTexts(schema?.['enum']);
}

/** Google always enforces a schema, so that it is a strict one. */
function readFormat(config: JsonObject): ResponseFormat | undefined {
  if (config['responseMimeType'] !== 'application/json') return undefined;
  const schema = readSchema(config, { json: 'responseJsonSchema', old: 'responseSchema' });
  return schema === undefined ? { type: 'json' } : { type: 'json_schema', schema, strict: true };
}

const noArguments: JsonObject = { type: 'object', properties: {} };

function readTools(value: unknown, toolConfig: unknown): readonly Tool[] {
  const { mode, names } = readCalling(toolConfig);
  const strict = mode === 'VALIDATED' && names.length === 0 ? true : undefined;
  return asObjects(value).flatMap((tool) =>
    Object.entries(tool).flatMap(([type, json]): readonly Tool[] => {
      if (type !== 'functionDeclarations') return [{ kind: 'vendor', type, json: { [type]: json } }];
      return asObjects(json).map((declared) => readFunction(declared, strict));
    }),
  );
}

function readFunction(declared: JsonObject, strict: true | undefined): FunctionTool {
  const name = asFilledText(declared['name']);
  if (name === undefined) throw cannotRead('tools', 'a function has no name');
  return {
    kind: 'function',
    name,
    description: asText(declared['description']),
    schema: readSchema(declared, { json: 'parametersJsonSchema', old: 'parameters' }) ?? noArguments,
    strict,
  };
}

function readToolChoice(toolConfig: unknown): ToolChoice | undefined {
  const { mode, names } = readCalling(toolConfig);
  const [only] = names;
  switch (mode) {
    case 'NONE':
      return { type: 'none' };
    case 'ANY':
      if (only === undefined) return { type: 'required' };
      return names.length === 1 ? { type: 'tool', name: only } : { type: 'allowed', names, required: true };
    default:
      return only === undefined ? undefined : { type: 'allowed', names, required: false };
  }
}

/** Enumerations by number, as clients that Google generates for REST write them (googleapis/googleapis, `content.proto`). */
const modes = [undefined, 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const;
const types = [undefined, 'string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;

function readCalling(toolConfig: unknown): { mode: string | undefined; names: readonly string[] } {
  const config = asObject(asObject(toolConfig)?.['functionCallingConfig']);
  const mode = config?.['mode'];
  return {
    mode: typeof mode === 'number' ? modes[mode] : asText(mode),
    names: asTexts(config?.['allowedFunctionNames']),
  };
}

function readSchema(given: JsonObject, names: { json: string; old: string }): JsonObject | undefined {
  const old = asObject(given[names.old]);
  return asObject(given[names.json]) ?? (old === undefined ? undefined : readOldSchema(old));
}

/** The JSON of protocol buffers writes whole numbers of 64 bits as text. */
const longMembers: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

const asLong = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** Gemini’s older spelling of schemas writes its types in capitals, and `nullable` for a type of null beside another. */
function readOldSchema(schema: JsonObject): JsonObject {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'type' && typeof value === 'string') read[name] = value.toLowerCase();
    else if (name === 'type' && typeof value === 'number') read[name] = types[value];
    else if (name === 'properties' && isJsonObject(value)) read[name] = readEach(value);
    else if (name === 'items' || name === 'anyOf') read[name] = readAny(value);
    else if (name !== 'nullable') read[name] = longMembers.has(name) ? asLong(value) : value;
  }
  return schema['nullable'] === true ? { anyOf: [read, { type: 'null' }] } : read;
}

function readEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, readAny(schema)]));
}

function readAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readAny);
  return isJsonObject(schema) ? readOldSchema(schema) : schema;
}
