/** Token counts of Gemini: the prompt includes what a cache served, thoughts stand beside the candidates. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { asTokenCount, isJsonObject, type JsonObject } from '../json/fields.ts';

/** Null when it is no `usageMetadata` with counts in it. */
export function readGoogleUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = asTokenCount(usage['promptTokenCount']);
  const candidates = asTokenCount(usage['candidatesTokenCount']);
  if (prompt === undefined && candidates === undefined) return null;
  const promptTokens = prompt ?? 0;
  const cacheReadTokens = Math.min(asTokenCount(usage['cachedContentTokenCount']) ?? 0, promptTokens);
  const reasoningTokens = asTokenCount(usage['thoughtsTokenCount']) ?? 0;
  return {
    // What the vendor's own tools found is read by the model, and is not in the prompt's count.
    inputTokens: promptTokens - cacheReadTokens + (asTokenCount(usage['toolUsePromptTokenCount']) ?? 0),
    cacheReadTokens,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: (candidates ?? 0) + reasoningTokens,
    reasoningTokens,
    estimated: false,
  };
}

export function writeGoogleUsage(usage: TokenUsage): JsonObject {
  const { cacheReadTokens, outputTokens, reasoningTokens } = usage;
  const promptTokenCount =
    usage.inputTokens + cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return {
    promptTokenCount,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: promptTokenCount + outputTokens,
    ...(cacheReadTokens > 0 ? { cachedContentTokenCount: cacheReadTokens } : {}),
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
  };
}
