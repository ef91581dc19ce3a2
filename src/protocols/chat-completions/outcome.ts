/** How a chat completion ended and what it took: stop reasons, token counts and logprobs, read and written; and what a piece shows. */

import {
  type Extras,
  type ExtrasSoFar,
  filledExtras,
  type ServiceTier,
  type TokenUsage,
  totalTokens,
} from '../../base/token-usage.ts';
import {
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTokenCount,
  isJsonObject,
  type JsonObject,
} from '../json/fields.ts';
import type { UpstreamComplaint } from '../translator.ts';
import type { Stop, TokenLogprob } from '../turn/answer.ts';
import { complaintIn } from './errors.ts';

const reasons: Readonly<Record<string, Stop['reason']>> = {
  length: 'max_tokens',
  // The words of Mistral and Z.ai for a context that is full (`failures` says where they stand).
  model_length: 'context_window',
  model_context_window_exceeded: 'context_window',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
  // Z.ai's word for what its filter kept back.
  sensitive: 'refusal',
};

/**
 * Reasons that say that the model's host failed in the middle of its answer, read in November 2026. A client that took
 * one for an end would act on half an answer.
 *
 * @see https://api-docs.deepseek.com/api/create-chat-completion
 * @see https://docs.mistral.ai/api
 * @see https://openrouter.ai/docs/api/reference/overview
 * @see https://docs.z.ai/api-reference/llm/chat-completion
 */
const failures: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource', 'network_error']);

/** Null when the choice has not failed. OpenRouter says beside the reason what its provider said. */
export function readFailure(choice: JsonObject): UpstreamComplaint | null {
  const reason = asFilledText(choice['finish_reason']);
  if (reason === undefined || !failures.has(reason)) return null;
  const told = complaintIn(choice);
  if (told !== null && told.message !== '') return told;
  const message = `The model's host broke off its answer (${reason}).`;
  return { message, code: reason, type: null, param: null, status: null };
}

/** Some hosts say `stop` after tool calls, and a refusal in its own field ends with `stop` too. */
export function readChatStop(finish: string, said: { toolUse: boolean; refusal: boolean }): Stop {
  const reason = reasons[finish];
  if (reason !== undefined) return { reason };
  if (said.toolUse) return { reason: 'tool_use' };
  return { reason: said.refusal ? 'refusal' : 'end' };
}

export function writeChatStop({ reason }: Stop, hasRefusal: boolean): string {
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return hasRefusal ? 'stop' : 'content_filter';
    case 'end':
    case 'stop_sequence':
    case 'pause':
      return 'stop';
  }
}

/** Of an answer or a piece of a stream: beside the choices, in the first of them (Moonshot), or in a place of Groq's own. */
export const usageIn = (chunk: JsonObject): JsonObject | undefined =>
  asObject(chunk['usage']) ??
  asObject(asObjects(chunk['choices'])[0]?.['usage']) ??
  asObject(asObject(chunk['x_groq'])?.['usage']);

/**
 * Null where there are no counts. Nothing but zeros is none: hosts send such an object with each piece until they have
 * counted, and some never do.
 */
export function readChunkUsage(chunk: JsonObject): TokenUsage | null {
  const told = usageIn(chunk);
  const usage = readChatUsage(told);
  if (usage === null || told === undefined) return null;
  const extras = readExtras(chunk, told);
  if (extras !== undefined) return { ...usage, extras };
  return totalTokens(usage) === 0 ? null : usage;
}

/** The tier stands beside the usage; OpenRouter counts searches in the place that Anthropic has for them. */
function readExtras(answer: JsonObject, usage: JsonObject): Extras | undefined {
  const searches = asObject(usage['server_tool_use'])?.['web_search_requests'];
  const written = asObject(usage['completion_tokens_details']);
  return filledExtras({
    web_search: asTokenCount(searches),
    audio_input: asTokenCount(asObject(usage['prompt_tokens_details'])?.['audio_tokens']),
    audio_output: asTokenCount(written?.['audio_tokens']),
    image_output: asTokenCount(written?.['image_tokens']),
    tier: readOpenaiTier(answer['service_tier']),
  });
}

/** What OpenAI and hosts in its manner call the ways that have a price of their own. */
export function readOpenaiTier(tier: unknown): Extras['tier'] {
  // Priority is called fast since 2026.
  return tier === 'fast' ? 'priority' : openaiTiers.get(tier);
}

/** The tier that an answer that has begun names; `auto` repeats what was asked, and says nothing. */
export function readToldTier(tier: unknown): ExtrasSoFar['tier'] {
  if (typeof tier !== 'string' || tier === '' || tier === 'auto') return undefined;
  return readOpenaiTier(tier) ?? 'usual';
}

const openaiTiers: ReadonlyMap<unknown, ServiceTier> = new Map(
  (['flex', 'batch', 'priority', 'ultrafast'] as const).map((tier) => [tier, tier]),
);

/**
 * Reads a `usage` object; null when it is none. The protocol's prompt_tokens includes what the cache served and what
 * was written to it. Some hosts report the cache in places of their own (DeepSeek, Moonshot, LiteLLM, of which older ones
 * tell writes beside the details).
 *
 * The protocol's completion_tokens includes reasoning. xAI counts it beside them, as its total shows; the counts decide
 * and not the host, since its models are sold by others too.
 */
function readChatUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = asTokenCount(usage['prompt_tokens']);
  const completion = asTokenCount(usage['completion_tokens']);
  if (prompt === undefined && completion === undefined) return null;
  const promptDetails = asObject(usage['prompt_tokens_details']);
  const total = prompt ?? 0;
  const reported =
    asTokenCount(promptDetails?.['cached_tokens']) ??
    asTokenCount(usage['prompt_cache_hit_tokens']) ??
    asTokenCount(usage['cached_tokens']) ??
    0;
  const cached = Math.min(reported, total);
  const writes =
    asTokenCount(promptDetails?.['cache_write_tokens']) ??
    asTokenCount(promptDetails?.['cache_creation_tokens']) ??
    asTokenCount(usage['cache_creation_input_tokens']) ??
    0;
  const written = Math.min(writes, total - cached);
  const byLifetime = asObject(promptDetails?.['cache_creation_token_details']);
  const forAnHour = Math.min(asTokenCount(byLifetime?.['ephemeral_1h_input_tokens']) ?? 0, written);
  const shown = completion ?? 0;
  const details = asObject(usage['completion_tokens_details']);
  const reasoning =
    asTokenCount(details?.['reasoning_tokens']) ?? asTokenCount(usage['reasoning_tokens']) ?? 0;
  const isBeside = usage['total_tokens'] === total + shown + reasoning;
  const outputTokens = isBeside ? shown + reasoning : shown;
  return {
    inputTokens: total - cached - written,
    cacheReadTokens: cached,
    cacheWrite5mTokens: written - forAnHour,
    cacheWrite1hTokens: forAnHour,
    outputTokens,
    reasoningTokens: Math.min(reasoning, outputTokens),
    estimated: false,
  };
}

/** The protocol's input includes what the cache served. */
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

/** Undefined when there are none. */
export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const content = asObject(value)?.['content'];
  return Array.isArray(content) ? readTokens(content) : undefined;
}

export function readTokens(tokens: unknown): readonly TokenLogprob[] {
  return asObjects(tokens).map((token) => ({
    ...readOne(token),
    top: asObjects(token['top_logprobs']).map(readOne),
  }));
}

function readOne(token: JsonObject): Omit<TokenLogprob, 'top'> {
  const bytes = token['bytes'];
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logprob']) ?? 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  };
}

export function writeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | null {
  if (logprobs === undefined) return null;
  return { content: writeTokens(logprobs), refusal: null };
}

export function writeTokens(logprobs: readonly TokenLogprob[]): readonly JsonObject[] {
  return logprobs.map(({ top, ...token }) => ({ ...token, top_logprobs: top }));
}

/** Whether a chunk shows the client anything (text, reasoning, a refusal, a tool call, audio, an end), and how much text. */
export function contentOf(chunk: unknown): { isThere: boolean; textBytes: number } {
  const content = { isThere: false, textBytes: 0 };
  if (!isJsonObject(chunk) || !Array.isArray(chunk['choices'])) return content;
  for (const choice of chunk['choices']) {
    if (!isJsonObject(choice)) continue;
    if (isFilled(choice['finish_reason'])) content.isThere = true;
    const delta = isJsonObject(choice['delta']) ? choice['delta'] : {};
    for (const [name, value] of Object.entries(delta)) {
      if (name === 'role' || !isFilled(value)) continue;
      content.isThere = true;
      if (typeof value === 'string') content.textBytes += Buffer.byteLength(value);
    }
  }
  return content;
}

const isFilled = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !isEmptyArray(value);

export const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
