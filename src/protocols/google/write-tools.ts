/** Tools and tool choice of the form in generateContent requests. */

import type { JsonObject } from '../json/fields.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import type { FunctionTool, Tool } from '../turn/tools.ts';

/** What the vendor runs itself, by the name of the member that holds its settings. */
const vendorTools: ReadonlySet<string> = new Set([
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'codeExecution',
  'urlContext',
  'fileSearch',
  'computerUse',
]);

export function writeTools(tools: readonly Tool[]): readonly JsonObject[] | undefined {
  const functions: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const tool of tools.map(asFunction)) {
    if (tool.kind === 'function') functions.push(writeFunction(tool));
    else if (vendorTools.has(tool.type)) others.push({ [tool.type]: tool.json[tool.type] ?? {} });
    else throw refuse(`the tool type ${tool.type}`, 'tools');
  }
  if (functions.length > 0) others.unshift({ functionDeclarations: functions });
  return others.length === 0 ? undefined : others;
}

/** The schema of the arguments must say that they are an object. */
function writeFunction({ name, description, schema }: FunctionTool): JsonObject {
  const parametersJsonSchema = schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
  return { name, description, parametersJsonSchema };
}

export function writeToolConfig(turn: TurnRequest): JsonObject | undefined {
  const functionCallingConfig = writeCalling(turn);
  return functionCallingConfig === undefined ? undefined : { functionCallingConfig };
}

/** Only one mode leaves the model free and yet holds it to schemas and names. */
function writeCalling({ toolChoice, tools }: TurnRequest): JsonObject | undefined {
  switch (toolChoice?.type) {
    case undefined: {
      const isStrict = tools.some((tool) => tool.kind === 'function' && tool.strict === true);
      return isStrict ? { mode: 'VALIDATED' } : undefined;
    }
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] };
    case 'allowed':
      return { mode: toolChoice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: toolChoice.names };
  }
}
