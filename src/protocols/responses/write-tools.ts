/** Tools and tool choice of the form in Responses requests. */
import { writeParameters } from '../chat-completions/write-tools.ts';
import { asObject, type JsonObject } from '../json/fields.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { isStrictSchema } from '../turn/schema.ts';
import { customNames, type Tool } from '../turn/tools.ts';

/** Tools that the protocol's vendor runs itself, which callers of chat completions may name too. */
const hostedTools =
  /^(web_search|web_search_preview|file_search|code_interpreter|image_generation|mcp)(_\d{4}_\d\d_\d\d)?$/;

export function writeTool(tool: Tool): JsonObject {
  switch (tool.kind) {
    case 'vendor':
      if (!hostedTools.test(tool.type)) throw refuse(`the tool type ${tool.type}`, 'tools');
      return tool.json;
    case 'custom': {
      const { name, description } = tool;
      return { type: 'custom', name, description, format: writeFormat(tool.format) };
    }
    case 'function': {
      const { name, description, schema, strict } = tool;
      return {
        type: 'function',
        name,
        description,
        parameters: writeParameters(schema),
        // Left out it would mean: strict where the schema allows, which no other protocol means.
        strict: strict === true && isStrictSchema(schema),
      };
    }
  }
}

/** Here the terms of a grammar stand beside its type. */
function writeFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] !== 'grammar') return format;
  return { type: 'grammar', ...asObject(format['grammar']) };
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
      return {
        type: 'allowed_tools',
        mode: toolChoice.required ? 'required' : 'auto',
        tools: toolChoice.names.map((name) => writeNamed(name, custom)),
      };
    }
  }
}

function writeNamed(name: string, custom: ReadonlySet<string>): JsonObject {
  return { type: custom.has(name) ? 'custom' : 'function', name };
}
