/** An estimate of what a request will be billed as input, on the high side. README.md says how high. */
import type { TurnRequest } from '../turn/request.ts';
import { type CountingThread, countingThread, type Part } from './counting-thread.ts';
import { guessFileTokens } from './file-tokens.ts';
import { type ModelRates, ratesOf } from './model-rates.ts';
import { TurnWeight } from './turn-weight.ts';
import { weighTurn } from './weigh-turn.ts';

/** Prose has twice as many and dense code a little more, so that the guess is on the high side too. */
const guessedBytesPerToken = 2.5;

/**
 * Guessed by the length of texts and files when too much is being counted already.
 * @param model the one that is asked, by its id at the upstream; without it the highest rates hold.
 */
export async function countTurnTokens(
  turn: TurnRequest,
  model?: string,
  thread: CountingThread = countingThread,
): Promise<number> {
  const rates = ratesOf(model);
  const weight = new TurnWeight(rates);
  weighTurn(turn, weight);
  const { fixedTokens, parts } = weight;
  if (parts.length === 0) return fixedTokens;
  const counted = await thread.ask({ kind: 'tokens', rates }, parts);
  return fixedTokens + Math.ceil(counted ?? guessTokens(parts, rates));
}

function guessTokens(parts: readonly Part[], { ascii, foreign, images }: ModelRates): number {
  const perToken = guessedBytesPerToken / Math.max(ascii, foreign);
  return parts.reduce((sum, { kind, data }) => {
    const isText = kind === 'text' || kind === 'text file';
    return sum + (isText ? Buffer.byteLength(data) / perToken : guessFileTokens(kind, data, images));
  }, 0);
}
