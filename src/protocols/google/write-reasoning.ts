/** How much to think, as the upstream's model wants to be told. */

import type { JsonObject } from '../json/fields.ts';
import type { Effort, Reasoning } from '../turn/request.ts';
import type { GeminiModel, ThinkingLevel } from './gemini-model.ts';

/** Where the budget in tokens stands for an effort. */
const maxLowBudgetTokens = 4096;
const maxMediumBudgetTokens = 16_384;

const budgetByEffort = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
} as const satisfies Record<Exclude<Effort, 'none'>, number>;

/** Thoughts are shown to whoever asks for thinking. Level and budget together are refused. */
export function writeReasoning(reasoning: Reasoning | undefined, model: GeminiModel): JsonObject | undefined {
  if (reasoning === undefined || model.thinking === 'none') return undefined;
  const { effort, thinking, budgetTokens } = reasoning;
  const writesLevel = model.thinking === 'level';
  if (thinking === 'off' || effort === 'none')
    return writesLevel ? writeLevel('minimal', model) : writeOff(model);
  const includeThoughts = true;
  if (writesLevel) {
    const wanted = effort ?? effortOf(budgetTokens);
    return wanted === undefined ? { includeThoughts } : { ...writeLevel(wanted, model), includeThoughts };
  }
  const wanted = budgetTokens ?? (effort === undefined ? undefined : budgetByEffort[effort]);
  const { least, most } = model.budget;
  const thinkingBudget = wanted === undefined ? -1 : Math.min(most, Math.max(least, wanted));
  return { thinkingBudget, includeThoughts };
}

/** Some models always think, the least they can. */
function writeOff({ budget }: GeminiModel): JsonObject {
  return { thinkingBudget: budget.canBeOff ? 0 : budget.least };
}

function effortOf(budgetTokens: number | undefined): ThinkingLevel | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= maxLowBudgetTokens) return 'low';
  return budgetTokens <= maxMediumBudgetTokens ? 'medium' : 'high';
}

const order = ['minimal', 'low', 'medium', 'high'] as const satisfies readonly ThinkingLevel[];

/** The level itself, or the next higher one that the model has. */
function writeLevel(effort: Exclude<Effort, 'none'>, { levels }: GeminiModel): JsonObject {
  const wanted = effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  const fitting = order.slice(order.indexOf(wanted)).find((level) => levels.includes(level)) ?? 'high';
  return { thinkingLevel: fitting.toUpperCase() };
}
