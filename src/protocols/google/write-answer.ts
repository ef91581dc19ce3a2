/** Whole answers of the form as answers of generateContent. */

import type { JsonObject } from '../json/fields.ts';
import type { Choice, TurnAnswer } from '../turn/answer.ts';
import { writeLogprobs } from './logprobs.ts';
import { writeGoogleStop } from './stop.ts';
import { writeThoughtSignature } from './thought-signature.ts';
import { writeGoogleUsage } from './usage.ts';
import { writeAssistantParts } from './write-assistant.ts';

export function writeGoogleAnswer(answer: TurnAnswer): string {
  return JSON.stringify({
    candidates: answer.choices.map(writeCandidate),
    usageMetadata: answer.usage === null ? undefined : writeGoogleUsage(answer.usage),
    ...writeHead(answer),
  });
}

export function writeHead({
  id,
  model,
  createdS,
}: Pick<TurnAnswer, 'id' | 'model' | 'createdS'>): JsonObject {
  return {
    modelVersion: model,
    createTime: createdS === undefined ? undefined : new Date(createdS * 1000).toISOString(),
    responseId: id,
  };
}

function writeCandidate({ content, stop, logprobs }: Choice, index: number): JsonObject {
  return {
    content: { parts: writeAssistantParts(content, writeThoughtSignature), role: 'model' },
    finishReason: writeGoogleStop(stop),
    index,
    logprobsResult: writeLogprobs(logprobs),
  };
}
