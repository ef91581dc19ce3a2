/** An estimate of what a request will be billed as input, on the high side. README.md says how high. */
import type { TurnRequest } from '../turn/request.ts';
import { type CountingThread, countingThread, type Part } from './counting-thread.ts';
import { guessFileTokens } from './file-tokens.ts';
import { guessTokens as guessTextTokens } from './guess-tokens.ts';
import { type ModelRates, ratesOf, typicalRatesOf } from './model-rates.ts';
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

/**
 * What a request most likely took, for charges: neither high nor low.
 * @param model by its id at the upstream.
 */
export async function countTypicalTokens(
  turn: TurnRequest,
  model: string,
  thread: CountingThread = countingThread,
): Promise<number> {
  const rates = typicalRatesOf(model);
  const weight = new TurnWeight(rates);
  weighTurn(turn, weight);
  const { fixedTokens, parts } = weight;
  if (parts.length === 0) return fixedTokens;
  const counted = await thread.ask({ kind: 'tokens', rates }, parts);
  return fixedTokens + Math.round(counted ?? guessTypically(parts, rates));
}

function guessTypically(parts: readonly Part[], { images }: ModelRates): number {
  return parts.reduce((sum, { kind, data }) => {
    if (kind === 'text') return sum + guessTextTokens(data);
    return sum + (kind === 'text file' ? data.length / 5 : guessFileTokens(kind, data, images));
  }, 0);
}

function guessTokens(parts: readonly Part[], { ascii, foreign, images }: ModelRates): number {
  const perToken = guessedBytesPerToken / Math.max(ascii, foreign);
  return parts.reduce((sum, { kind, data }) => {
    const isText = kind === 'text' || kind === 'text file';
    return sum + (isText ? Buffer.byteLength(data) / perToken : guessFileTokens(kind, data, images));
  }, 0);
}
