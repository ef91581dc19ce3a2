/** Counts that nobody told, taken from lengths of text. */
import type { TokenUsage } from '../base/token-usage.ts';

/** The usual rule of thumb for English text. */
const charactersPerToken = 4;

export const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken);

/** For a stream that told its input at the start and then broke off before it told its output. */
export function withEstimatedOutput(atStart: TokenUsage, generatedCharacters: number): TokenUsage {
  const estimate = estimateTokens(generatedCharacters);
  return { ...atStart, outputTokens: Math.max(atStart.outputTokens, estimate), estimated: true };
}
