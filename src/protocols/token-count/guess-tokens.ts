/**
 * How many tokens a text has, guessed by its letters in a bounded time: for when the thread that counts has too much to
 * do, or nobody may wait for it. The tokeniser is never loaded for it.
 */

/**
 * Tokens of o200k_base for one UTF-16 code unit of a script, from its first code unit to the next row's, as measured in
 * July 2026 over a paragraph of prose in each; guess-tokens.test.ts holds them against the tokeniser.
 */
const unitTokens: readonly (readonly [from: number, tokens: number])[] = [
  [0x80, 0.6], // Latin letters with marks, which split the word that they stand in.
  [0x370, 0.44], // Greek
  [0x400, 0.34], // Cyrillic
  [0x530, 0.7], // Armenian
  [0x590, 0.44], // Hebrew and Arabic
  [0x700, 1],
  [0x900, 0.4], // the scripts of India, Thai
  [0xe80, 1],
  [0x2000, 0.6], // marks and signs
  [0x2e80, 0.82], // Chinese, Japanese
  [0xac00, 0.83], // Korean
  [0xd7b0, 1], // pairs, among them emoji, whose two code units have two tokens
  [0xe000, 0.9],
];

/** English prose and code: a word has a token for each four letters, and takes the space in front of it along. */
const letterTokens = 0.25;
const markTokens = 0.5;
const breakTokens = 0.2;
const digitsPerToken = 3;
const space = 0x20;

/** Of a longer text so many windows are looked at, evenly from all of it. */
const windows = 64;
const windowCharacters = 256;
const mostCharacters = windows * windowCharacters;

/** Only files have so much in a row without a space. */
const base64 = /[\w+/=-]{64,}/g;

/** Of the tokeniser's own encoding. In a long text the content of a file in base64 counts nothing. */
export function guessTokens(text: string): number {
  if (text.length <= mostCharacters) return Math.ceil(guessSpan(text));
  const step = (text.length - windowCharacters) / (windows - 1);
  let tokens = 0;
  for (let index = 0; index < windows; index += 1) {
    const at = Math.floor(index * step);
    tokens += guessSpan(text.slice(at, at + windowCharacters).replace(base64, withoutFile));
  }
  return Math.ceil((tokens * text.length) / mostCharacters);
}

const withoutFile = (run: string): string => (/[a-z]/.test(run) && /[A-Z]/.test(run) ? '' : run);

function guessSpan(text: string): number {
  let tokens = 0;
  let digits = 0;
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      // A run of digits is taken three at a time, and leaves the space in front of it alone.
      if (digits % digitsPerToken === 0) tokens += 1;
      if (digits === 0 && before === space) tokens += 1;
      digits += 1;
    } else {
      digits = 0;
      tokens += tokensOf(code, before);
    }
    before = code;
  }
  return tokens;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function tokensOf(code: number, before: number): number {
  if (code >= 0x80) return tokensOfForeign(code);
  if (code > space) return isLetter(code) ? letterTokens : markTokens;
  return code === space && before > space ? 0 : breakTokens;
}

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

function tokensOfForeign(code: number): number {
  let tokens = 1;
  for (const [from, each] of unitTokens) {
    if (code < from) break;
    tokens = each;
  }
  return tokens;
}
