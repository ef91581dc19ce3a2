/** How much to think, and what of it to show. */
import type { UpstreamModel } from '../protocol.ts';
import type { Effort, Reasoning } from '../turn/request.ts';
import type { JsonObject } from '../turn/tools.ts';

/** Families that do not think, for models of which nothing else is known. */
const plainModels = /(^|[/.:])(gpt-3|gpt-4|chatgpt-)|-chat(-|$)/;

/** Others are asked for their thinking as well, and refuse to be asked. */
export function doesReason({ id, reasons }: UpstreamModel): boolean {
  return reasons ?? !plainModels.test(id);
}

/** A summary is asked for where the caller's protocol would show the thinking. */
export function writeReasoning(reasoning: Reasoning | undefined): JsonObject | undefined {
  if (reasoning === undefined || reasoning.thinking === 'off') return undefined;
  const effort = reasoning.effort ?? effortFor(reasoning.budgetTokens);
  const isShown = reasoning.thinking !== undefined && effort !== 'none';
  if (effort === undefined && !isShown) return undefined;
  return { effort, summary: isShown ? 'auto' : undefined };
}

/** Where the budget in tokens stands for an effort. */
const maxLowBudgetTokens = 4096;
const maxMediumBudgetTokens = 16_384;

function effortFor(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= maxLowBudgetTokens) return 'low';
  return budgetTokens <= maxMediumBudgetTokens ? 'medium' : 'high';
}
