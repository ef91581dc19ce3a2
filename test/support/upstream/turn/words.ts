/** The stock words of made-up answers, one token each. */

const plainWords = ['calm', 'rivers', 'carry', 'small', 'boats', 'past', 'quiet', 'mills', 'before', 'dawn'];
/** Two to four bytes a character, joined emoji, right-to-left and combining marks. */
const otherWords = ['水門', '🚤', 'größer', '운하', '👩‍🔧', 'שער', 'שָׁלוֹם', 'नदी', '𝛿', 'e\u0301clat'];

/** `count` pieces that join to one text. */
export function stockWords(count: number, nonAscii: boolean): string[] {
  const words = nonAscii ? otherWords : plainWords;
  return Array.from({ length: count }, (_, index) => {
    const word = words[index % words.length] ?? '';
    return index === 0 ? word : ` ${word}`;
  });
}

/** The text cut before each run of spaces, so that joining the pieces gives the text back. */
export function piecesOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** The text cut every `size` characters. */
export function fragmentsOf(text: string, size: number): string[] {
  const characters = Array.from(text);
  const fragments: string[] = [];
  for (let index = 0; index < characters.length; index += size) {
    fragments.push(characters.slice(index, index + size).join(''));
  }
  return fragments;
}
