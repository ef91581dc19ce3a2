/** Token counts of the messages protocol, which are disjoint already but for the thinking inside the output. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { isJsonObject } from '../json-body.ts';
import { asObject, asTokenCount } from '../json-fields.ts';
import type { JsonObject } from '../turn/tools.ts';

/** Null when it is no `usage` object. */
export function readMessagesUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const input = asTokenCount(usage['input_tokens']);
  const output = asTokenCount(usage['output_tokens']);
  if (input === undefined && output === undefined) return null;
  const byLifetime = asObject(usage['cache_creation']);
  const cacheWrite1hTokens = asTokenCount(byLifetime?.['ephemeral_1h_input_tokens']) ?? 0;
  const cacheWrite5mTokens = asTokenCount(byLifetime?.['ephemeral_5m_input_tokens']) ?? 0;
  const cacheWriteTokens =
    asTokenCount(usage['cache_creation_input_tokens']) ?? cacheWrite1hTokens + cacheWrite5mTokens;
  const outputTokens = output ?? 0;
  return {
    inputTokens: input ?? 0,
    cacheReadTokens: asTokenCount(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite5mTokens: Math.max(0, cacheWriteTokens - cacheWrite1hTokens),
    cacheWrite1hTokens,
    outputTokens,
    reasoningTokens: Math.min(
      asTokenCount(asObject(usage['output_tokens_details'])?.['thinking_tokens']) ?? 0,
      outputTokens,
    ),
    estimated: false,
  };
}

/** The counts of a stream are for the whole answer: what a later event repeats replaces, what it omits stays. */
export function mergeUsage(before: JsonObject, later: unknown): JsonObject {
  if (!isJsonObject(later)) return before;
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(later)) {
    if (value != null) merged[name] = value;
  }
  return merged;
}

export function writeMessagesUsage(usage: TokenUsage): JsonObject {
  const { cacheWrite5mTokens, cacheWrite1hTokens, reasoningTokens } = usage;
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: cacheWrite5mTokens + cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite5mTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens: usage.outputTokens,
    ...(reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {}),
  };
}
