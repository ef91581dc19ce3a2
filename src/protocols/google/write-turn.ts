/** Requests of the form as generateContent requests. Model and streaming go into the URL. */

import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { withinBound } from '../turn/output-bound.ts';
import { refuse } from '../turn/refuse.ts';
import type { ResponseFormat, Sampling, TurnRequest } from '../turn/request.ts';
import { type GeminiModel, readGeminiModel } from './gemini-model.ts';
import { writeConversation } from './write-messages.ts';
import { writeReasoning } from './write-reasoning.ts';
import { writeToolConfig, writeTools } from './write-tools.ts';

const mostStopSequences = 5;

/** @throws AppError invalid_parameter for what the protocol cannot hold. */
export function writeGoogleTurn(asked: TurnRequest, model: UpstreamModel): string {
  const turn = withinBound(asked, model);
  const gemini = readGeminiModel(model.id);
  const tools = writeTools(turn.tools);
  const generationConfig = writeConfig(turn, model, gemini);
  return JSON.stringify({
    ...writeConversation(turn, gemini),
    tools,
    toolConfig: tools === undefined ? undefined : writeToolConfig(turn),
    generationConfig: Object.values(generationConfig).some((value) => value !== undefined)
      ? generationConfig
      : undefined,
  });
}

function writeConfig(turn: TurnRequest, model: UpstreamModel, gemini: GeminiModel): JsonObject {
  const { stopSequences, logprobs } = turn;
  if (stopSequences.length > mostStopSequences) {
    throw refuse(`more than ${mostStopSequences} stop sequences`, 'stop');
  }
  return {
    ...writeSampling(turn.sampling, gemini),
    maxOutputTokens: turn.maxOutputTokens,
    stopSequences: stopSequences.length > 0 ? stopSequences : undefined,
    candidateCount: turn.choices,
    ...writeFormat(turn.responseFormat),
    responseLogprobs: logprobs === undefined ? undefined : true,
    logprobs: logprobs === 0 ? undefined : logprobs,
    thinkingConfig: model.reasons === false ? undefined : writeReasoning(turn.reasoning, gemini),
  };
}

function writeSampling(sampling: Sampling, { penalties }: GeminiModel): JsonObject {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty } = sampling;
  return {
    temperature,
    topP,
    topK,
    // The field has 32 bits; a longer seed is as good a seed when it is folded.
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
