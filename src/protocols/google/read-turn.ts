/** generateContent requests into the form between the protocols. */
import { asCount, asNumber, asObject, asText, asTexts, type JsonObject } from '../json/fields.ts';
import {
  efforts,
  type Reasoning,
  type ResponseFormat,
  type Sampling,
  type TurnRequest,
} from '../turn/request.ts';
import { readMessages, readSystem } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import { readSchema } from './schema.ts';

/**
 * The body alone does not say whether the answer is to be streamed.
 * @throws AppError invalid_parameter for what the form does not know.
 */
export function readGoogleTurn(json: JsonObject): TurnRequest {
  const config = asObject(json['generationConfig']) ?? {};
  const choices = asCount(config['candidateCount']) ?? 1;
  return {
    system: readSystem(json['systemInstruction']),
    messages: readMessages(json['contents']),
    tools: readTools(json['tools'], json['toolConfig']),
    toolChoice: readToolChoice(json['toolConfig']),
    parallelToolUse: true,
    maxOutputTokens: asCount(config['maxOutputTokens']),
    stopSequences: asTexts(config['stopSequences']),
    sampling: readSampling(config),
    reasoning: readReasoning(asObject(config['thinkingConfig'])),
    responseFormat: readFormat(config),
    choices: choices > 1 ? choices : undefined,
    logprobs: config['responseLogprobs'] === true ? (asCount(config['logprobs']) ?? 0) : undefined,
    stream: false,
    vendor: {},
  };
}

function readSampling(config: JsonObject): Sampling {
  return {
    temperature: asNumber(config['temperature']),
    topP: asNumber(config['topP']),
    topK: asCount(config['topK']),
    seed: asNumber(config['seed']),
    frequencyPenalty: asNumber(config['frequencyPenalty']),
    presencePenalty: asNumber(config['presencePenalty']),
  };
}

/** No budget is none at all, a negative one is as much as the model finds right. */
function readReasoning(config: JsonObject | undefined): Reasoning | undefined {
  const level = asText(config?.['thinkingLevel'])?.toLowerCase();
  const effort = efforts.find((known) => known === level);
  const budget = asNumber(config?.['thinkingBudget']);
  if (budget === 0) return { effort, thinking: 'off' };
  if (budget !== undefined && budget > 0) return { effort, thinking: 'on', budgetTokens: budget };
  const isShown = config?.['includeThoughts'] === true || budget !== undefined;
  if (effort === undefined && !isShown) return undefined;
  return { effort, thinking: isShown ? 'adaptive' : undefined };
}

/** What is asked for here is always enforced. */
function readFormat(config: JsonObject): ResponseFormat | undefined {
  if (config['responseMimeType'] !== 'application/json') return undefined;
  const schema = readSchema(config, { json: 'responseJsonSchema', old: 'responseSchema' });
  return schema === undefined ? { type: 'json' } : { type: 'json_schema', schema, strict: true };
}
