/** Tools and tool choice of Responses requests into the form. */
import { asBoolean, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';
import { type CalledName, calledNameOf, joinName, namespacesIn, ungroup } from './namespaces.ts';

const noArguments: JsonObject = { type: 'object', properties: {} };

/** Those of the request, and those that came in the middle of the conversation. */
export function readTools(json: JsonObject): readonly Tool[] {
  return declaredTools(json).map(readTool);
}

export function declaredTools(json: JsonObject): readonly JsonObject[] {
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
        format: readFormat(asObject(tool['format'])),
      };
    default:
      return { kind: 'vendor', type, json: tool };
  }
}

/** The form has the shape of chat completions, where the terms of a grammar are an object of their own. */
function readFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] !== 'grammar') return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

export function readToolChoice(value: unknown): ToolChoice | undefined {
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
        names: asObjects(choice['tools']).flatMap(ungroup).map(nameOf),
        required: choice['mode'] === 'required',
      };
    default:
      throw cannotRead('tool_choice', `the type ${String(choice['type'])} is not supported for this model`);
  }
}

function nameOf(tool: JsonObject): string {
  const name = asText(tool['name']);
  if (name === undefined) throw cannotRead('tools', `a tool of the type ${String(tool['type'])} has no name`);
  return name;
}
