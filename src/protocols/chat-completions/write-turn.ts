/** Requests of the form as chat completion requests. */
import type { UpstreamModel } from '../protocol.ts';
import type { Effort, Reasoning, ResponseFormat, TurnRequest } from '../turn/request.ts';
import { isStrictSchema } from '../turn/schema.ts';
import type { JsonObject } from '../turn/tools.ts';
import type { ChatDialect } from './dialect.ts';
import { writeMessages } from './write-messages.ts';
import { writeToolChoice, writeTools } from './write-tools.ts';

/** @throws AppError invalid_parameter for what the protocol cannot hold. */
export function writeChatTurn(turn: TurnRequest, model: UpstreamModel, dialect: ChatDialect): string {
  const { sampling, tools, stopSequences } = turn;
  const hasTools = tools.length > 0;
  return JSON.stringify({
    model: model.id,
    messages: writeMessages(turn, dialect),
    [dialect.maxTokensField]: turn.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: dialect.topK ? sampling.topK : undefined,
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    stop: stopSequences.length > 0 ? stopSequences : undefined,
    tools: hasTools ? writeTools(tools, dialect) : undefined,
    tool_choice: hasTools ? writeToolChoice(turn) : undefined,
    parallel_tool_calls: hasTools && !turn.parallelToolUse ? false : undefined,
    reasoning_effort: model.reasons === false ? undefined : writeEffort(turn.reasoning),
    response_format: writeResponseFormat(turn.responseFormat),
    n: turn.choices,
    logprobs: turn.logprobs === undefined ? undefined : true,
    top_logprobs: turn.logprobs === undefined || turn.logprobs === 0 ? undefined : turn.logprobs,
    user: turn.userId,
    ...turn.vendor.openai,
    ...(turn.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

/** Where the budget in tokens stands for an effort. */
const maxLowBudgetTokens = 4096;
const maxMediumBudgetTokens = 16_384;

function writeEffort(reasoning: Reasoning | undefined): Effort | undefined {
  if (reasoning === undefined) return undefined;
  // Models that cannot reason refuse the field, and those that can have no common word for "not at all".
  if (reasoning.thinking === 'off') return undefined;
  if (reasoning.effort !== undefined) return reasoning.effort;
  const { budgetTokens } = reasoning;
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= maxLowBudgetTokens) return 'low';
  return budgetTokens <= maxMediumBudgetTokens ? 'medium' : 'high';
}

function writeResponseFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema } = format;
  const strict = format.strict && isStrictSchema(schema);
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}
