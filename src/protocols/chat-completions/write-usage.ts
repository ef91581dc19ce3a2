/** Disjoint counts as the chat completions protocol counts them: the input includes what the cache served. */
import type { TokenUsage } from '../../base/token-usage.ts';
import type { JsonObject } from '../json/fields.ts';

export function writeChatUsage(usage: TokenUsage): JsonObject {
  const cacheWriteTokens = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const promptTokens = usage.inputTokens + usage.cacheReadTokens + cacheWriteTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: promptTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
