/** Tools and tool choice of the form in chat completion requests. */

import type { JsonObject } from '../json/fields.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { isStrictSchema } from '../turn/schema.ts';
import type { Tool } from '../turn/tools.ts';
import { writeCacheMark } from './cache-mark.ts';
import type { ChatDialect } from './dialect.ts';
import { fitToolChoice } from './fit-tool-choice.ts';
import { writeParameters } from './write-schema.ts';

/** The tools of a request and the choice among them; nothing when there are none. */
export function writeToolFields(turn: TurnRequest, dialect: ChatDialect): JsonObject {
  if (turn.tools.length === 0) return {};
  if (!dialect.tools) throw refuse('tools', 'tools');
  const fitted = fitToolChoice(turn, dialect);
  if (fitted.tools.length === 0) return {};
  return {
    tools: writeTools(fitted.tools, dialect),
    tool_choice: writeToolChoice(fitted),
    parallel_tool_calls: dialect.parallelToolCalls && !turn.parallelToolUse ? false : undefined,
  };
}

export function writeTools(tools: readonly Tool[], dialect: ChatDialect): readonly JsonObject[] {
  return tools.map((tool) => writeTool(tool, dialect));
}

function writeTool(tool: Tool, dialect: ChatDialect): JsonObject {
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
          parameters: writeParameters(schema),
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
      return writeNamed(toolChoice.name, tools);
    case 'allowed': {
      const allowed = toolChoice.names.map((name) => writeNamed(name, tools));
      const mode = toolChoice.required ? 'required' : 'auto';
      return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
    }
  }
}

function writeNamed(name: string, tools: readonly Tool[]): JsonObject {
  const isCustom = tools.some((tool) => tool.kind === 'custom' && tool.name === name);
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}
