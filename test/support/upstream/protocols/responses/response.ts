/** The response object around the output, which repeats much of its request. */
import { readObject } from '../../json.ts';
import type { Turn } from '../../turn/compose-turn.ts';
import type { Usage } from '../../usage.ts';
import type { ResponsesRequest } from './read.ts';

export interface Label {
  readonly id: string;
  readonly model: string;
}

const created = 1_735_689_600;

/** As it is before anything was said. */
export function openResponse({ body }: ResponsesRequest, { id, model }: Label): object {
  return {
    id,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: null,
    model,
    output: [],
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: 'medium', summary: null, ...readObject(body, 'reasoning') },
    safety_identifier: null,
    service_tier: 'default',
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: { verbosity: 'medium', format: { type: 'text' }, ...readObject(body, 'text') },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_logprobs: 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    usage: null,
    user: null,
    metadata: body['metadata'] ?? {},
  };
}

export function closedFields(turn: Turn, output: readonly object[], tellsUsage: boolean): object {
  const isCut = turn.finish === 'length';
  return {
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : created + 1,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output,
    usage: tellsUsage ? usageFields(turn.usage) : null,
  };
}

function usageFields(usage: Usage): object {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}
