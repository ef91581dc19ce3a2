/** Follows one streamed chat completion on a socket: when its first event came, how many there were, whether it ended as it should. */
import { chatStreamEvents } from './chat-question.ts';

const eventStart = Buffer.from('data: ');
const goodEnd = 'data: [DONE]\n\n\r\n0\r\n\r\n';

export class StreamReader {
  readonly #startedAtMs = performance.now();
  #tail = '';
  #events = 0;
  firstEventMs: number | undefined;

  /** The answer has ended, whole and in order. */
  get isComplete(): boolean {
    return this.#events === chatStreamEvents && this.#tail.endsWith(goodEnd);
  }

  receive(bytes: Buffer): void {
    let found = bytes.indexOf(eventStart);
    if (found >= 0) this.firstEventMs ??= performance.now() - this.#startedAtMs;
    for (; found >= 0; found = bytes.indexOf(eventStart, found + eventStart.length)) this.#events += 1;
    this.#tail = (this.#tail + bytes.toString('latin1')).slice(-goodEnd.length);
  }
}
