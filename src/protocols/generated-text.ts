/**
 * How much text a stream has carried, without reading its frames: their bytes less what each spends on everything but
 * its text, which the first frame with content shows.
 */
const dataMark = 'data:';

export class GeneratedText {
  #characters = 0;
  #envelopeBytes: number;

  /** @param usualEnvelopeBytes of a frame without its text, until one has been seen. */
  constructor(usualEnvelopeBytes: number) {
    this.#envelopeBytes = usualEnvelopeBytes;
  }

  /** Bytes, which are characters or more: an estimate for streams that end without usage. */
  get characters(): number {
    return this.#characters;
  }

  learn(frameBytes: number, textBytes: number): void {
    this.#envelopeBytes = Math.max(1, frameBytes - textBytes);
  }

  /** @param block whole frames. */
  add(block: Buffer): void {
    let frames = 0;
    for (let at = block.indexOf(dataMark); at !== -1; at = block.indexOf(dataMark, at + dataMark.length))
      frames += 1;
    if (frames === 0) return;
    this.#characters += Math.max(frames, block.length - frames * this.#envelopeBytes);
  }
}
