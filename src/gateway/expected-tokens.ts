/** How many tokens a request may come to use, told at once and in bounded time: what a limit on tokens reserves for it. */
import { asObject } from '../protocols/json/fields.ts';
import { guessTokens } from '../protocols/token-count/guess-tokens.ts';
import type { InferenceRequest } from '../protocols/translator.ts';

/** Where a request has no bound on its output: most answers are shorter, and what is longer is owed. */
const usualOutputTokens = 2048;
/** More answers to one request than any provider gives. */
const mostChoices = 128;

export function expectedChatTokens(
  { text, json }: Pick<InferenceRequest, 'text' | 'json'>,
  { maxOutputTokens }: { readonly maxOutputTokens: number | null },
): number {
  const output = Math.min(boundOf(json) ?? usualOutputTokens, maxOutputTokens ?? Number.POSITIVE_INFINITY);
  return guessTokens(text) + output * choicesOf(json);
}

/** In the words of each protocol. */
function boundOf(json: InferenceRequest['json']): number | undefined {
  const google = asObject(json['generationConfig'] ?? json['generation_config']);
  const bounds = [
    ...[json['max_completion_tokens'], json['max_tokens'], json['max_output_tokens']],
    ...[google?.['maxOutputTokens'], google?.['max_output_tokens']],
  ];
  return bounds.find((bound): bound is number => typeof bound === 'number' && bound >= 0);
}

function choicesOf(json: InferenceRequest['json']): number {
  const google = asObject(json['generationConfig'] ?? json['generation_config']);
  const choices = json['n'] ?? google?.['candidateCount'];
  return typeof choices === 'number' ? Math.min(Math.max(1, choices), mostChoices) : 1;
}
