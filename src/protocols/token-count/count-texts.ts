/** The tokens of many texts, counted without keeping everything else in the process waiting. */
import { setImmediate } from 'node:timers/promises';
import { sliceText } from './text-slices.ts';
import { openTokenizer } from './tokenizer.ts';

/** As the tokeniser itself takes them, so that the count is the same. */
const sliceCharacters = 4096;
/** After as much text everything else has a turn. */
const turnCharacters = 16_384;

/** @returns one count for all of them. */
export async function countTexts(texts: Iterable<string>): Promise<number> {
  const tokenizer = await openTokenizer();
  let tokens = 0;
  let sinceTurn = 0;
  for (const text of texts) {
    for (const slice of sliceText(text, sliceCharacters)) {
      tokens += tokenizer.count(slice);
      sinceTurn += slice.length;
      if (sinceTurn < turnCharacters) continue;
      sinceTurn = 0;
      await setImmediate();
    }
  }
  return tokens;
}
