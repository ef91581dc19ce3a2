/** Tools and tool choice of generateContent requests into the form. */
import { asFilledText, asObject, asObjects, asText, asTexts, type JsonObject } from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { FunctionTool, Tool, ToolChoice } from '../turn/tools.ts';
import { readSchema } from './schema.ts';

const noArguments: JsonObject = { type: 'object', properties: {} };

export function readTools(value: unknown, toolConfig: unknown): readonly Tool[] {
  const { mode, names } = readCalling(toolConfig);
  const strict = mode === 'VALIDATED' && names.length === 0 ? true : undefined;
  return asObjects(value).flatMap((tool) =>
    Object.entries(tool).flatMap(([type, json]): readonly Tool[] => {
      if (type !== 'functionDeclarations') return [{ kind: 'vendor', type, json: { [type]: json } }];
      return asObjects(json).map((declared) => readFunction(declared, strict));
    }),
  );
}

function readFunction(declared: JsonObject, strict: true | undefined): FunctionTool {
  const name = asFilledText(declared['name']);
  if (name === undefined) throw cannotRead('tools', 'a function has no name');
  return {
    kind: 'function',
    name,
    description: asText(declared['description']),
    schema: readSchema(declared, { json: 'parametersJsonSchema', old: 'parameters' }) ?? noArguments,
    strict,
  };
}

export function readToolChoice(toolConfig: unknown): ToolChoice | undefined {
  const { mode, names } = readCalling(toolConfig);
  const [only] = names;
  switch (mode) {
    case 'NONE':
      return { type: 'none' };
    case 'ANY':
      if (only === undefined) return { type: 'required' };
      return names.length === 1 ? { type: 'tool', name: only } : { type: 'allowed', names, required: true };
    default:
      return only === undefined ? undefined : { type: 'allowed', names, required: false };
  }
}

function readCalling(toolConfig: unknown): { mode: string | undefined; names: readonly string[] } {
  const config = asObject(asObject(toolConfig)?.['functionCallingConfig']);
  return { mode: asText(config?.['mode']), names: asTexts(config?.['allowedFunctionNames']) };
}
