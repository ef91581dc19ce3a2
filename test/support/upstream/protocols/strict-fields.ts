/** Finds members that a strict host does not know. */
import type { JsonObject } from '../json.ts';

/** The first member that is not among the known ones. */
export function unknownField(object: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((name) => !known.includes(name));
}

export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
