/**
 * This file writes a generateContent stream as Google does for clients that do not ask for server-sent events: one JSON
 * array, whose elements come one by one.
 */
import { FrameSplitter, framesOf, readData } from '../../base/sse.ts';

/** The frames have been bounded where they were read; conversion can make them somewhat longer. */
const maxFrameBytes = 128 * 1_048_576;

const encoder = new TextEncoder();

/** The frames of `body` as elements of an array. It is read as its reader reads, and cancelled with it. */
export function asJsonArray(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const splitter = new FrameSplitter(maxFrameBytes);
  let isOpen = false;
  let hasElements = false;
  const write = (block: Buffer): string => {
    let out = '';
    for (const frame of framesOf(block)) {
      const data = readData(frame);
      // Clients of Google's own look for the bracket at the very beginning of what comes first.
      if (!isOpen) out += '[';
      isOpen = true;
      // A comment is a sign of life, which white space is too.
      out += data === null ? '\n' : `${hasElements ? ',\r\n' : ''}${data}`;
      hasElements ||= data !== null;
    }
    return out;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let out = ''; out === ''; ) {
          const { done, value } = await reader.read();
          out = done ? `${write(splitter.rest())}${isOpen ? '' : '['}\n]` : write(splitter.push(value));
          if (out !== '') controller.enqueue(encoder.encode(out));
          if (done) controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
