/** Entries of an answer that say which entry of the request they belong to. */
import { asCount, asObjects, type JsonObject } from '../json/fields.ts';
import { UnreadableAnswerError } from '../translator.ts';

export interface Indexed {
  readonly index: number;
  readonly entry: JsonObject;
}

/**
 * In the order of their indexes, from 0 and without a gap.
 * @throws UnreadableAnswerError unless there is exactly one for each of the `count` entries of the request.
 */
export function sortByIndex(list: readonly unknown[], count: number): readonly Indexed[] {
  const found = new Map<number, JsonObject>();
  for (const entry of asObjects(list)) {
    const index = asCount(entry['index']);
    if (index === undefined || index >= count) {
      throw new UnreadableAnswerError('an entry of the answer has an index that is none of the request');
    }
    if (found.has(index))
      throw new UnreadableAnswerError(`the answer has two entries with the index ${index}`);
    found.set(index, entry);
  }
  if (found.size !== count) {
    throw new UnreadableAnswerError(`the answer has ${found.size} entries where ${count} were asked for`);
  }
  return [...found].map(([index, entry]) => ({ index, entry })).sort((a, b) => a.index - b.index);
}
