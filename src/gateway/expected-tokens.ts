/** How many tokens a request may come to use, told at once and in bounded time: what a limit on tokens reserves for it. */
import { readBounds } from '../protocols/request-bounds.ts';
import { guessTokens } from '../protocols/token-count/guess-tokens.ts';
import type { InferenceRequest } from '../protocols/translator.ts';

/** Where a request has no bound on its output: most answers are shorter, and what is longer is owed. */
const usualOutputTokens = 2048;
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
