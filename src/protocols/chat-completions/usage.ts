/** Token counts of the chat completions protocol as disjoint counts. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { asObject, asObjects, asTokenCount, isJsonObject, type JsonObject } from '../json/fields.ts';

/** Of a piece of a stream: beside the choices, in the first of them (Moonshot), or in a place of Groq's own. */
export function readChunkUsage(chunk: JsonObject): TokenUsage | null {
  return (
    readChatUsage(chunk['usage']) ??
    readChatUsage(asObjects(chunk['choices'])[0]?.['usage']) ??
    readChatUsage(asObject(chunk['x_groq'])?.['usage'])
  );
}

/**
 * Reads a `usage` object; null when it is none. The protocol's prompt_tokens includes what the cache served and what
 * was written to it. Some hosts report the cache in places of their own (DeepSeek, Moonshot).
 */
export function readChatUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = asTokenCount(usage['prompt_tokens']);
  const completion = asTokenCount(usage['completion_tokens']);
  if (prompt === undefined && completion === undefined) return null;
  const promptDetails = asObject(usage['prompt_tokens_details']) ?? {};
  const total = prompt ?? 0;
  const reported =
    asTokenCount(promptDetails['cached_tokens']) ??
    asTokenCount(usage['prompt_cache_hit_tokens']) ??
    asTokenCount(usage['cached_tokens']) ??
    0;
  const cached = Math.min(reported, total);
  const written = Math.min(asTokenCount(promptDetails['cache_write_tokens']) ?? 0, total - cached);
  return {
    inputTokens: total - cached - written,
    cacheReadTokens: cached,
    cacheWrite5mTokens: written,
    cacheWrite1hTokens: 0,
    ...readOutput(usage, { prompt: total, completion: completion ?? 0 }),
    estimated: false,
  };
}

/**
 * The protocol's completion_tokens includes reasoning. xAI counts it beside them, as its total shows; the counts decide
 * and not the host, since its models are sold by others too.
 */
function readOutput(
  usage: JsonObject,
  { prompt, completion }: { prompt: number; completion: number },
): Pick<TokenUsage, 'outputTokens' | 'reasoningTokens'> {
  const details = asObject(usage['completion_tokens_details']) ?? {};
  const reasoning = asTokenCount(details['reasoning_tokens']) ?? asTokenCount(usage['reasoning_tokens']) ?? 0;
  const isBeside = usage['total_tokens'] === prompt + completion + reasoning;
  const outputTokens = isBeside ? completion + reasoning : completion;
  return { outputTokens, reasoningTokens: Math.min(reasoning, outputTokens) };
}
