/**
 * The body of a streamed answer as server-sent events. It is pulled: nothing is read from the upstream until what came
 * before is taken. A stream that was cut ends as it was cut, without the events that would make it whole.
 */
import { BrokenMessageError, type EventMessage } from './event-message.ts';
import { exceptionFrame, frameOfMessage } from './frame-of-message.ts';
import { MessageSplitter } from './message-splitter.ts';

/** @param opening frames that go before the first. */
export function receiveStream(body: ReadableStream<Uint8Array>, opening: string): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const splitter = new MessageSplitter();
  const encoder = new TextEncoder();
  let isOpened = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isOpened) {
          isOpened = true;
          controller.enqueue(encoder.encode(opening));
          return;
        }
        while (true) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const { frames, isBroken } = framesIn(splitter, value);
          if (frames !== '') controller.enqueue(encoder.encode(frames));
          if (isBroken) {
            controller.close();
            await reader.cancel();
            return;
          }
          if (frames !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A broken message ends the stream with an exception, behind the messages that came whole before it. */
function framesIn(splitter: MessageSplitter, piece: Uint8Array): { frames: string; isBroken: boolean } {
  const messages: EventMessage[] = [];
  let broken = '';
  try {
    splitter.push(piece, messages);
  } catch (thrown) {
    if (!(thrown instanceof BrokenMessageError)) throw thrown;
    broken = exceptionFrame({ type: 'brokenMessage', message: thrown.message });
  }
  return { frames: messages.map(frameOfMessage).join('') + broken, isBroken: broken !== '' };
}
