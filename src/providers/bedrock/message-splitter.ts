/** Cuts the bytes of a binary event stream into its messages, wherever the network has cut them. */
import { type EventMessage, preludeBytes, readLength, readMessage } from './event-message.ts';

export class MessageSplitter {
  /** What has come of the next message; joined only when it is whole, so that a long one is not copied for each piece. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #needed = preludeBytes;

  /** Adds the messages that this piece completes. @throws BrokenMessageError, having added those before the broken one. */
  push(piece: Uint8Array, messages: EventMessage[]): void {
    this.#pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    this.#bytes += piece.byteLength;
    while (this.#bytes >= this.#needed) {
      const joined = this.#join();
      const length = readLength(joined);
      if (joined.length < length) {
        this.#needed = length;
        return;
      }
      messages.push(readMessage(joined.subarray(0, length)));
      this.#pieces = [joined.subarray(length)];
      this.#bytes = joined.length - length;
      this.#needed = preludeBytes;
    }
  }

  #join(): Buffer {
    const [first] = this.#pieces;
    const joined = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }
}
