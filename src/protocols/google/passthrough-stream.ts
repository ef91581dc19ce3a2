/** A generateContent stream on its way through: its bytes stay as they are, and each frame is read beside them. */
import { framesOf } from '../../base/sse.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { ConvertedStream } from '../translate/converted-stream.ts';
import type { StreamTranslator, UpstreamComplaint } from '../translator.ts';
import { GoogleEventReader } from './read-stream.ts';

const nothing = new Uint8Array();
const silent = { write: () => '' };

export class GooglePassthroughStream implements StreamTranslator {
  readonly #read = new ConvertedStream({ reader: new GoogleEventReader(), writer: silent });

  get hasContent(): boolean {
    return this.#read.hasContent;
  }

  get isComplete(): boolean {
    return this.#read.isComplete;
  }

  get isEnded(): boolean {
    return this.#read.isEnded;
  }

  get complaint(): UpstreamComplaint | null {
    return this.#read.complaint;
  }

  get usage(): TokenUsage | null {
    return this.#read.usage;
  }

  get generatedCharacters(): number {
    return this.#read.generatedCharacters;
  }

  /** Up to the first frame that is an error or cannot be read: it is not for the client, nor is what follows it. */
  push(block: Buffer): Uint8Array {
    let length = 0;
    for (const frame of framesOf(block)) {
      this.#read.push(frame);
      if (this.complaint !== null) break;
      length += frame.length;
    }
    return block.subarray(0, length);
  }

  end(): Uint8Array {
    this.#read.end();
    return nothing;
  }

  idle(): Uint8Array {
    return this.#read.idle();
  }
}
