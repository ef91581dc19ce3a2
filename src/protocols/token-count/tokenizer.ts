/** The tokeniser: OpenAI's o200k_base, loaded when somebody counts for the first time. README.md says why this one. */
import { setImmediate } from 'node:timers/promises';
import { cutRuns, sliceText } from './text-slices.ts';

export interface Tokenizer {
  /**
   * Marks such as `<|endoftext|>` count as the text that they are.
   * @param limit counting stops soon after it is exceeded; the result then says no more than that.
   */
  count(text: string, limit?: number): number;
}

/** What is tokenised before the limit is looked at. */
const sliceCharacters = 4096;

/** No mark in a text is special, so none is refused. */
const asPlainText = { disallowedSpecial: new Set<string>() };

let opening: Promise<Tokenizer> | null = null;

/** All callers share one; loading that failed is tried again by the next. */
export function openTokenizer(): Promise<Tokenizer> {
  opening ??= load().catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function load(): Promise<Tokenizer> {
  const { default: ranks } = await import('gpt-tokenizer/bpeRanks/o200k_base');
  const { GptEncoding } = await import('gpt-tokenizer/GptEncoding');
  // Reading the ranks and sorting them each take a while: others may run in between.
  await setImmediate();
  const encoding = GptEncoding.getEncodingApi('o200k_base', () => ranks);
  // It would keep callers' words in memory.
  encoding.setMergeCacheSize(0);
  return {
    count(text, limit = Number.POSITIVE_INFINITY) {
      let tokens = 0;
      for (const slice of sliceText(text, sliceCharacters)) {
        for (const part of cutRuns(slice)) tokens += encoding.countTokens(part, asPlainText);
        if (tokens > limit) break;
      }
      return tokens;
    },
  };
}
