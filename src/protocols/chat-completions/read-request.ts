/** Chat completion requests into the form between the protocols: settings, tools and the choice among them. */
import {
  asBoolean,
  asCount,
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  filledTexts,
  type JsonObject,
} from '../json/fields.ts';
import { withoutRouting } from '../json/routing-metadata.ts';
import { cannotRead } from '../turn/refuse.ts';
import {
  type Effort,
  efforts,
  type Reasoning,
  type ResponseFormat,
  type Sampling,
  type TurnRequest,
} from '../turn/request.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';
import { vendorFieldNames } from './dialect.ts';
import { withTools } from './legacy-functions.ts';
import { readAnyCacheMark, readMessages } from './read-messages.ts';

/** @throws AppError invalid_parameter for what the form does not know. */
export function readChatTurn(given: JsonObject): TurnRequest {
  const json = withTools(given);
  const choices = asCount(json['n']) ?? 1;
  return {
    ...readMessages(json['messages']),
    tools: [...readTools(json['tools']), ...readWebSearch(asObject(json['web_search_options']))],
    toolChoice: readToolChoice(json['tool_choice']),
    parallelToolUse: json['parallel_tool_calls'] !== false,
    maxOutputTokens: asCount(json['max_completion_tokens']) ?? asCount(json['max_tokens']),
    stopSequences: readStop(json['stop']),
    sampling: readSampling(json),
    reasoning: readReasoning(json),
    responseFormat: readResponseFormat(json['response_format']),
    choices: choices > 1 ? choices : undefined,
    logprobs: json['logprobs'] === true ? (asCount(json['top_logprobs']) ?? 0) : undefined,
    userId: asFilledText(json['user']),
    stream: json['stream'] === true,
    vendor: { openai: readOpenaiFields(json) },
  };
}

function readStop(stop: unknown): readonly string[] {
  const one = asFilledText(stop);
  return one === undefined ? filledTexts(stop) : [one];
}

function readSampling(json: JsonObject): Sampling {
  return {
    temperature: asNumber(json['temperature']),
    topP: asNumber(json['top_p']),
    topK: asCount(json['top_k']),
    seed: asNumber(json['seed']),
    frequencyPenalty: asNumber(json['frequency_penalty']),
    presencePenalty: asNumber(json['presence_penalty']),
  };
}

/**
 * Beside the protocol's own effort, the objects that clients of public routers send: `reasoning`, with an effort or a
 * number of tokens, and `thinking` as the messages protocol has it.
 */
function readReasoning(json: JsonObject): TurnRequest['reasoning'] {
  const reasoning = asObject(json['reasoning']);
  const thinking = asObject(json['thinking']);
  const effort = readEffort(json['reasoning_effort']) ?? readEffort(reasoning?.['effort']);
  const budgetTokens = asCount(reasoning?.['max_tokens']) ?? asCount(thinking?.['budget_tokens']);
  const mode = readThinking(reasoning, thinking);
  if (effort === undefined && budgetTokens === undefined && mode === undefined) return undefined;
  return { effort, thinking: mode, budgetTokens };
}

const thinkingModes: Readonly<Record<string, Reasoning['thinking']>> = {
  enabled: 'on',
  disabled: 'off',
  adaptive: 'adaptive',
};

/** What is asked for in an object is also to be shown, unless it says otherwise. */
function readThinking(
  reasoning: JsonObject | undefined,
  thinking: JsonObject | undefined,
): Reasoning['thinking'] {
  if (reasoning === undefined) return thinkingModes[asText(thinking?.['type']) ?? ''];
  if (reasoning['enabled'] === false || reasoning['effort'] === 'none') return 'off';
  if (reasoning['exclude'] === true) return undefined;
  return reasoning['max_tokens'] == null ? 'adaptive' : 'on';
}

function readEffort(value: unknown): Effort | undefined {
  return efforts.find((effort) => effort === value);
}

function readResponseFormat(value: unknown): ResponseFormat | undefined {
  const format = asObject(value);
  if (format?.['type'] === 'json_object') return { type: 'json' };
  if (format?.['type'] !== 'json_schema') return undefined;
  const described = asObject(format['json_schema']);
  const schema = asObject(described?.['schema']);
  if (described === undefined || schema === undefined) {
    throw cannotRead('response_format', 'json_schema needs a schema');
  }
  return {
    type: 'json_schema',
    schema,
    name: asText(described['name']),
    description: asText(described['description']),
    strict: asBoolean(described['strict']) ?? false,
  };
}

function readOpenaiFields(json: JsonObject): JsonObject | undefined {
  const found: [string, unknown][] = [];
  for (const name of vendorFieldNames) {
    const value = name === 'metadata' ? withoutRouting(json[name]) : json[name];
    if (value != null) found.push([name, value]);
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const noArguments: JsonObject = { type: 'object', properties: {} };

function readTools(value: unknown): readonly Tool[] {
  return asObjects(value).map(readTool);
}

/** Not among the tools here, but one all the same, and so it is in other protocols. */
function readWebSearch(options: JsonObject | undefined): readonly Tool[] {
  if (options === undefined) return [];
  const { search_context_size, user_location } = options;
  const place = asObject(asObject(user_location)?.['approximate']);
  const json = {
    type: 'web_search',
    search_context_size: search_context_size ?? undefined,
    user_location: place === undefined ? undefined : { type: 'approximate', ...place },
  };
  return [{ kind: 'vendor', type: 'web_search', json }];
}

function readTool(tool: JsonObject): Tool {
  const { type } = tool;
  if (type === 'custom') return readCustomTool(asObject(tool['custom']));
  if (type !== 'function') return { kind: 'vendor', type: asText(type) ?? '', json: tool };
  const described = asObject(tool['function']);
  return {
    kind: 'function',
    name: nameOf(described),
    description: asText(described?.['description']),
    schema: asObject(described?.['parameters']) ?? noArguments,
    strict: asBoolean(described?.['strict']),
    cache: readAnyCacheMark(tool),
  };
}

function readCustomTool(described: JsonObject | undefined): Tool {
  return {
    kind: 'custom',
    name: nameOf(described),
    description: asText(described?.['description']),
    format: asObject(described?.['format']),
  };
}

function readToolChoice(value: unknown): ToolChoice | undefined {
  if (value === 'none' || value === 'required') return { type: value };
  const choice = asObject(value);
  if (choice === undefined) return undefined;
  if (choice['type'] === 'allowed_tools') return readAllowed(asObject(choice['allowed_tools']));
  return { type: 'tool', name: nameOf(toolNamed(choice)) };
}

function readAllowed(allowed: JsonObject | undefined): ToolChoice {
  return {
    type: 'allowed',
    names: asObjects(allowed?.['tools']).map((tool) => nameOf(toolNamed(tool))),
    required: allowed?.['mode'] === 'required',
  };
}

const toolNamed = (tool: JsonObject): JsonObject | undefined =>
  asObject(tool[tool['type'] === 'custom' ? 'custom' : 'function']);

function nameOf(described: JsonObject | undefined): string {
  const name = asText(described?.['name']);
  if (name === undefined) throw cannotRead('tools', 'a tool has no name');
  return name;
}

const isFreeText = (one: JsonObject): boolean => one['type'] === 'custom';

/** Names of the free-text tools that a request declares. */
export function customToolNames(json: JsonObject): ReadonlySet<string> {
  const custom = asObjects(json['tools']).filter(isFreeText);
  return new Set(custom.flatMap((tool) => asText(asObject(tool['custom'])?.['name']) ?? []));
}

/** Declares such tools, or has used some before. */
export function hasFreeText(json: JsonObject): boolean {
  return (
    asObjects(json['tools']).some(isFreeText) ||
    asObjects(json['messages']).some((message) => asObjects(message['tool_calls']).some(isFreeText))
  );
}
