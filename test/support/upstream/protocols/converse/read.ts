/** Reads a Converse request and refuses what the real host would refuse. */
import {
  isObject,
  type JsonObject,
  parseJson,
  readList,
  readNumber,
  readObject,
  readText,
} from '../../json.ts';
import type { Tool, Wish } from '../../turn/compose-turn.ts';
import type { ProtocolRequest } from '../protocol.ts';
import { unknownField } from '../strict-fields.ts';
import { refuse } from './problem.ts';
import { checkText } from './read-blocks.ts';
import { checkMessages, isThinking } from './read-messages.ts';

export interface ConverseRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly wish: Wish;
  /** Which sequence was met is told only where its path was asked for, and only by models that know it. */
  readonly tellsStopSequence: boolean;
}

const pathPattern = /\/model\/([^/]+)\/(converse|converse-stream)$/;
const knownFields = [
  ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'guardrailConfig', 'promptVariables'],
  ...['additionalModelRequestFields', 'additionalModelResponseFieldPaths', 'requestMetadata'],
  ...['performanceConfig', 'serviceTier', 'outputConfig'],
];
const configFields = ['maxTokens', 'stopSequences', 'temperature', 'topP'];

export function isConverse(method: string, path: string): boolean {
  return method === 'POST' && pathPattern.test(path);
}

export function readConverse({ path, body, bodyBytes }: ProtocolRequest): ConverseRequest {
  const [, model = '', verb] = pathPattern.exec(path) ?? [];
  if (!isObject(body)) throw refuse('The body is not a JSON object.');
  // The real host passes over strange members of the first level; who sends one has mistaken the protocol.
  demandKnown(body, knownFields, 'the request');
  checkSystem(body);
  checkMessages(body);
  const config = checkConfig(body);
  const tools = readTools(body);
  return {
    model: decodeURIComponent(model),
    stream: verb === 'converse-stream',
    tellsStopSequence:
      model.includes('claude') &&
      readList(body, 'additionalModelResponseFieldPaths').includes('/delta/stop_sequence'),
    wish: {
      limit: readNumber(config, 'maxTokens'),
      tools,
      toolChoice: readToolChoice(body, tools),
      parallelTools: !isSerial(body),
      stopSequences: readList(config, 'stopSequences').filter((stop) => typeof stop === 'string'),
      schema: readSchema(body),
      choices: 1,
      bodyBytes,
    },
  };
}

function demandKnown(object: JsonObject, known: readonly string[], place: string): void {
  const stranger = unknownField(object, known);
  if (stranger !== undefined) throw refuse(`${place}: the member ${stranger} is not known.`);
}

function checkSystem(body: JsonObject): void {
  for (const [index, block] of readList(body, 'system').entries()) {
    const at = `system.${index}`;
    demandKnown(isObject(block) ? block : {}, ['text', 'guardContent', 'cachePoint'], at);
    if (isObject(block) && 'text' in block) checkText(block, at);
    else if (!isObject(block)) throw refuse(`${at}: it is not an object.`);
  }
}

function checkConfig(body: JsonObject): JsonObject {
  const config = readObject(body, 'inferenceConfig');
  demandKnown(config, configFields, 'inferenceConfig');
  for (const [name, least, most] of [
    ['maxTokens', 1, 1_000_000],
    ['temperature', 0, 1],
    ['topP', 0, 1],
  ] as const) {
    const value = config[name];
    const isSound = value === undefined || (typeof value === 'number' && value >= least && value <= most);
    if (!isSound) throw refuse(`inferenceConfig.${name}: it takes a number from ${least} to ${most}.`);
  }
  if (isThinking(body)) checkThinkingConfig(body, config);
  return config;
}

function checkThinkingConfig(body: JsonObject, config: JsonObject): void {
  const fields = readObject(body, 'additionalModelRequestFields');
  const budget = readNumber(readObject(fields, 'thinking'), 'budget_tokens') ?? 0;
  if (budget >= (readNumber(config, 'maxTokens') ?? Number.POSITIVE_INFINITY)) {
    throw refuse('inferenceConfig.maxTokens: the thinking budget is not below it.');
  }
  if ((config['temperature'] ?? 1) !== 1)
    throw refuse('inferenceConfig.temperature: while thinking it is 1.');
  const choice = readObject(readObject(body, 'toolConfig'), 'toolChoice');
  if ('any' in choice || 'tool' in choice) {
    throw refuse('toolConfig.toolChoice: thinking and a forced tool exclude each other.');
  }
}

function readTools(body: JsonObject): Tool[] {
  const config = readObject(body, 'toolConfig');
  if (body['toolConfig'] !== undefined && readList(config, 'tools').length === 0) {
    throw refuse('toolConfig.tools: at least one is needed.');
  }
  return readList(config, 'tools').flatMap((tool, index) => {
    if (isObject(tool) && ('cachePoint' in tool || 'systemTool' in tool)) return [];
    const at = `toolConfig.tools.${index}.toolSpec`;
    const spec = readObject(tool, 'toolSpec');
    demandKnown(spec, ['name', 'description', 'inputSchema', 'strict'], at);
    const name = readText(spec, 'name') ?? '';
    if (!/^[\w-]{1,64}$/.test(name)) throw refuse(`${at}.name: "${name}" is no name of a tool.`);
    if (spec['description'] === '') throw refuse(`${at}.description: it is empty.`);
    const parameters = readObject(spec, 'inputSchema')['json'];
    if (readText(parameters, 'type') !== 'object')
      throw refuse(`${at}.inputSchema.json.type: it must be object.`);
    return [{ name, parameters }];
  });
}

function readToolChoice(body: JsonObject, tools: readonly Tool[]): Wish['toolChoice'] {
  const choice = readObject(body, 'toolConfig')['toolChoice'];
  if (!isObject(choice)) return 'auto';
  demandKnown(choice, ['auto', 'any', 'tool'], 'toolConfig.toolChoice');
  const name = readText(readObject(choice, 'tool'), 'name');
  if (name !== undefined && !tools.some((tool) => tool.name === name)) {
    throw refuse(`toolConfig.toolChoice.tool: there is no tool ${name}.`);
  }
  if (name !== undefined) return { name };
  return 'any' in choice ? 'required' : 'auto';
}

/** Only the model's own field can forbid calls side by side. */
function isSerial(body: JsonObject): boolean {
  const choice = readObject(readObject(body, 'additionalModelRequestFields'), 'tool_choice');
  return choice['disable_parallel_tool_use'] === true;
}

function readSchema(body: JsonObject): unknown {
  const format = readObject(readObject(body, 'outputConfig'), 'textFormat');
  const schema = readObject(readObject(format, 'structure'), 'jsonSchema')['schema'];
  if (schema === undefined) return undefined;
  const parsed = typeof schema === 'string' ? parseJson(schema) : undefined;
  if (isObject(parsed)) return parsed;
  throw refuse('outputConfig.textFormat.structure.jsonSchema.schema: it is not the text of a schema.');
}
