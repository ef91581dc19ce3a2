/** Counts as Converse states them: what the cache served is not part of the input. */
import type { Usage } from '../../usage.ts';

export function usageFields(usage: Usage): object {
  return {
    inputTokens: usage.promptTokens - usage.cachedTokens,
    outputTokens: usage.completionTokens,
    totalTokens: usage.promptTokens + usage.completionTokens,
    cacheReadInputTokens: usage.cachedTokens,
    cacheWriteInputTokens: 0,
  };
}
