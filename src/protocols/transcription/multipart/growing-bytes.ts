/** Bytes that arrive piece by piece and are held once, in one place. */

/**
 * Only room in the address space is reserved for the bound; memory is taken as bytes arrive, and what has arrived is
 * never moved. A list of pieces that is joined at the end, or a buffer that doubles, would hold an upload twice.
 */
export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #bytes = Buffer.alloc(0);

  /** @param maxBytes more than this must never be appended. */
  constructor(maxBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: maxBytes });
  }

  append(piece: Uint8Array): void {
    const begin = this.#memory.byteLength;
    this.#memory.resize(begin + piece.byteLength);
    this.#bytes = Buffer.from(this.#memory, 0, begin + piece.byteLength);
    this.#bytes.set(piece, begin);
  }

  /** All that has arrived. Views of it stay valid while more is appended. */
  get bytes(): Buffer {
    return this.#bytes;
  }
}
