/** Token counts of the chat completions protocol as disjoint counts. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { isJsonObject } from '../json-body.ts';
import { asTokenCount } from '../json-fields.ts';

/**
 * Reads a `usage` object; null when it is none. The protocol's prompt_tokens includes what the cache served and
 * what was written to it, and its completion_tokens includes reasoning. Some hosts report the cache as `prompt_cache_hit_tokens` instead (DeepSeek).
 */
export function readChatUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = asTokenCount(usage['prompt_tokens']);
  const completion = asTokenCount(usage['completion_tokens']);
  if (prompt === undefined && completion === undefined) return null;
  const promptDetails = isJsonObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const completionDetails = isJsonObject(usage['completion_tokens_details'])
    ? usage['completion_tokens_details']
    : {};
  const total = prompt ?? 0;
  const reported =
    asTokenCount(promptDetails['cached_tokens']) ?? asTokenCount(usage['prompt_cache_hit_tokens']) ?? 0;
  const cached = Math.min(reported, total);
  const written = Math.min(asTokenCount(promptDetails['cache_write_tokens']) ?? 0, total - cached);
  const output = completion ?? 0;
  return {
    inputTokens: total - cached - written,
    cacheReadTokens: cached,
    cacheWrite5mTokens: written,
    cacheWrite1hTokens: 0,
    outputTokens: output,
    reasoningTokens: Math.min(asTokenCount(completionDetails['reasoning_tokens']) ?? 0, output),
    estimated: false,
  };
}
