/** This file writes generateContent requests: settings, thinking and tools. Model and streaming go into the URL. */
import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { refuse, refuseDomains } from '../turn/refuse.ts';
import {
  type Effort,
  effortOfBudget,
  mostForThinking,
  type ResponseFormat,
  type Sampling,
  type TurnRequest,
  withinBound,
} from '../turn/request.ts';
import { askForJson, askForSchema } from '../turn/schema.ts';
import { type FunctionTool, isWebSearch, readSearchBounds, type SearchTool } from '../turn/tools.ts';
import { type GeminiModel, readGeminiModel, type Thinking, type ThinkingLevel } from './models.ts';
import { writeConversation } from './write-messages.ts';

/** Above them the answer is cut here. */
export const mostStopSequences = 5;

/** @throws AppError invalid_parameter for what the protocol cannot hold. */
export function writeGoogleTurn(asked: TurnRequest, model: UpstreamModel): string {
  const gemini = readGeminiModel(model.id);
  const turn = withFormatInWords(withinBound(asked, model), gemini);
  const tools = writeTools(turn);
  const generationConfig = writeConfig(turn, model, gemini);
  return JSON.stringify({
    ...writeConversation(turn, gemini),
    tools,
    toolConfig: writeToolConfig(turn),
    generationConfig: Object.values(generationConfig).some((value) => value !== undefined)
      ? generationConfig
      : undefined,
  });
}

/** Older models refuse a format beside tools of any kind. */
function withFormatInWords(turn: TurnRequest, { formatBesideTools }: GeminiModel): TurnRequest {
  const { responseFormat: format, tools } = turn;
  if (format === undefined || tools.length === 0 || formatBesideTools) return turn;
  const asked = format.type === 'json' ? askForJson(turn) : askForSchema(turn, format.schema);
  return { ...asked, responseFormat: undefined };
}

function writeConfig(turn: TurnRequest, model: UpstreamModel, gemini: GeminiModel): JsonObject {
  const { stopSequences } = turn;
  const logprobs = gemini.logprobs ? turn.logprobs : undefined;
  if (stopSequences.length > mostStopSequences && turn.choices !== undefined) {
    throw refuse(`more than ${mostStopSequences} stop sequences`, 'stop');
  }
  return {
    ...writeSampling(turn.sampling, gemini),
    maxOutputTokens: turn.maxOutputTokens,
    stopSequences: stopSequences.length > 0 ? stopSequences.slice(0, mostStopSequences) : undefined,
    candidateCount: turn.choices,
    ...writeFormat(turn.responseFormat),
    responseLogprobs: logprobs === undefined ? undefined : true,
    logprobs: logprobs === 0 ? undefined : logprobs,
    thinkingConfig: model.reasons === false ? undefined : writeReasoning(turn, gemini.thinking),
  };
}

function writeSampling(sampling: Sampling, { penalties }: GeminiModel): JsonObject {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty } = sampling;
  return {
    temperature,
    topP,
    topK,
    // The field has 32 bits. A longer seed is folded into them, so that the same seed still gives the same answer.
    seed: seed === undefined ? undefined : seed | 0,
    ...(penalties ? { presencePenalty, frequencyPenalty } : {}),
  };
}

function writeFormat(format: ResponseFormat | undefined): JsonObject {
  if (format === undefined) return {};
  const responseMimeType = 'application/json';
  return format.type === 'json'
    ? { responseMimeType }
    : { responseMimeType, responseJsonSchema: format.schema };
}

/** The budget that stands for an effort, where a model is told a budget and the request names an effort. */
const budgetByEffort = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
} as const satisfies Record<Exclude<Effort, 'none'>, number>;

/** Whoever asks for thinking is shown the thoughts. A request never holds both a level and a budget: Google refuses it. */
function writeReasoning(
  { reasoning, maxOutputTokens: bound }: TurnRequest,
  told: Thinking,
): JsonObject | undefined {
  if (reasoning === undefined || told.by === 'none') return undefined;
  const { effort, thinking, budgetTokens } = reasoning;
  const isOff = thinking === 'off' || effort === 'none';
  if (told.by === 'level') {
    if (isOff) return writeLevel('minimal', told.levels);
    const wanted = effort ?? effortOfBudget(budgetTokens);
    const level = wanted === undefined ? {} : writeLevel(wanted, told.levels);
    return { ...level, includeThoughts: true };
  }
  const { least, canBeOff } = told;
  const most = Math.min(told.most, mostForThinking(bound, budgetTokens));
  // A model that cannot be switched off thinks the least that it can.
  if (isOff) return { thinkingBudget: canBeOff ? 0 : least };
  const wanted = budgetTokens ?? (effort === undefined ? undefined : budgetByEffort[effort]);
  // Minus one leaves it to the model how much to think.
  const thinkingBudget = wanted === undefined ? -1 : Math.max(least, Math.min(most, wanted));
  return { thinkingBudget, includeThoughts: true };
}

const order = ['minimal', 'low', 'medium', 'high'] as const satisfies readonly ThinkingLevel[];

/** The level itself, or the next higher one that the model has. */
function writeLevel(effort: Exclude<Effort, 'none'>, levels: readonly ThinkingLevel[]): JsonObject {
  const wanted = effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  const fitting = order.slice(order.indexOf(wanted)).find((level) => levels.includes(level)) ?? 'high';
  return { thinkingLevel: fitting.toUpperCase() };
}

/** The tools that Google itself runs, by the name of the member that holds their settings. */
const vendorTools: ReadonlySet<string> = new Set([
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'codeExecution',
  'urlContext',
  'fileSearch',
  'computerUse',
]);

/**
 * Models before 3 refuse functions beside tools that Google runs. The later ones take them, but only when the traces of
 * those tools go back with the next request (https://ai.google.dev/gemini-api/docs/generate-content/tool-combination),
 * which no other protocol could bring back.
 */
function writeTools({ tools, toolChoice }: TurnRequest): readonly JsonObject[] | undefined {
  const functions: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const tool of tools.map(asFunction)) {
    if (tool.kind === 'function') functions.push(writeFunction(tool));
    else if (vendorTools.has(tool.type)) others.push({ [tool.type]: tool.json[tool.type] ?? {} });
    else if (isWebSearch(tool)) others.push(writeSearch(tool));
    else throw refuse(`the tool type ${tool.type}`, 'tools');
  }
  if (functions.length > 0 && others.length > 0) {
    throw refuse('functions beside tools that Google runs itself, such as its search', 'tools');
  }
  if (functions.length > 0) return [{ functionDeclarations: functions }];
  // The only way to say that what Google runs itself may not be used.
  return others.length === 0 || toolChoice?.type === 'none' ? undefined : others;
}

function writeSearch(tool: SearchTool): JsonObject {
  const { allowedDomains, blockedDomains } = readSearchBounds(tool);
  if (allowedDomains !== undefined || blockedDomains !== undefined) throw refuseDomains();
  return { googleSearch: {} };
}

/** The schema of the arguments must say that they are an object. */
function writeFunction({ name, description, schema }: FunctionTool): JsonObject {
  const parametersJsonSchema = schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
  return { name, description, parametersJsonSchema };
}

/** It is refused where no function is declared: the model alone decides whether to use what Google runs itself. */
function writeToolConfig(turn: TurnRequest): JsonObject | undefined {
  if (turn.tools.every((tool) => tool.kind === 'vendor')) return undefined;
  const functionCallingConfig = writeCalling(turn);
  return functionCallingConfig === undefined ? undefined : { functionCallingConfig };
}

/** `VALIDATED` is the one mode that leaves the model free to call or not, and yet holds it to schemas and names. */
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
