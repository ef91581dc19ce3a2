/** Responses requests into the form between the protocols: settings, tools and the choice among them. */
import {
  asBoolean,
  asCount,
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  type JsonObject,
} from '../json/fields.ts';
import { withoutRouting } from '../json/routing-metadata.ts';
import { cannotRead } from '../turn/refuse.ts';
import { efforts, type ResponseFormat, type TurnRequest } from '../turn/request.ts';
import { isWebSearch, type Tool, type ToolChoice, webSearchName } from '../turn/tools.ts';
import { logprobsPart } from './items.ts';
import { type CalledName, calledNameOf, joinName, namespacesIn, ungroup } from './namespaces.ts';
import { readConversation } from './read-messages.ts';

/** What only a provider that keeps responses can honour. */
const stateful: Readonly<Record<string, string>> = {
  previous_response_id: 'no response is kept for this model; send the whole conversation in input',
  conversation: 'no conversation is kept for this model; send the whole conversation in input',
  prompt: 'no prompts are kept for this model; send the text in instructions or input',
};

/** What only OpenAI's own protocols know, beside the verbosity. */
const openaiFields = [
  'service_tier',
  'store',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
] as const;

/** @throws AppError invalid_parameter for what the form does not know. */
export function readResponsesTurn(json: JsonObject): TurnRequest {
  for (const [name, reason] of Object.entries(stateful)) {
    if (json[name] != null) throw cannotRead(name, reason);
  }
  if (json['background'] === true) {
    throw cannotRead('background', 'this model answers while the caller waits; leave the field out');
  }
  const text = asObject(json['text']);
  const tools = readTools(json);
  return {
    ...readConversation(json),
    tools,
    toolChoice: readToolChoice(json['tool_choice'], tools),
    parallelToolUse: json['parallel_tool_calls'] !== false,
    maxOutputTokens: asCount(json['max_output_tokens']),
    stopSequences: [],
    sampling: { temperature: asNumber(json['temperature']), topP: asNumber(json['top_p']) },
    reasoning: readReasoning(asObject(json['reasoning'])),
    responseFormat: readFormat(asObject(text?.['format'])),
    logprobs: readLogprobsAsked(json),
    userId: asFilledText(json['user']),
    stream: json['stream'] === true,
    vendor: { openai: readOpenaiFields(json, text) },
  };
}

function readReasoning(reasoning: JsonObject | undefined): TurnRequest['reasoning'] {
  const effort = efforts.find((known) => known === reasoning?.['effort']);
  if (effort !== undefined) return { effort };
  // Who asks for summaries and leaves the effort to the model wants to be shown what it thinks.
  const summary = asFilledText(reasoning?.['summary'] ?? reasoning?.['generate_summary']);
  return summary === undefined || summary === 'none' ? undefined : { thinking: 'adaptive' };
}

function readFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format?.['type'] === 'json_object') return { type: 'json' };
  if (format?.['type'] !== 'json_schema') return undefined;
  const schema = asObject(format['schema']);
  if (schema === undefined) throw cannotRead('text.format', 'json_schema needs a schema');
  return {
    type: 'json_schema',
    schema,
    name: asText(format['name']),
    description: asText(format['description']),
    strict: asBoolean(format['strict']) ?? false,
  };
}

/** Asked for by either of two fields. */
function readLogprobsAsked(json: JsonObject): number | undefined {
  const top = asCount(json['top_logprobs']);
  if (asTexts(json['include']).includes(logprobsPart)) return top ?? 0;
  return top === 0 ? undefined : top;
}

function readOpenaiFields(json: JsonObject, text: JsonObject | undefined): JsonObject | undefined {
  const given: [string, unknown][] = openaiFields.map((name) => [name, json[name]]);
  given.push(['metadata', withoutRouting(json['metadata'])], ['verbosity', text?.['verbosity']]);
  const found = given.filter(([, value]) => value != null);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const noArguments: JsonObject = { type: 'object', properties: {} };

/** Those of the request, and those that came in the middle of the conversation. */
function readTools(json: JsonObject): readonly Tool[] {
  const mostCalls = asCount(json['max_tool_calls']);
  const tools = declaredTools(json).map(readTool);
  if (mostCalls === undefined) return tools;
  // What may never be called is not offered: no other protocol has a word for that.
  if (mostCalls === 0) return tools.filter((tool) => !isWebSearch(tool));
  return tools.map((tool) => (tool.kind === 'vendor' ? { ...tool, maxUses: mostCalls } : tool));
}

function declaredTools(json: JsonObject): readonly JsonObject[] {
  return groupedTools(json).flatMap(ungroup);
}

/** What the names of calls in the answer stand for. */
export const readNamespaces = (json: JsonObject): ReadonlyMap<string, CalledName> =>
  namespacesIn(groupedTools(json));

function groupedTools(json: JsonObject): readonly JsonObject[] {
  const later = asObjects(json['input']).filter((item) => item['type'] === 'additional_tools');
  return [...asObjects(json['tools']), ...later.flatMap((item) => asObjects(item['tools']))];
}

function readTool(tool: JsonObject): Tool {
  const type = asText(tool['type']) ?? '';
  switch (type) {
    case 'function':
      return {
        kind: 'function',
        name: nameOf(tool),
        description: asText(tool['description']),
        schema: asObject(tool['parameters']) ?? noArguments,
        strict: asBoolean(tool['strict']),
      };
    case 'custom':
      return {
        kind: 'custom',
        name: nameOf(tool),
        description: asText(tool['description']),
        format: readGrammar(asObject(tool['format'])),
      };
    default:
      return { kind: 'vendor', type, json: tool };
  }
}

/** The form has the shape of chat completions, where the terms of a grammar are an object of their own. */
function readGrammar(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] !== 'grammar') return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function readToolChoice(value: unknown, tools: readonly Tool[]): ToolChoice | undefined {
  if (value === 'none' || value === 'required') return { type: value };
  const choice = asObject(value);
  if (choice === undefined) return undefined;
  switch (choice['type']) {
    case 'function':
    case 'custom':
      return { type: 'tool', name: joinName({ ...calledNameOf(choice), name: nameOf(choice) }) };
    case 'allowed_tools':
      return {
        type: 'allowed',
        names: allowedNames(choice, tools),
        required: choice['mode'] === 'required',
      };
    default: {
      const type = String(choice['type']);
      const isSearch = isWebSearch({ kind: 'vendor', type, json: choice }) && tools.some(isWebSearch);
      if (isSearch) return { type: 'tool', name: webSearchName };
      throw cannotRead('tool_choice', `the type ${type} is not supported for this model`);
    }
  }
}

/** Of tools that a provider runs itself the search alone is known elsewhere: others are left out, as where they are declared. */
function allowedNames(choice: JsonObject, tools: readonly Tool[]): readonly string[] {
  const allowed = asObjects(choice['tools']).flatMap(ungroup);
  const names = allowed.flatMap((tool) => {
    const type = asText(tool['type']) ?? 'function';
    if (type === 'function' || type === 'custom') return [nameOf(tool)];
    return isWebSearch({ kind: 'vendor', type, json: tool }) && tools.some(isWebSearch)
      ? [webSearchName]
      : [];
  });
  if (names.length > 0 || allowed.length === 0) return names;
  throw cannotRead('tool_choice', 'none of the tools that it allows is supported for this model');
}

function nameOf(tool: JsonObject): string {
  const name = asText(tool['name']);
  if (name === undefined) throw cannotRead('tools', `a tool of the type ${String(tool['type'])} has no name`);
  return name;
}

/** Names of the free-text tools that a request declares, which upstreams without such tools are given as functions. */
export function customToolNames(json: JsonObject): ReadonlySet<string> {
  const custom = declaredTools(json).filter((tool) => tool['type'] === 'custom');
  return new Set(custom.flatMap((tool) => asText(tool['name']) ?? []));
}
