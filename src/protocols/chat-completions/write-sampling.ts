/** How the host is to choose among likely tokens, in the fields that it and its model know. */

import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import type { ChatDialect } from './dialect.ts';
import { takesPenalties, takesSampling } from './openai-model.ts';
import { effortFor } from './write-reasoning.ts';

/** @throws AppError invalid_parameter for several choices and stop sequences that the host cannot take. */
export function writeSampling(turn: TurnRequest, model: UpstreamModel, dialect: ChatDialect): JsonObject {
  const { sampling, stopSequences, choices, logprobs } = turn;
  const isFree = takesSampling(model.id, effortFor(turn.reasoning, model));
  const isFixed = dialect.fixedSampling?.test(model.id) === true || !isFree;
  const isPlain = dialect.plainModels?.test(model.id) === true;
  if (choices !== undefined && !dialect.severalChoices) throw refuse('a request for several answers', 'n');
  if (stopSequences.length > 0 && (!dialect.stop || isPlain)) throw refuse('stop sequences', 'stop');
  const hasPenalties = dialect.penalties && !isFixed && !isPlain && takesPenalties(model.id);
  const isSure = dialect.logprobs && logprobs !== undefined && isFree;
  return {
    ...(isFixed ? {} : { temperature: sampling.temperature, top_p: sampling.topP }),
    ...(dialect.topK && !isFixed ? { top_k: sampling.topK } : {}),
    ...(dialect.seedField === null ? {} : { [dialect.seedField]: sampling.seed }),
    ...(hasPenalties
      ? { frequency_penalty: sampling.frequencyPenalty, presence_penalty: sampling.presencePenalty }
      : {}),
    stop: stopSequences.length > 0 ? stopSequences : undefined,
    n: choices,
    logprobs: isSure ? true : undefined,
    top_logprobs: isSure && logprobs > 0 ? logprobs : undefined,
  };
}
