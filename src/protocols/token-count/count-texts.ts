/** The tokens of plain texts, as the tokeniser itself counts them. */
import { type CountingThread, countingThread } from './counting-thread.ts';
import { guessTokens } from './guess-tokens.ts';
import { type ModelRates, typicalRatesOf } from './model-rates.ts';

/** @returns one count for all of them; a guess when too much is being counted already. */
export async function countTexts(
  texts: Iterable<string>,
  thread: CountingThread = countingThread,
): Promise<number> {
  return countAll([...texts], null, thread);
}

/** As a model most likely counts them. @param model by its id at the upstream. */
export async function countTextsFor(
  model: string,
  texts: readonly string[],
  thread: CountingThread = countingThread,
): Promise<number> {
  return Math.round(await countAll(texts, typicalRatesOf(model), thread));
}

async function countAll(
  texts: readonly string[],
  rates: ModelRates | null,
  thread: CountingThread,
): Promise<number> {
  if (texts.length === 0) return 0;
  const parts = texts.map((data) => ({ kind: 'text', data }) as const);
  const counted = await thread.ask({ kind: 'tokens', rates }, parts);
  return counted ?? texts.reduce((sum, text) => sum + guessTokens(text), 0);
}

/** No guess is so much above the truth. */
const surely = 0.7;

/** @returns the index of the first text with more tokens than the limit, -1 when there is none. */
export async function findLongerText(
  texts: readonly string[],
  limitTokens: number,
  thread: CountingThread = countingThread,
): Promise<number> {
  const parts = texts.map((data) => ({ kind: 'text', data }) as const);
  const found = await thread.ask({ kind: 'first longer', limitTokens }, parts);
  return found ?? texts.findIndex((text) => guessTokens(text) * surely > limitTokens);
}
