/** Reads what recorded chat completions, whole or in chunks, say of their content and usage. */
import { isObject, type JsonObject, readList, readNumber, readObject } from '../../json.ts';
import type { Usage } from '../../usage.ts';
import type { Statement } from '../protocol.ts';

export function readStatement(message: unknown): Statement {
  const usage = readUsage(readObject(message, 'usage'));
  const speaks = readList(message, 'choices').some((choice) => {
    return holdsContent(readObject(choice, 'delta')) || holdsContent(readObject(choice, 'message'));
  });
  return { usage, tokens: speaks ? 1 : 0 };
}

function readUsage(usage: JsonObject): Usage | undefined {
  const promptTokens = readNumber(usage, 'prompt_tokens');
  const completionTokens = readNumber(usage, 'completion_tokens');
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  return {
    promptTokens,
    completionTokens,
    // Hosts put the cached part in one of three places.
    cachedTokens:
      readNumber(readObject(usage, 'prompt_tokens_details'), 'cached_tokens') ??
      readNumber(usage, 'prompt_cache_hit_tokens') ??
      readNumber(usage, 'cached_tokens') ??
      0,
    reasoningTokens: readNumber(readObject(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? 0,
  };
}

function holdsContent(part: JsonObject): boolean {
  return ['content', 'reasoning_content', 'reasoning', 'refusal', 'tool_calls'].some((field) => {
    const value = part[field];
    return typeof value === 'string'
      ? value !== ''
      : Array.isArray(value)
        ? value.length > 0
        : isObject(value);
  });
}
