/** Frames as text: the data of many at once, and the frame that says nothing. */

const carriageReturn = 0x0d;
const space = 0x20;
const field = 'data:';

/** Hands over the data of each frame in a block of whole frames; frames without any, such as comments, are passed over. */
export function eachData(block: string, take: (data: string) => void): void {
  let data: string | null = null;
  let at = 0;
  while (at < block.length) {
    const lineFeed = block.indexOf('\n', at);
    const next = lineFeed === -1 ? block.length : lineFeed;
    const end = next > at && block.charCodeAt(next - 1) === carriageReturn ? next - 1 : next;
    if (end === at) {
      if (data !== null) take(data);
      data = null;
    } else if (block.startsWith(field, at)) {
      const start = at + field.length;
      const value = block.slice(block.charCodeAt(start) === space ? start + 1 : start, end);
      data = data === null ? value : `${data}\n${value}`;
    }
    at = next + 1;
  }
  if (data !== null) take(data);
}

export const idleComment = ': still waiting\n\n';
