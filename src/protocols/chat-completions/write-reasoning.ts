/** What a request says of thinking, in the fields of the host. */

import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import type { Effort, Reasoning } from '../turn/request.ts';
import type { ChatDialect } from './dialect.ts';
import { fitEffort, isPlainModel } from './openai-model.ts';
import type { ReasoningDialect } from './reasoning-dialect.ts';

/** Nothing for a model that is known not to reason: hosts refuse the fields for it. */
export function writeReasoning(
  reasoning: Reasoning | undefined,
  model: UpstreamModel,
  dialect: ChatDialect,
): JsonObject {
  if (reasoning === undefined || !(model.reasons ?? !isPlainModel(model.id))) return {};
  const special = dialect.reasoningByModel?.find(({ models }) => models.test(model.id));
  return writeIn(special?.reasoning ?? dialect.reasoning, reasoning, effortFor(reasoning, model));
}

/** The effort that a model is asked for; undefined where it is left to itself. */
export function effortFor(reasoning: Reasoning | undefined, model: UpstreamModel): Effort | undefined {
  if (reasoning === undefined || reasoning.thinking === 'off') return undefined;
  const effort = effortOf(reasoning);
  return effort && fitEffort(model.id, effort);
}

function writeIn(dialect: ReasoningDialect, reasoning: Reasoning, effort: Effort | undefined): JsonObject {
  const isOff = reasoning.thinking === 'off';
  const isNone = isOff || effort === 'none';
  switch (dialect.style) {
    case 'none':
      return {};
    case 'effort':
      return { reasoning_effort: isOff ? dialect.off : effort && dialect.words[effort] };
    case 'thinking':
      if (isNone) return dialect.canStop ? { thinking: { type: 'disabled' } } : {};
      return { thinking: { type: dialect.on }, reasoning_effort: effort && dialect.words?.[effort] };
    case 'enable_thinking':
      return { enable_thinking: !isNone, thinking_budget: isNone ? undefined : reasoning.budgetTokens };
    case 'enabled':
      if (isNone) return { reasoning: { enabled: false } };
      if (effort !== undefined) return { reasoning_effort: dialect.words[effort] };
      return { reasoning: { enabled: true } };
    case 'object':
      return { reasoning: writeObject(dialect.words, reasoning, isNone ? 'none' : effort) };
  }
}

/** A budget goes before the effort that would only stand for it. */
function writeObject(
  words: Readonly<Partial<Record<Effort, string>>>,
  { effort: asked, budgetTokens }: Reasoning,
  effort: Effort | undefined,
): JsonObject {
  if (effort === 'none') return { enabled: false };
  if (asked === undefined && budgetTokens !== undefined) return { max_tokens: budgetTokens };
  return effort === undefined ? { enabled: true } : { effort: words[effort] };
}

/** Where the budget in tokens stands for an effort. */
const maxLowBudgetTokens = 4096;
const maxMediumBudgetTokens = 16_384;

function effortOf({ effort, budgetTokens }: Reasoning): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort;
  if (budgetTokens <= maxLowBudgetTokens) return 'low';
  return budgetTokens <= maxMediumBudgetTokens ? 'medium' : 'high';
}
