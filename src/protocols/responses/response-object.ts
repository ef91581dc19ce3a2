/** The response as an object, with the settings of its request, which the protocol repeats. */
import type { Clock } from '../../base/clock.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { asObject, type JsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';
import { type WrittenStop, writeResponsesUsage } from './outcome.ts';

export interface ResponseTerms {
  readonly answer: { readonly id: string; readonly model: string; readonly createdS?: number | undefined };
  readonly request: InferenceRequest;
  readonly clock: Clock;
}

export interface ResponseState extends WrittenStop {
  readonly output: readonly JsonObject[];
  readonly usage: TokenUsage | null;
}

export class ResponseObject {
  readonly id: string;
  readonly #clock: Clock;
  readonly #createdS: number;
  readonly #model: string;
  /** Written once, since instructions and tools can be long. */
  readonly #settings: string;

  constructor({ answer, request, clock }: ResponseTerms) {
    this.#clock = clock;
    this.id = answer.id === '' ? `resp_${crypto.randomUUID().replaceAll('-', '')}` : answer.id;
    this.#createdS = answer.createdS ?? this.#nowS();
    this.#model = answer.model;
    this.#settings = JSON.stringify(settingsOf(request)).slice(1);
  }

  write({ status, incomplete_details, output, usage }: ResponseState): string {
    const state = JSON.stringify({
      id: this.id,
      object: 'response',
      created_at: this.#createdS,
      completed_at: status === 'completed' ? this.#nowS() : null,
      status,
      error: null,
      incomplete_details,
      model: this.#model,
      output,
      usage: usage === null ? null : writeResponsesUsage(usage),
    });
    return `${state.slice(0, -1)},${this.#settings}`;
  }

  #nowS(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }
}

/** Nothing runs in the background, whatever was asked. */
function settingsOf({ json, keep, repliesTo }: InferenceRequest): JsonObject {
  const reasoning = asObject(json['reasoning']);
  return {
    access_programs: null,
    background: false,
    instructions: json['instructions'] ?? null,
    max_output_tokens: json['max_output_tokens'] ?? null,
    max_tool_calls: json['max_tool_calls'] ?? null,
    metadata: json['metadata'] ?? {},
    moderation: null,
    parallel_tool_calls: json['parallel_tool_calls'] ?? true,
    previous_response_id: repliesTo ?? null,
    prompt_cache_key: json['prompt_cache_key'] ?? null,
    prompt_cache_retention: json['prompt_cache_retention'] ?? null,
    reasoning: { effort: null, summary: null, ...reasoning },
    safety_identifier: json['safety_identifier'] ?? null,
    service_tier: null,
    store: keep !== undefined,
    temperature: json['temperature'] ?? null,
    text: { format: { type: 'text' }, ...asObject(json['text']) },
    tool_choice: json['tool_choice'] ?? 'auto',
    tools: json['tools'] ?? [],
    top_logprobs: json['top_logprobs'] ?? 0,
    top_p: json['top_p'] ?? null,
    truncation: json['truncation'] ?? 'disabled',
    user: json['user'] ?? null,
  };
}

/** Who asked for a summary gets the thinking in its place. */
export function wantsSummary(json: JsonObject): boolean {
  const reasoning = asObject(json['reasoning']);
  return (reasoning?.['summary'] ?? reasoning?.['generate_summary']) != null;
}
