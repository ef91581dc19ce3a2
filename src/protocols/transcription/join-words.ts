/** Segments made of words, of upstreams that give nothing but words. */
import type { TranscriptSegment } from './transcription.ts';

const longestSegmentS = 10;
const longestPauseS = 1;
const endOfSentence = /[.!?。！？…]["'”’)\]]*$/u;
/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A segment ends with its sentence, before a pause, and before it is too long to be read as one subtitle. */
export function joinWords(words: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  const segments: TranscriptSegment[] = [];
  let open: TranscriptSegment | undefined;
  for (const word of words) {
    if (open !== undefined && !belongs(open, word)) {
      segments.push(open);
      open = undefined;
    }
    open = open === undefined ? word : { ...open, endS: word.endS, text: append(open.text, word.text) };
  }
  if (open !== undefined) segments.push(open);
  return segments;
}

function belongs(open: TranscriptSegment, word: TranscriptSegment): boolean {
  if (endOfSentence.test(open.text) || word.startS - open.endS > longestPauseS) return false;
  return word.endS - open.startS <= longestSegmentS;
}

function append(text: string, word: string): string {
  const isTight = unspaced.test(text.at(-1) ?? '') && unspaced.test(word.at(0) ?? '');
  return isTight ? text + word : `${text} ${word}`;
}
