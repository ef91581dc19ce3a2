/** Line ends of server-sent events: LF, CRLF or a return alone, of which only the first two are dealt with elsewhere. */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const returnByte = Buffer.of(carriageReturn);

/** Makes a line feed of each return that ends a line by itself, wherever the chunks are cut. */
export class LoneReturns {
  /** The last byte was a return, and the next will tell what it is. */
  #holdsReturn = false;
  /** The last byte was a return by itself, so that a line feed behind it is a part of the same line end. */
  #skipsLineFeed = false;

  replace(chunk: Buffer): Buffer {
    if (chunk.length === 0) return chunk;
    let bytes = this.#skipsLineFeed && chunk[0] === lineFeed ? chunk.subarray(1) : chunk;
    this.#skipsLineFeed = false;
    if (this.#holdsReturn) bytes = Buffer.concat([returnByte, bytes]);
    this.#holdsReturn = false;
    const first = bytes.indexOf(carriageReturn);
    return first === -1 ? bytes : this.#replaceFrom(bytes, first);
  }

  #replaceFrom(bytes: Buffer, first: number): Buffer {
    let replaced: Buffer | null = null;
    for (let at = first; at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
      const next = bytes[at + 1];
      if (next === lineFeed) continue;
      // An empty line is told at once, since nothing may come behind it.
      if (next === undefined && bytes[at - 1] !== carriageReturn) {
        this.#holdsReturn = true;
        return (replaced ?? bytes).subarray(0, at);
      }
      this.#skipsLineFeed = next === undefined;
      replaced ??= Buffer.from(bytes);
      replaced[at] = lineFeed;
    }
    return replaced ?? bytes;
  }
}
