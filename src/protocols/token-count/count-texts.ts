/** The tokens of plain texts, as the tokeniser itself counts them. */
import { type CountingThread, countingThread } from './counting-thread.ts';

/** Of ordinary text, for when too much is being counted already. */
const usualBytesPerToken = 4;

/** @returns one count for all of them. */
export async function countTexts(
  texts: Iterable<string>,
  thread: CountingThread = countingThread,
): Promise<number> {
  const parts = [...texts].map((data) => ({ kind: 'text', data }) as const);
  const counted = await thread.ask({ kind: 'tokens', rates: null }, parts);
  return counted ?? parts.reduce((sum, { data }) => sum + guessTokens(data), 0);
}

/** @returns the index of the first text with more tokens than the limit, -1 when there is none. */
export async function findLongerText(
  texts: readonly string[],
  limitTokens: number,
  thread: CountingThread = countingThread,
): Promise<number> {
  const parts = texts.map((data) => ({ kind: 'text', data }) as const);
  const found = await thread.ask({ kind: 'first longer', limitTokens }, parts);
  return found ?? texts.findIndex((text) => guessTokens(text) > limitTokens);
}

const guessTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / usualBytesPerToken);
