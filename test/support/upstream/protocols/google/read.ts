/** Reads a request for content and refuses what the real host would refuse. */
import { isObject, type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import type { Tool, Wish } from '../../turn/compose-turn.ts';
import type { ProtocolRequest } from '../protocol.ts';
import { checkContents } from './contents.ts';
import { demandKnown, requestMembers } from './known-fields.ts';
import { readPath } from './path.ts';
import { refuse } from './problem.ts';

export interface GoogleRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Without it a stream is one JSON list. */
  readonly asEvents: boolean;
  readonly showsThoughts: boolean;
  readonly wish: Wish;
}

const mostStops = 5;

export function readGoogle({ path, query, body, bodyBytes }: ProtocolRequest): GoogleRequest {
  const { model, verb } = readPath(path) ?? { model: '', verb: '' };
  const checked = checkBody(body, model);
  const config = readObject(checked, 'generationConfig');
  const thinking = readObject(config, 'thinkingConfig');
  if (thinking['thinkingBudget'] !== undefined && thinking['thinkingLevel'] !== undefined) {
    throw refuse('generationConfig.thinkingConfig: a budget and a level exclude each other.');
  }
  const tools = readTools(checked);
  return {
    model,
    stream: verb === 'streamGenerateContent',
    asEvents: new URLSearchParams(query).get('alt') === 'sse',
    showsThoughts: thinking['includeThoughts'] === true,
    wish: {
      limit: readNumber(config, 'maxOutputTokens'),
      tools,
      toolChoice: readToolChoice(checked, tools),
      parallelTools: true,
      stopSequences: readStops(config),
      schema: readSchema(config),
      choices: readNumber(config, 'candidateCount') ?? 1,
      bodyBytes,
    },
  };
}

export function checkBody(body: unknown, model: string): JsonObject {
  if (!isObject(body)) throw refuse('The body is not a JSON object.');
  demandKnown(body, requestMembers, '');
  checkContents(body, model);
  const config = readObject(body, 'generationConfig');
  demandRange(config, 'maxOutputTokens', 1, 1_000_000);
  demandRange(config, 'candidateCount', 1, 8);
  demandRange(config, 'temperature', 0, 2);
  demandRange(config, 'topP', 0, 1);
  return body;
}

function demandRange(config: JsonObject, name: string, least: number, most: number): void {
  const value = config[name];
  if (value === undefined) return;
  if (typeof value !== 'number' || value < least || value > most) {
    throw refuse(`generationConfig.${name}: it takes a number from ${least} to ${most}.`);
  }
}

function readStops(config: JsonObject): string[] {
  const stops = readList(config, 'stopSequences').filter((stop) => typeof stop === 'string');
  if (stops.length > mostStops)
    throw refuse(`generationConfig.stopSequences: at most ${mostStops} are taken.`);
  return stops;
}

function readTools(body: JsonObject): Tool[] {
  return readList(body, 'tools').flatMap((tool) =>
    readList(tool, 'functionDeclarations').map((declared, index) => {
      const name = readText(declared, 'name') ?? '';
      if (!/^[A-Za-z_][\w.:-]{0,127}$/.test(name)) {
        throw refuse(`tools.functionDeclarations[${index}].name: "${name}" is no name of a function.`);
      }
      const own = isObject(declared)
        ? (declared['parametersJsonSchema'] ?? declared['parameters'])
        : undefined;
      return { name, parameters: withPlainTypes(own ?? { type: 'object' }) };
    }),
  );
}

function readToolChoice(body: JsonObject, tools: readonly Tool[]): Wish['toolChoice'] {
  const config = readObject(readObject(body, 'toolConfig'), 'functionCallingConfig');
  const names = readList(config, 'allowedFunctionNames').filter((name) => typeof name === 'string');
  const mode = readText(config, 'mode') ?? 'AUTO';
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw refuse('toolConfig.functionCallingConfig: names are allowed in mode ANY only.');
  }
  const stranger = names.find((name) => !tools.some((tool) => tool.name === name));
  if (stranger !== undefined)
    throw refuse(`toolConfig.functionCallingConfig: there is no function ${stranger}.`);
  const [name] = names;
  if (mode === 'ANY') return names.length === 1 && name !== undefined ? { name } : 'required';
  return mode === 'NONE' ? 'none' : 'auto';
}

function readSchema(config: JsonObject): unknown {
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  const isJson = config['responseMimeType'] === 'application/json';
  if (schema === undefined && isJson) {
    return { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
  }
  if (schema !== undefined && !isJson) {
    throw refuse('generationConfig.responseMimeType: a schema needs application/json.');
  }
  return withPlainTypes(schema);
}

/** The host's own schemas name their types in capitals. */
function withPlainTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPlainTypes);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) =>
      name === 'type' && typeof value === 'string'
        ? [name, value.toLowerCase()]
        : [name, withPlainTypes(value)],
    ),
  );
}
