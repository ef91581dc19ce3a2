/** Likely tokens of a candidate: the chosen ones, and beside each the likeliest at its place. */
import { asNumber, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';

export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const result = asObject(value);
  const chosen = asObjects(result?.['chosenCandidates']);
  if (chosen.length === 0) return undefined;
  const top = asObjects(result?.['topCandidates']);
  return chosen.map((token, at) => ({
    ...readOne(token),
    top: asObjects(top[at]?.['candidates']).map(readOne),
  }));
}

function readOne(token: JsonObject): Omit<TokenLogprob, 'top'> {
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logProbability']) ?? 0,
    bytes: null,
  };
}

export function writeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | undefined {
  if (logprobs === undefined) return undefined;
  return {
    chosenCandidates: logprobs.map(writeOne),
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(writeOne) })),
  };
}

function writeOne({ token, logprob }: Omit<TokenLogprob, 'top'>): JsonObject {
  return { token, logProbability: logprob };
}
