/** Streamed transcriptions of OpenAI and hosts like it: the bytes pass through, and what was written down is read along. */
import { framesOf, readData } from '../../base/sse.ts';
import { complaintIn } from '../chat-completions/errors.ts';
import type { TextSample } from '../frames/generated-text.ts';
import { asFilledText, isJsonObject, tryParseJson } from '../json/fields.ts';
import {
  brokenFrame,
  ComplaintError,
  type StreamTranslator,
  UnreadableAnswerError,
  type UpstreamComplaint,
} from '../translator.ts';
import { readOpenaiTranscription } from './openai.ts';
import type { TranscriptionAnswer } from './transcription.ts';

const nothing = new Uint8Array();

export class TranscriptStream implements StreamTranslator {
  hasContent = false;
  isComplete = false;
  complaint: UpstreamComplaint | null = null;
  /** Seconds belong to it too, which events do not tell: `answer` is what is paid by. */
  readonly usage = null;
  readonly usageSoFar = null;
  #text = '';
  #last: TranscriptionAnswer | null = null;

  get isEnded(): boolean {
    return this.isComplete;
  }

  get generatedCharacters(): number {
    return this.#text.length;
  }

  sampleGenerated(): TextSample {
    return { texts: [this.#text], times: 1 };
  }

  /** So far, or as the upstream told it at the end. */
  get answer(): TranscriptionAnswer {
    return this.#last ?? { text: this.#text, durationMs: null, segments: [], words: [], tokens: null };
  }

  push(block: Buffer): Uint8Array {
    let length = 0;
    for (const frame of framesOf(block)) {
      if (this.isEnded) break;
      this.#read(readData(frame));
      if (this.complaint !== null) break;
      length += frame.length;
    }
    return block.subarray(0, length);
  }

  end(): Uint8Array {
    return nothing;
  }

  #read(data: string | null): void {
    if (data === null || data === '') return;
    const event = tryParseJson(data);
    if (!isJsonObject(event)) {
      this.complaint = brokenFrame;
      return;
    }
    switch (event['type']) {
      case 'transcript.text.delta': {
        const delta = asFilledText(event['delta']);
        if (delta === undefined) break;
        this.hasContent = true;
        this.#text += delta;
        break;
      }
      case 'transcript.text.done':
        this.#readEnd(event);
        break;
      case 'transcript.text.segment':
        this.hasContent = true;
        break;
      default:
        this.complaint = complaintIn(event);
    }
  }

  /** What cannot be read of it is the upstream's mistake, also where the client has had a part of the text. */
  #readEnd(event: Readonly<Record<string, unknown>>): void {
    try {
      this.#last = readOpenaiTranscription(event);
      this.hasContent = true;
      this.isComplete = true;
    } catch (thrown) {
      if (thrown instanceof ComplaintError) this.complaint = thrown.complaint;
      else if (thrown instanceof UnreadableAnswerError) this.complaint = brokenFrame;
      else throw thrown;
    }
  }
}
