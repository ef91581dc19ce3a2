/** How much was generated where nobody said so: characters by the length of a stream's frames, tokens by characters. */
import type { TokenUsage } from '../../base/token-usage.ts';

const dataMark = Buffer.from('data:');

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

  /**
   * @param block whole frames.
   * @param isSilent whether a frame is known to bring nothing, such as a ping, which is to keep no stream alive.
   */
  add(block: Buffer, isSilent?: (frame: Buffer) => boolean): void {
    let frames = 0;
    let { length } = block;
    let at = block.indexOf(dataMark);
    while (at !== -1) {
      const next = block.indexOf(dataMark, at + dataMark.length);
      const end = next === -1 ? block.length : next;
      if (isSilent?.(block.subarray(at, end)) === true) length -= end - at;
      else frames += 1;
      at = next;
    }
    if (frames === 0) return;
    this.#characters += Math.max(frames, length - frames * this.#envelopeBytes);
  }
}

/** The usual rule of thumb for English text. */
const charactersPerToken = 4;

export const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken);

/** For a stream that told its input at the start and then broke off before it told its output. */
export function withEstimatedOutput(atStart: TokenUsage, generatedCharacters: number): TokenUsage {
  const estimate = estimateTokens(generatedCharacters);
  return { ...atStart, outputTokens: Math.max(atStart.outputTokens, estimate), estimated: true };
}
