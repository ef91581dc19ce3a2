/** Token counts of the Converse API, which are disjoint already; reasoning is not told apart. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { asObject, asObjects, asTokenCount, type JsonObject } from '../json/fields.ts';

/** Null when it is no `usage` object. */
export function readConverseUsage(value: unknown): TokenUsage | null {
  const usage = asObject(value);
  const input = asTokenCount(usage?.['inputTokens']);
  const output = asTokenCount(usage?.['outputTokens']);
  if (usage === undefined || (input === undefined && output === undefined)) return null;
  const written = asTokenCount(usage['cacheWriteInputTokens']);
  const for1h = writtenFor('1h', usage);
  return {
    inputTokens: input ?? 0,
    cacheReadTokens: asTokenCount(usage['cacheReadInputTokens']) ?? 0,
    cacheWrite5mTokens: written === undefined ? writtenFor('5m', usage) : Math.max(0, written - for1h),
    cacheWrite1hTokens: for1h,
    outputTokens: output ?? 0,
    reasoningTokens: 0,
    estimated: false,
  };
}

function writtenFor(ttl: string, usage: JsonObject): number {
  return asObjects(usage['cacheDetails'])
    .filter((detail) => detail['ttl'] === ttl)
    .reduce((sum, detail) => sum + (asTokenCount(detail['inputTokens']) ?? 0), 0);
}

export function writeConverseUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  const cacheWriteTokens = cacheWrite5mTokens + cacheWrite1hTokens;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
    cacheReadInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
    cacheDetails: [
      { ttl: '1h', inputTokens: cacheWrite1hTokens },
      { ttl: '5m', inputTokens: cacheWrite5mTokens },
    ].filter((detail) => detail.inputTokens > 0),
  };
}
