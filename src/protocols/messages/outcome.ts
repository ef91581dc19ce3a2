/** How an answer ended and what it took. The protocol's counts are disjoint but for the thinking inside the output. */
import {
  type Extras,
  type ExtrasSoFar,
  filledExtras,
  type TokenUsage,
  totalTokens,
} from '../../base/token-usage.ts';
import { asObject, asObjects, asText, asTokenCount, isJsonObject, type JsonObject } from '../json/fields.ts';
import type { Stop } from '../turn/answer.ts';

type Counts = Omit<TokenUsage, 'reasoningTokens' | 'estimated' | 'extras'>;

/**
 * Null where there are no counts. Nothing but zeros is none: hosts that speak this protocol begin so, and some never count.
 */
export function readMessagesUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const input = asTokenCount(usage['input_tokens']);
  const output = asTokenCount(usage['output_tokens']);
  if (input === undefined && output === undefined) return null;
  const counts = withSteps(readCounts(usage), asObjects(usage['iterations']).map(readCounts));
  const reasoning = asTokenCount(asObject(usage['output_tokens_details'])?.['thinking_tokens']) ?? 0;
  const read = { ...counts, reasoningTokens: Math.min(reasoning, counts.outputTokens), estimated: false };
  const extras = readExtras(usage);
  if (extras !== undefined) return { ...read, extras };
  return totalTokens(read) === 0 ? null : read;
}

/** Of a whole message, whose container stands beside its usage. */
export function readMessageUsage(message: JsonObject): TokenUsage | null {
  return readMessagesUsage(mergeUsage(asObject(message['usage']) ?? {}, containerOf(message)));
}

/** The container, as a member that joins the counts of a stream. */
export function containerOf({ container }: JsonObject): JsonObject | undefined {
  return container == null ? undefined : { container };
}

/**
 * A container that is made for the vendor's own search is free of charge, by the pricing of code execution; one that is
 * used again is paid for again, since its time goes on.
 */
function readExtras(usage: JsonObject): Extras | undefined {
  const tools = asObject(usage['server_tool_use']);
  const searches = asTokenCount(tools?.['web_search_requests']) ?? 0;
  const fetches = asTokenCount(tools?.['web_fetch_requests']) ?? 0;
  const hasContainer = isJsonObject(usage['container']) && searches + fetches === 0;
  return filledExtras({ web_search: searches, container: hasContainer ? 1 : 0, tier: readTier(usage) });
}

/**
 * What a streamed message has told before its end. Its tools count by their results, of which those in error are free
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool, November 2026). Which tier serves it
 * stands at its start; what that leaves out is as it was asked for.
 */
export class MessageExtras {
  readonly #asked: JsonObject;
  #tier: ExtrasSoFar['tier'];
  #searches = 0;
  #fetches = 0;
  #runs = 0;

  /** @param asked the request, in this protocol; nothing of it is read where it was asked in another. */
  constructor({ speed, inference_geo }: JsonObject = {}) {
    this.#asked = { speed, inference_geo };
  }

  get soFar(): ExtrasSoFar {
    const hasContainer = this.#runs > 0 && this.#searches + this.#fetches === 0;
    return { web_search: this.#searches, container: hasContainer ? 1 : 0, tier: this.#tier };
  }

  noteStart(message: JsonObject): void {
    const usage = asObject(message['usage']);
    if (usage !== undefined) this.#tier = readTier(mergeUsage(this.#asked, usage)) ?? 'usual';
  }

  /** @param block as it begins: results come whole. */
  noteBlock(block: JsonObject): void {
    const [, tool] = toolResult.exec(asText(block['type']) ?? '') ?? [];
    if (tool === undefined || isError(block['content'])) return;
    if (tool === 'web_search') this.#searches += 1;
    else if (tool === 'web_fetch') this.#fetches += 1;
    else this.#runs += 1;
  }
}

const toolResult = /^(web_search|web_fetch|(?:\w+_)?code_execution)_tool_result$/;
const isError = (result: unknown): boolean =>
  asText(asObject(result)?.['type'])?.endsWith('_tool_result_error') === true;

/** @param usage or a request, which asks in the same words. */
export function readTier(usage: JsonObject): Extras['tier'] {
  const isFast = usage['speed'] === 'fast';
  if (usage['inference_geo'] === 'us') return isFast ? 'us_fast' : 'us';
  if (isFast) return 'fast';
  const { service_tier: tier } = usage;
  return tier === 'priority' || tier === 'batch' ? tier : undefined;
}

function readCounts(usage: JsonObject): Counts {
  const byLifetime = asObject(usage['cache_creation']);
  const cacheWrite1hTokens = asTokenCount(byLifetime?.['ephemeral_1h_input_tokens']) ?? 0;
  const cacheWrite5mTokens = asTokenCount(byLifetime?.['ephemeral_5m_input_tokens']) ?? 0;
  const cacheWriteTokens =
    asTokenCount(usage['cache_creation_input_tokens']) ?? cacheWrite1hTokens + cacheWrite5mTokens;
  return {
    inputTokens: asTokenCount(usage['input_tokens']) ?? 0,
    cacheReadTokens: asTokenCount(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite5mTokens: Math.max(0, cacheWriteTokens - cacheWrite1hTokens),
    cacheWrite1hTokens,
    outputTokens: asTokenCount(usage['output_tokens']) ?? 0,
  };
}

/**
 * The counts of the whole leave out what compaction and advisors used; the steps hold everything. In a stream steps may
 * be older than the whole, so neither takes away from the other.
 */
function withSteps(whole: Counts, steps: readonly Counts[]): Counts {
  const most = (name: keyof Counts): number =>
    Math.max(
      whole[name],
      steps.reduce((sum, step) => sum + step[name], 0),
    );
  return {
    inputTokens: most('inputTokens'),
    cacheReadTokens: most('cacheReadTokens'),
    cacheWrite5mTokens: most('cacheWrite5mTokens'),
    cacheWrite1hTokens: most('cacheWrite1hTokens'),
    outputTokens: most('outputTokens'),
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

const reasons: Readonly<Record<string, Stop['reason']>> = {
  end_turn: 'end',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_window',
};

const words = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause: 'pause_turn',
  refusal: 'refusal',
  context_window: 'model_context_window_exceeded',
} as const satisfies Record<Stop['reason'], string>;

/** A word that is not known yet is an end like any other. */
export function readMessagesStop(reason: string, sequence: unknown): Stop {
  return {
    reason: reasons[reason] ?? 'end',
    sequence: typeof sequence === 'string' ? sequence : undefined,
  };
}

export function writeMessagesStop(stop: Stop): { stop_reason: string; stop_sequence: string | null } {
  return { stop_reason: words[stop.reason], stop_sequence: stop.sequence ?? null };
}
