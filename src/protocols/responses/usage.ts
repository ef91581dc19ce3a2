/** Token counts of the Responses protocol, whose input includes what the cache served and took. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { asObject, asTokenCount, type JsonObject } from '../json/fields.ts';

/** Disjoint counts; null when it is no `usage` object. */
export function readResponsesUsage(value: unknown): TokenUsage | null {
  const usage = asObject(value);
  const input = asTokenCount(usage?.['input_tokens']);
  const output = asTokenCount(usage?.['output_tokens']);
  if (input === undefined && output === undefined) return null;
  const inputDetails = asObject(usage?.['input_tokens_details']);
  const total = input ?? 0;
  const cached = Math.min(asTokenCount(inputDetails?.['cached_tokens']) ?? 0, total);
  const written = Math.min(asTokenCount(inputDetails?.['cache_write_tokens']) ?? 0, total - cached);
  const outputTokens = output ?? 0;
  const reasoning = asTokenCount(asObject(usage?.['output_tokens_details'])?.['reasoning_tokens']) ?? 0;
  return {
    inputTokens: total - cached - written,
    cacheReadTokens: cached,
    cacheWrite5mTokens: written,
    cacheWrite1hTokens: 0,
    outputTokens,
    reasoningTokens: Math.min(reasoning, outputTokens),
    estimated: false,
  };
}

export function writeResponsesUsage(usage: TokenUsage): JsonObject {
  const cacheWriteTokens = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const inputTokens = usage.inputTokens + usage.cacheReadTokens + cacheWriteTokens;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: inputTokens + usage.outputTokens,
  };
}
