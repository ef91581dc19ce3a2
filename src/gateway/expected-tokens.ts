/** How many tokens a request may come to use, told at once and in bounded time: what a limit on tokens reserves for it. */
import { asObject } from '../protocols/json/fields.ts';
import { guessTokens } from '../protocols/token-count/guess-tokens.ts';
import type { InferenceRequest } from '../protocols/translator.ts';

/** Where a request has no bound on its output: most answers are shorter, and what is longer is owed. */
const usualOutputTokens = 2048;
/** More answers to one request than any provider gives. */
const mostChoices = 128;

interface Words {
  /** Where an answer's bound stands; of several the largest counts. */
  readonly bounds: readonly string[];
  readonly choices?: string;
}

/** By client protocol: a word of another one bounds nothing, since no conversion passes it on. */
const wordsOf: Readonly<Record<string, Words>> = {
  'chat-completions': { bounds: ['max_completion_tokens', 'max_tokens'], choices: 'n' },
  messages: { bounds: ['max_tokens'] },
  responses: { bounds: ['max_output_tokens'] },
  native: { bounds: ['max_output_tokens'] },
  google: { bounds: ['maxOutputTokens', 'max_output_tokens'], choices: 'candidateCount' },
};

/**
 * @param protocol the name of the one that the request is written in.
 * @returns null for an answer without a bound of its own.
 */
export function readBounds(protocol: string, json: InferenceRequest['json']): Bounds {
  const { bounds = [], choices } = wordsOf[protocol] ?? {};
  const settings =
    protocol === 'google' ? asObject(json['generationConfig'] ?? json['generation_config']) : json;
  const told = bounds
    .map((word) => settings?.[word])
    .filter((bound) => typeof bound === 'number' && bound >= 0);
  const asked = choices === undefined ? 1 : settings?.[choices];
  return {
    outputTokens: told.length === 0 ? null : Math.max(...told.map(Number)),
    choices: typeof asked === 'number' ? Math.min(Math.max(1, asked), mostChoices) : 1,
  };
}

interface Bounds {
  readonly outputTokens: number | null;
  readonly choices: number;
}

export function expectedChatTokens(protocol: string) {
  return (
    { text, json }: Pick<InferenceRequest, 'text' | 'json'>,
    { maxOutputTokens }: { readonly maxOutputTokens: number | null },
  ): number => {
    const { outputTokens, choices } = readBounds(protocol, json);
    const output = Math.min(outputTokens ?? usualOutputTokens, maxOutputTokens ?? Number.POSITIVE_INFINITY);
    return guessTokens(text) + output * choices;
  };
}
