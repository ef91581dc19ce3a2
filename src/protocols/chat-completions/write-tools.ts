/** Tools of the form in chat completion requests: the choice among them, and their schemas as OpenAI takes them. */
import { asObject, isJsonObject, type JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { writeCacheMark } from '../turn/cache-mark.ts';
import { namesNoTool, refuse, refuseDomains } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { withPlainRoot } from '../turn/root-schema.ts';
import { isStrictSchema } from '../turn/schema.ts';
import {
  allowsNone,
  choiceAmong,
  chosenTool,
  customNames,
  isWebSearch,
  readSearchBounds,
  type SearchTool,
  type Tool,
} from '../turn/tools.ts';
import { type ChatDialect, openaiDialect } from './dialect.ts';
import { refusesRootAlternatives } from './models.ts';

/** The tools of a request and the choice among them; nothing when there are none. */
export function writeToolFields(asked: TurnRequest, model: UpstreamModel, dialect: ChatDialect): JsonObject {
  const { id } = model;
  const search = dialect.webSearch?.test(id) === true ? asked.tools.find(isWebSearch) : undefined;
  const web_search_options = search === undefined ? undefined : writeWebSearch(search);
  const turn = search === undefined ? asked : withoutSearch(asked);
  if (turn.tools.length === 0) return { web_search_options };
  const fitted = fitToolChoice(turn, dialect);
  if (fitted.tools.length === 0) return { web_search_options };
  return {
    web_search_options,
    tools: writeTools(fitted.tools, model, dialect),
    tool_choice: writeToolChoice(fitted),
    parallel_tool_calls: dialect.parallelToolCalls && !turn.parallelToolUse ? false : undefined,
  };
}

/** Models that search do so without being told to. */
function withoutSearch(turn: TurnRequest): TurnRequest {
  const { toolChoice } = turn;
  const tools = turn.tools.filter((tool) => !isWebSearch(tool));
  const chosen = chosenTool(turn.tools, toolChoice);
  const left = choiceAmong(toolChoice, tools);
  // The search alone is allowed, and no other tool is offered beside it.
  if (allowsNone(left)) return { ...turn, tools: [], toolChoice: undefined };
  const isChosen = chosen !== undefined && isWebSearch(chosen);
  return { ...turn, tools, toolChoice: isChosen ? undefined : left };
}

function writeWebSearch(tool: SearchTool): JsonObject {
  const { userLocation, allowedDomains, blockedDomains } = readSearchBounds(tool);
  if (allowedDomains !== undefined || blockedDomains !== undefined) throw refuseDomains();
  const { type, ...place } = asObject(userLocation) ?? {};
  return {
    search_context_size: tool.json['search_context_size'],
    user_location: type === undefined ? undefined : { type, approximate: place },
  };
}

export function writeTools(
  tools: readonly Tool[],
  { id }: UpstreamModel,
  dialect: ChatDialect,
): readonly JsonObject[] {
  // What a deployment of OpenAI's own is called may tell nothing of its model.
  const writeSchemaOf =
    dialect === openaiDialect || refusesRootAlternatives(id) ? writeParameters : writeObject;
  return tools.map((tool) => writeTool(tool, dialect, writeSchemaOf));
}

function writeTool(
  tool: Tool,
  dialect: ChatDialect,
  writeSchemaOf: (schema: JsonObject) => JsonObject,
): JsonObject {
  switch (tool.kind) {
    case 'vendor':
      throw refuse(`the tool type ${tool.type}`, 'tools');
    case 'custom':
      return {
        type: 'custom',
        custom: { name: tool.name, description: tool.description, format: tool.format },
      };
    case 'function': {
      const { name, description, schema } = tool;
      const strict = tool.strict && isStrictSchema(schema);
      return {
        type: 'function',
        function: {
          name,
          description,
          parameters: writeSchemaOf(schema),
          strict: dialect.strictTools ? strict : undefined,
        },
        cache_control: dialect.cacheMarks ? writeCacheMark(tool.cache) : undefined,
      };
    }
  }
}

export function writeToolChoice({ toolChoice, tools }: TurnRequest): JsonObject | string | undefined {
  switch (toolChoice?.type) {
    case undefined:
      return undefined;
    case 'none':
    case 'required':
      return toolChoice.type;
    case 'tool':
      return writeNamed(toolChoice.name, customNames(tools));
    case 'allowed': {
      const custom = customNames(tools);
      const allowed = toolChoice.names.map((name) => writeNamed(name, custom));
      const mode = toolChoice.required ? 'required' : 'auto';
      return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
    }
  }
}

function writeNamed(name: string, custom: ReadonlySet<string>): JsonObject {
  return custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}

/**
 * A tool choice that the host does not know is said by leaving out the tools that may not be used.
 * @throws AppError invalid_parameter when the host cannot be told that a tool must be used.
 */
function fitToolChoice(turn: TurnRequest, dialect: ChatDialect): TurnRequest {
  const { toolChoice } = turn;
  if (toolChoice === undefined || dialect.toolChoices.includes(toolChoice.type)) return turn;
  switch (toolChoice.type) {
    case 'none':
      return { ...turn, tools: [], toolChoice: undefined };
    case 'required':
      throw refuse('a request in which a tool must be used', 'tool_choice');
    case 'tool':
      return narrow(turn, [toolChoice.name], { required: true, dialect });
    case 'allowed':
      return narrow(turn, toolChoice.names, { required: toolChoice.required, dialect });
  }
}

function narrow(
  turn: TurnRequest,
  names: readonly string[],
  { required, dialect }: { required: boolean; dialect: ChatDialect },
): TurnRequest {
  const allowed = new Set(names);
  const tools = turn.tools.filter((tool) => tool.kind !== 'vendor' && allowed.has(tool.name));
  if (tools.length === 0) throw namesNoTool();
  const narrowed: TurnRequest = {
    ...turn,
    tools,
    toolChoice: required ? { type: 'required' } : undefined,
  };
  return fitToolChoice(narrowed, dialect);
}

/** Of a tool's arguments, which are an object, for a vendor that refuses alternatives at their root. */
export function writeParameters(schema: JsonObject): JsonObject {
  return writeObject(withPlainRoot(schema, 'openai'));
}

const writeObject = (schema: JsonObject): JsonObject =>
  writeSchema('type' in schema ? schema : { ...schema, type: 'object' });

/** Of an answer. A schema that describes nothing but an object need not have said so. */
export function writeAnswerSchema(schema: JsonObject): JsonObject {
  return alternatives.some((name) => name in schema) ? writeSchema(schema) : writeObject(schema);
}

const alternatives = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'] as const;

const mapsOfSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);
const schemaPlaces: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'allOf',
  'oneOf',
  'not',
]);

/** OpenAI refuses objects without properties and lists without items. */
function writeSchema(schema: JsonObject): JsonObject {
  const written = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, writeMember(name, value)]),
  );
  const types: readonly unknown[] = [schema['type']].flat();
  return {
    ...written,
    ...(types.includes('object') && !isJsonObject(schema['properties']) ? { properties: {} } : {}),
    ...(types.includes('array') && schema['items'] === undefined ? { items: {} } : {}),
  };
}

function writeMember(name: string, value: unknown): unknown {
  if (schemaPlaces.has(name)) return writeAny(value);
  if (!mapsOfSchemas.has(name) || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, writeAny(schema)]));
}

function writeAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(writeAny);
  return isJsonObject(schema) ? writeSchema(schema) : schema;
}
