/** Counts of a stream that told its input at the start and then broke off before it told its output. */
import type { TokenUsage } from '../base/token-usage.ts';

/** The usual rule of thumb for English text. */
const charactersPerToken = 4;

export function withEstimatedOutput(atStart: TokenUsage, generatedCharacters: number): TokenUsage {
  const estimate = Math.ceil(generatedCharacters / charactersPerToken);
  return { ...atStart, outputTokens: Math.max(atStart.outputTokens, estimate), estimated: true };
}
