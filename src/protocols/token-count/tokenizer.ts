/** The tokeniser: OpenAI's o200k_base, loaded when somebody counts for the first time. README.md says why this one. */
import { setImmediate } from 'node:timers/promises';

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

/** A run of this many characters that the tokeniser's pattern would not divide is cut. */
const longestRun = 64;

/**
 * Merging takes time with the square of a piece's length. Letters with their marks, and everything that is neither
 * letter nor digit, are the two kinds of run that the pattern leaves whole; digits it takes three at a time.
 */
const longRun = new RegExp(`[\\p{L}\\p{M}]{${longestRun}}|[^\\p{L}\\p{N}]{${longestRun}}`, 'gu');

/** How far back a slice looks for a place where no token is cut. */
const lookBack = 256;

const space = 0x20;

/** The text in order, in slices of at most `longest` characters; none ends within a surrogate pair. */
export function* sliceText(text: string, longest: number): Generator<string> {
  let from = 0;
  while (text.length - from > longest) {
    const to = endOfSlice(text, from + longest);
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}

/** The text in order, cut within runs that are too long. */
export function* cutRuns(text: string): Generator<string> {
  let from = 0;
  for (const { 0: run, index } of text.matchAll(longRun)) {
    const to = index + run.length;
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}

/** In front of a single space between words a token always begins; without one the cut adds a token at most. */
function endOfSlice(text: string, latest: number): number {
  for (let at = latest; at > latest - lookBack; at -= 1) {
    if (text.charCodeAt(at) === space && !isBlank(text, at - 1) && !isBlank(text, at + 1)) return at;
  }
  return isHighSurrogate(text.charCodeAt(latest - 1)) ? latest - 1 : latest;
}

const isBlank = (text: string, at: number): boolean => text.charAt(at).trim() === '';

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
