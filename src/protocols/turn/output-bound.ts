/** The bound on the output, within what the upstream's model can write. */
import type { ModelFacts, TurnRequest } from './request.ts';

/** Upstreams refuse more than their model can write; callers who ask for more mean: as much as there is. */
export function withinBound(turn: TurnRequest, { maxOutputTokens: most }: ModelFacts): TurnRequest {
  const { maxOutputTokens: asked } = turn;
  return asked === undefined || most === undefined || asked <= most
    ? turn
    : { ...turn, maxOutputTokens: most };
}
