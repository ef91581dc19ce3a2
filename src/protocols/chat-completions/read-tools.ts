/** Tools and tool choice of chat completion requests into the form. */
import { asBoolean, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';
import { readCacheMark } from './cache-mark.ts';

const noArguments: JsonObject = { type: 'object', properties: {} };

export function readTools(value: unknown): readonly Tool[] {
  return asObjects(value).map(readTool);
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
    cache: readCacheMark(tool),
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

export function readToolChoice(value: unknown): ToolChoice | undefined {
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
