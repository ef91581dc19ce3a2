/** Tools and tool choice of Converse requests into the form. */
import { asBoolean, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';
import { readMarked } from './cache-point.ts';

export function readTools(tools: unknown): readonly Tool[] {
  return readMarked(asObjects(tools), readTool);
}

function readTool(tool: JsonObject): Tool {
  const system = asObject(tool['systemTool']);
  if (system !== undefined) return { kind: 'vendor', type: asText(system['name']) ?? '', json: tool };
  const spec = asObject(tool['toolSpec']);
  const name = asText(spec?.['name']);
  const schema = asObject(asObject(spec?.['inputSchema'])?.['json']);
  if (name === undefined || schema === undefined) {
    throw cannotRead('toolConfig.tools', 'a toolSpec needs a name and inputSchema.json');
  }
  return {
    kind: 'function',
    name,
    description: asText(spec?.['description']),
    schema,
    strict: asBoolean(spec?.['strict']),
  };
}

/** The API's own choice, or the one among Claude's fields. */
export function readToolChoice(
  choice: JsonObject | undefined,
  claudeChoice: JsonObject | undefined,
): ToolChoice | undefined {
  if (choice?.['any'] !== undefined || claudeChoice?.['type'] === 'any') return { type: 'required' };
  if (claudeChoice?.['type'] === 'none') return { type: 'none' };
  const named = asObject(choice?.['tool']) ?? (claudeChoice?.['type'] === 'tool' ? claudeChoice : undefined);
  if (named === undefined) return undefined;
  const name = asText(named['name']);
  if (name === undefined) throw cannotRead('toolConfig.toolChoice', 'the choice of a tool needs its name');
  return { type: 'tool', name };
}
