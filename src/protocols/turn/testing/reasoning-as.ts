/** What is left of the wish to reason when a vendor's words are all there are for it. */
import type { TurnRequest } from '../request.ts';
import type { DeclaredLosses } from './losses.ts';

export const reasoningAs: Readonly<
  Record<DeclaredLosses['vendor'], (request: TurnRequest) => TurnRequest['reasoning']>
> = {
  openai: effortAlone,
  anthropic: adaptive,
  google: levelAlone,
};

function effortAlone({ reasoning }: TurnRequest): TurnRequest['reasoning'] {
  if (reasoning?.effort === undefined || reasoning.thinking === 'off') return undefined;
  return { effort: reasoning.effort };
}

/** As Claude 4.6 is told, which thinks adaptively and has no effort between high and max. */
function adaptive({ reasoning, toolChoice, tools }: TurnRequest): TurnRequest['reasoning'] {
  if (reasoning === undefined) return undefined;
  const { effort: asked } = reasoning;
  const known = { none: undefined, minimal: 'low', xhigh: 'high' } as const;
  const effort = asked === 'none' || asked === 'minimal' || asked === 'xhigh' ? known[asked] : asked;
  if (reasoning.thinking === 'off' || reasoning.effort === 'none') return { thinking: 'off', effort };
  const isForced =
    tools.length > 0 &&
    (toolChoice?.type === 'required' ||
      toolChoice?.type === 'tool' ||
      (toolChoice?.type === 'allowed' && toolChoice.required));
  if (!isForced) return { thinking: 'adaptive', effort };
  return effort === undefined ? undefined : { effort };
}

/** As a model with four levels is told, which cannot be kept from thinking. */
function levelAlone({ reasoning }: TurnRequest): TurnRequest['reasoning'] {
  if (reasoning === undefined) return undefined;
  const { effort, thinking, budgetTokens } = reasoning;
  if (thinking === 'off' || effort === 'none') return { effort: 'minimal', thinking: 'adaptive' };
  if (effort === 'xhigh' || effort === 'max') return { effort: 'high', thinking: 'adaptive' };
  const ofBudget = budgetTokens === undefined ? undefined : budgetTokens > 4096 ? 'medium' : 'low';
  return { effort: effort ?? ofBudget, thinking: 'adaptive' };
}
