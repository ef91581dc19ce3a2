/** Tools and tool choice of the form in messages requests. */

import type { JsonObject } from '../json/fields.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { closeSchema, isClosable } from '../turn/schema.ts';
import type { FunctionTool } from '../turn/tools.ts';
import { writeCacheMark } from './cache-mark.ts';

/** The protocol cannot narrow a choice to some of the tools, so the others are left out. */
export function writeTools({ tools, toolChoice }: TurnRequest): readonly JsonObject[] {
  const allowed = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : null;
  return tools.map(asFunction).flatMap((tool) => {
    if (tool.kind === 'vendor') throw refuse(`the tool type ${tool.type}`, 'tools');
    return allowed === null || allowed.has(tool.name) ? [writeTool(tool)] : [];
  });
}

function writeTool({ name, description, schema, strict: asked, cache }: FunctionTool): JsonObject {
  const strict = asked === true && !isClosable(schema) ? undefined : asked;
  return {
    name,
    description,
    input_schema: strict === true ? closeSchema(schema) : asObjectSchema(schema),
    strict,
    cache_control: writeCacheMark(cache),
  };
}

/** The schema of the arguments must say that they are an object. */
function asObjectSchema(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
}

export function writeToolChoice({ toolChoice, parallelToolUse }: TurnRequest): JsonObject | undefined {
  const disable_parallel_tool_use = parallelToolUse ? undefined : true;
  switch (toolChoice?.type) {
    case undefined:
      return parallelToolUse ? undefined : { type: 'auto', disable_parallel_tool_use };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', disable_parallel_tool_use };
    case 'tool':
      return { type: 'tool', name: toolChoice.name, disable_parallel_tool_use };
    case 'allowed':
      return { type: toolChoice.required ? 'any' : 'auto', disable_parallel_tool_use };
  }
}
