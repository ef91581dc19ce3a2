/** How a response ended and what it took: status and reason, token counts and logprobs, read and written. */

import { type Extras, type ExtrasSoFar, filledExtras, type TokenUsage } from '../../base/token-usage.ts';
import { readOpenaiTier, readTokens, readToldTier, writeTokens } from '../chat-completions/outcome.ts';
import { asCount, asObject, asObjects, asTokenCount, type JsonObject } from '../json/fields.ts';
import type { Stop, TokenLogprob } from '../turn/answer.ts';

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete';

export interface WrittenStop {
  readonly status: ResponseStatus;
  readonly incomplete_details: { readonly reason: string } | null;
}

const whole: WrittenStop = { status: 'completed', incomplete_details: null };

export function readResponsesStop(response: JsonObject, said: { toolUse: boolean; refusal: boolean }): Stop {
  if (response['status'] === 'incomplete') {
    const reason = asObject(response['incomplete_details'])?.['reason'];
    return { reason: reason === 'content_filter' ? 'refusal' : 'max_tokens' };
  }
  if (said.toolUse) return { reason: 'tool_use' };
  return { reason: said.refusal ? 'refusal' : 'end' };
}

/** A refusal that was said is an answer like any other; without one the answer was cut by a filter. */
export function writeResponsesStop({ reason }: Stop, hasRefusal: boolean): WrittenStop {
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'refusal':
      if (hasRefusal) return whole;
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'end':
    case 'tool_use':
    case 'stop_sequence':
    case 'pause':
      return whole;
  }
}

/** Of a whole response: its counts, what its hosted tools did, and the tier that served it. */
export function readResponseUsage(response: JsonObject | undefined): TokenUsage | null {
  const usage = readResponsesUsage(response?.['usage']);
  const extras = usage === null || response === undefined ? undefined : readExtras(response);
  return usage === null || extras === undefined ? usage : { ...usage, extras };
}

function readExtras(response: JsonObject): Extras | undefined {
  const usage = asObject(response['usage']);
  const written = asObject(usage?.['output_tokens_details']);
  return filledExtras({
    ...(readToolCounts(asObject(usage?.['server_side_tool_usage_details'])) ??
      readCalledTools(asObject(usage?.['tool_calls_details'])) ??
      countTools(response['output'])),
    audio_input: asTokenCount(asObject(usage?.['input_tokens_details'])?.['audio_tokens']),
    audio_output: asTokenCount(written?.['audio_tokens']),
    image_output: asTokenCount(written?.['image_tokens']),
    tier: readOpenaiTier(response['service_tier']),
  });
}

/** xAI counts by itself. */
function readToolCounts(details: JsonObject | undefined): Extras | undefined {
  if (details === undefined) return undefined;
  const count = (name: string) => asTokenCount(details[name]) ?? 0;
  return {
    web_search: count('web_search_calls') + count('x_search_calls'),
    file_search: count('file_search_calls') + count('document_search_calls'),
    container: count('code_interpreter_calls'),
    image: count('image_generation_calls'),
  };
}

/** Perplexity counts by tool, under other names than requests have. */
function readCalledTools(details: JsonObject | undefined): Extras | undefined {
  if (details === undefined) return undefined;
  return { web_search: asTokenCount(asObject(details['search_web'])?.['invocation']) ?? 0 };
}

function countTools(output: unknown): Extras {
  const count = new ToolCount();
  for (const item of asObjects(output)) count.add(item);
  return count.extras;
}

/** OpenAI charges searches and not the pages that are opened, and a container once for all calls in it. */
class ToolCount {
  #searches = 0;
  #fileSearches = 0;
  #images = 0;
  #containers: Set<string> | undefined;

  get extras(): Extras {
    return {
      web_search: this.#searches,
      file_search: this.#fileSearches,
      container: this.#containers?.size ?? 0,
      image: this.#images,
    };
  }

  add(item: JsonObject): void {
    const action = asObject(item['action'])?.['type'];
    if (item['type'] === 'web_search_call' && (action ?? 'search') === 'search') this.#searches += 1;
    // What Perplexity's search found stands in place of the call.
    else if (item['type'] === 'search_results') this.#searches += 1;
    else if (item['type'] === 'file_search_call') this.#fileSearches += 1;
    else if (item['type'] === 'image_generation_call' && item['result'] != null) this.#images += 1;
    this.addContainer(item);
  }

  addContainer(item: JsonObject): void {
    const container = item['container_id'] ?? asObject(item['environment'])?.['container_id'];
    if (typeof container !== 'string') return;
    this.#containers ??= new Set();
    if (this.#containers.size < mostItems) this.#containers.add(container.slice(0, mostIdCharacters));
  }
}

/** More than any answer has; what an upstream sends beyond it is not remembered. */
const mostItems = 4096;
const mostIdCharacters = 200;

/** What a streamed response has told before its end: items count once they are done, containers once they are named. */
export class ResponseExtras {
  #tier: ExtrasSoFar['tier'];
  readonly #count = new ToolCount();
  /** Some hosts tell an end twice. */
  #done: Set<number> | undefined;

  get soFar(): ExtrasSoFar {
    return { ...this.#count.extras, tier: this.#tier };
  }

  note(event: JsonObject): void {
    switch (event['type']) {
      case 'response.created':
      case 'response.in_progress':
        this.#tier ??= readToldTier(asObject(event['response'])?.['service_tier']);
        break;
      case 'response.output_item.added':
        this.#count.addContainer(asObject(event['item']) ?? {});
        break;
      case 'response.output_item.done':
        this.#noteDone(asObject(event['item']) ?? {}, asCount(event['output_index']) ?? 0);
        break;
    }
  }

  #noteDone(item: JsonObject, index: number): void {
    this.#done ??= new Set();
    if (this.#done.has(index) || this.#done.size >= mostItems) return;
    this.#done.add(index);
    this.#count.add(item);
  }
}

/** Disjoint counts; null when it is no `usage` object. */
function readResponsesUsage(value: unknown): TokenUsage | null {
  const usage = asObject(value);
  const input = asTokenCount(usage?.['input_tokens']);
  const output = asTokenCount(usage?.['output_tokens']);
  if (input === undefined && output === undefined) return null;
  const inputDetails = asObject(usage?.['input_tokens_details']);
  const total = input ?? 0;
  const cached = Math.min(asTokenCount(inputDetails?.['cached_tokens']) ?? 0, total);
  const told = inputDetails?.['cache_write_tokens'] ?? inputDetails?.['cache_creation_input_tokens'];
  const written = Math.min(asTokenCount(told) ?? 0, total - cached);
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

/** Undefined when there are none. */
export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const tokens = readTokens(value);
  return tokens.length === 0 ? undefined : tokens;
}

export function writeLogprobs(logprobs: readonly TokenLogprob[] = []): readonly JsonObject[] {
  return writeTokens(logprobs);
}
