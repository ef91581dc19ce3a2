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

  /** @param block whole frames. */
  add(block: Buffer): void {
    let frames = 0;
    for (let at = block.indexOf(dataMark); at !== -1; at = block.indexOf(dataMark, at + dataMark.length))
      frames += 1;
    if (frames === 0) return;
    this.#characters += Math.max(frames, block.length - frames * this.#envelopeBytes);
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
