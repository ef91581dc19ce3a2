/** Token counts for answers whose upstream gave none, or that ended before it could. */
import { noUsage, type TokenUsage } from '../base/token-usage.ts';

/** The usual rule of thumb for English text. Rows with estimated counts are marked as such. */
const charactersPerToken = 4;

export function estimateUsage(requestCharacters: number, generatedCharacters: number): TokenUsage {
  return {
    ...noUsage,
    inputTokens: Math.ceil(requestCharacters / charactersPerToken),
    outputTokens: Math.ceil(generatedCharacters / charactersPerToken),
    estimated: true,
  };
}
