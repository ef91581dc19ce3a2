/** The end of a stream whose last frame lacks the blank line that would end it. */
import { type FrameSplitter, readData } from '../../base/sse.ts';
import { tryParseJson } from '../json/fields.ts';

const nothing = Buffer.alloc(0);
const blankLine = Buffer.from('\n\n');

/** The last frame if it came whole, as not every host ends it; a piece of one is nothing: the connection was cut. */
export function closingBlock(splitter: FrameSplitter): Buffer {
  const rest = splitter.rest();
  const data = readData(rest);
  if (data === null || (data !== '[DONE]' && tryParseJson(data) === undefined)) return nothing;
  return Buffer.concat([rest, blankLine]);
}
