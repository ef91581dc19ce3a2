/**
 * A Responses stream on its way through. Until the first content each frame is read; after it only frames that can
 * carry usage, an error or the end are looked at.
 */
import { framesOf, readData } from '../../base/sse.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { endsInObject, memberName } from '../frames/frame-bytes.ts';
import { GeneratedText } from '../frames/generated-text.ts';
import { asFilledText, asObject, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { brokenFrame, type StreamTranslator, type UpstreamComplaint } from '../translator.ts';
import { responsesComplaintIn } from './errors.ts';
import { readResponsesUsage } from './outcome.ts';

const nothing = new Uint8Array();
/** Of a frame without its text. */
const usualEnvelopeBytes = 230;
/** The frames that matter after the first content have one of these in them, as a type or a member's name. */
const watched = ['response.completed', 'response.incomplete', 'response.failed', 'error', 'detail'].map(
  memberName,
);
/** Of another protocol, and sent by some hosts all the same. */
const lastWord = '[DONE]';
/** How the types of frames end that repeat what was generated. */
const repeating = Buffer.from('.done"');
const adding = Buffer.from('.delta"');

export class ResponsesPassthroughStream implements StreamTranslator {
  hasContent = false;
  isComplete = false;
  complaint: UpstreamComplaint | null = null;
  usage: TokenUsage | null = null;
  readonly #generated = new GeneratedText(usualEnvelopeBytes);

  /** The last event says at once that it is the last. */
  get isEnded(): boolean {
    return this.isComplete;
  }

  get generatedCharacters(): number {
    return this.#generated.characters;
  }

  push(block: Buffer): Uint8Array {
    // A block that does not end like a frame ends in a comment, or in a frame that was cut short.
    if (this.hasContent && endsInObject(block) && !isWatched(block) && !has(block, repeating)) {
      this.#generated.add(block);
      return block;
    }
    let length = 0;
    for (const whole of framesOf(block)) {
      if (this.isEnded && readData(whole) !== lastWord) break;
      if (!this.hasContent || !endsInObject(whole) || isWatched(whole)) this.#readFrame(whole);
      if (this.complaint !== null) break;
      if (has(whole, adding)) this.#generated.add(whole);
      length += whole.length;
    }
    return block.subarray(0, length);
  }

  end(): Uint8Array {
    return nothing;
  }

  #readFrame(whole: Buffer): void {
    const data = readData(whole);
    if (data === null || data === '' || data === lastWord) return;
    const event = tryParseJson(data);
    if (!isJsonObject(event)) {
      this.complaint ??= brokenFrame;
      return;
    }
    switch (event['type']) {
      case 'response.completed':
      case 'response.incomplete':
        this.usage = readResponsesUsage(asObject(event['response'])?.['usage']);
        this.hasContent = true;
        this.isComplete = true;
        break;
      case 'response.failed':
      case 'error':
        this.complaint ??= responsesComplaintIn(event) ?? brokenFrame;
        break;
      case undefined:
        this.complaint ??= responsesComplaintIn(event);
        break;
      default:
        if (!this.hasContent) this.#lookForContent(whole, event);
    }
  }

  #lookForContent(whole: Buffer, event: JsonObject): void {
    const delta = asFilledText(event['delta']);
    this.hasContent = delta !== undefined || isVisible(event);
    if (delta !== undefined) this.#generated.learn(whole.length, Buffer.byteLength(delta));
  }
}

const has = (block: Buffer, needle: Buffer): boolean => block.indexOf(needle) !== -1;

function isWatched(block: Buffer): boolean {
  for (const needle of watched) if (has(block, needle)) return true;
  return false;
}

/** Whether an event shows the client anything: messages and reasoning begin with nothing in them, calls with a name. */
function isVisible(event: JsonObject): boolean {
  if (event['type'] === 'response.output_item.done') return true;
  const itemType = asObject(event['item'])?.['type'];
  return event['type'] === 'response.output_item.added' && itemType !== 'message' && itemType !== 'reasoning';
}
