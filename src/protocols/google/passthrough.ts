/** generateContent to generateContent: the bytes pass through; model and streaming stand in the URL anyway. */

import { framesOf } from '../../base/sse.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { tryParseJson } from '../json/fields.ts';
import { StreamReading } from '../stream-reading.ts';
import type {
  InferenceRequest,
  StreamTranslator,
  Translator,
  UpstreamComplaint,
  WholeAnswer,
} from '../translator.ts';
import { readGoogleAnswer } from './answer.ts';
import { readGoogleComplaint } from './errors.ts';
import { GoogleEventReader } from './read-stream.ts';

export const googlePassthrough: Translator = {
  writeRequest: ({ text }: InferenceRequest) => text,
  readAnswer,
  readComplaint: readGoogleComplaint,
  openStream: () => new GooglePassthroughStream(),
};

function readAnswer(body: string): WholeAnswer {
  const { choices, usage } = readGoogleAnswer(tryParseJson(body));
  return { body, usage, generatedCharacters: usage === null ? JSON.stringify(choices).length : 0 };
}

const nothing = new Uint8Array();

export class GooglePassthroughStream implements StreamTranslator {
  readonly #read = new StreamReading(new GoogleEventReader());

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
}
