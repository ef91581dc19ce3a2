/** A stream whose client has gone, which is read on for a while: only its end tells what it took. */
import type { OpenStream } from '../upstream/index.ts';

/**
 * One that still generates goes on costing until it is cut, so that only an end that is near is waited for; 64 KiB are
 * some 300 tokens of chat completions. One that has said how the answer ended generates nothing more, and its usage is
 * worth a longer wait; so is that of one whose text is done, where the last event repeats all that was said and asked.
 */
const generatingMs = 5000;
const completeMs = 10_000;
const mostBytes = 65_536;

export class ReadingOn {
  readonly #stream: OpenStream;
  #awaitsUsage = false;
  #bytes = 0;

  constructor(stream: OpenStream) {
    this.#stream = stream;
    stream.call.linger(generatingMs);
    this.#noteEnd();
  }

  /** @param bytes of whole frames that came since the last time: the one with the usage may be longer than the rest. */
  goesOn(bytes: number): boolean {
    const { translator } = this.#stream;
    this.#noteEnd();
    if (!this.#awaitsUsage) this.#bytes += bytes;
    const isOver = translator.isEnded || translator.usage !== null || translator.complaint !== null;
    return !isOver && this.#bytes <= mostBytes;
  }

  #noteEnd(): void {
    const { translator, call } = this.#stream;
    const isNearEnd = translator.isComplete || translator.isTextDone === true;
    if (!isNearEnd || this.#awaitsUsage) return;
    this.#awaitsUsage = true;
    call.linger(completeMs);
  }
}
