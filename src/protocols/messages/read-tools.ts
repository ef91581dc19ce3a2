/** Tools and tool choice of messages requests into the form. */
import { asBoolean, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';
import { readCacheMark } from './cache-mark.ts';

export function readTools(value: unknown): readonly Tool[] {
  return asObjects(value).map(readTool);
}

/** A tool with a type of its own is one that the vendor defines. */
function readTool(tool: JsonObject): Tool {
  const type = asText(tool['type']);
  if (type !== undefined && type !== 'custom') return { kind: 'vendor', type, json: tool };
  const name = asText(tool['name']);
  const schema = asObject(tool['input_schema']);
  if (name === undefined || schema === undefined) {
    throw cannotRead('tools', 'a tool needs a name and an input_schema');
  }
  return {
    kind: 'function',
    name,
    description: asText(tool['description']),
    schema,
    strict: asBoolean(tool['strict']),
    cache: readCacheMark(tool),
  };
}

export function readToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.['type']) {
    case 'none':
      return { type: 'none' };
    case 'any':
      return { type: 'required' };
    case 'tool': {
      const name = asText(choice['name']);
      if (name === undefined) throw cannotRead('tool_choice', 'the type tool needs a name');
      return { type: 'tool', name };
    }
    default:
      return undefined;
  }
}
