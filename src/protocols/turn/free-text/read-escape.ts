/** Escape sequences inside the text of a JSON string. */

const letters: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

export interface Escape {
  readonly text: string;
  /** Of the sequence. */
  readonly length: number;
}

/**
 * @param at where the backslash stands. One that begins no sequence stands for itself.
 * @returns null when the sequence is not whole.
 */
export function readEscape(json: string, at: number): Escape | null {
  const letter = json[at + 1];
  if (letter === undefined) return null;
  if (letter !== 'u') {
    const text = letters[letter];
    return text === undefined ? { text: '\\', length: 1 } : { text, length: 2 };
  }
  const digits = json.slice(at + 2, at + 6);
  if (!/^[\da-f]*$/i.test(digits)) return { text: '\\', length: 1 };
  return digits.length < 4 ? null : { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
}
