/**
 * Responses to responses: the bytes pass through; only the model changes, and what is meant for the gateway alone or what
 * the upstream could not read back is left out. Of a stream each frame is read until the first content; after it only
 * frames that can carry usage, an error or the end are looked at.
 */
import { framesOf, readData } from '../../base/sse.ts';
import type { ExtrasSoFar, TokenUsage } from '../../base/token-usage.ts';
import { effortInstead } from '../chat-completions/models.ts';
import { endsInObject, memberName } from '../frames/frame-bytes.ts';
import { GeneratedText, generatedTextIn, type TextSample } from '../frames/generated-text.ts';
import {
  asCount,
  asFilledText,
  asList,
  asObject,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { leaveOutRouting } from '../json/routing-metadata.ts';
import { editEntries, editMembers, type MemberEdit, skimObject } from '../json/text.ts';
import { declaresHosted } from '../priced-features.ts';
import {
  brokenFrame,
  type InferenceRequest,
  type StreamTranslator,
  type Translator,
  type UpstreamComplaint,
  type WholeAnswer,
} from '../translator.ts';
import type { StreamPosition } from '../turn/events.ts';
import { unpackToolSignature } from '../turn/signature.ts';
import { brokenStatuses, readResponse } from './answer.ts';
import { readResponsesComplaint, responsesComplaintIn } from './errors.ts';
import { madeUpReasoningId, readEncrypted } from './items.ts';
import { ResponseExtras, readResponseUsage } from './outcome.ts';

export const responsesPassthrough: Translator = {
  writeRequest,
  readAnswer,
  readComplaint: readResponsesComplaint,
  openStream: ({ keep, json }) => new ResponsesPassthroughStream({ keep, hasHosted: declaresHosted(json) }),
};

function writeRequest({ text, json }: InferenceRequest, upstreamId: string): string {
  const edits = new Map<string, MemberEdit>([['model', JSON.stringify(upstreamId)]]);
  leaveOutRouting(edits, json);
  const effort = effortInstead(upstreamId, asObject(json['reasoning'])?.['effort']);
  if (effort === null) edits.set('reasoning', null);
  else if (effort !== undefined) {
    edits.set('reasoning', (own) => editMembers(own, new Map([['effort', JSON.stringify(effort)]])));
  }
  const items = asList(json['input']);
  if (items.length > 0 && (text.includes(madeUpReasoningId) || text.includes('"sluice'))) {
    edits.set('input', (own) => editEntries(own, (item, at) => withoutForeign(item, items[at])));
  }
  return editMembers(text, edits, json);
}

/**
 * Reasoning of another vendor's model, from before the conversation moved here, is left out: the upstream would refuse
 * it. What is encrypted fits the id that the upstream gave and no other; without one it is taken.
 */
function withoutForeign(own: string, item: unknown): string | null {
  if (!isJsonObject(item) || item['type'] !== 'reasoning') return own;
  const encrypted = asFilledText(item['encrypted_content']);
  const isMadeUp = asFilledText(item['id'])?.startsWith(madeUpReasoningId) === true;
  if (encrypted === undefined) return isMadeUp ? null : own;
  if (unpackToolSignature(encrypted) !== null || readEncrypted(encrypted).origin !== 'openai') return null;
  return isMadeUp ? editMembers(own, withoutId, item) : own;
}

const withoutId: ReadonlyMap<string, MemberEdit> = new Map([
  ['id', null],
  ['content', null],
]);

/** OpenAI tells the tier that served an answer behind its output and in front of its counts. */
const ends = { list: 'output', last: 'usage', between: 'service_tier' } as const;

/** Only an answer that says in front of its output how it ended can be taken by its ends: one that failed is an error. */
function readAnswer(body: string, { json, keep }: InferenceRequest): WholeAnswer {
  // What hosted tools did stands in the output.
  const skimmed = declaresHosted(json) ? null : skimObject(body, ends);
  const hasSucceeded =
    asFilledText(skimmed?.['status']) !== undefined && !brokenStatuses.has(skimmed?.['status']);
  const usage = hasSucceeded ? readResponseUsage(skimmed ?? undefined) : null;
  const answer = usage === null ? readWhole(body) : { body, usage, generated: '' };
  keep?.(body);
  return answer;
}

function readWhole(body: string): WholeAnswer {
  const response = readResponse(tryParseJson(body));
  const usage = readResponseUsage(response);
  return { body, usage, generated: usage === null ? generatedTextIn(response['output']) : '' };
}

const nothing = new Uint8Array();
/** Of a frame without its text. */
const usualEnvelopeBytes = 230;
/** The frames that matter after the first content have one of these in them, as a type or a member's name. */
const watched = [
  ...['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'].map(memberName),
  ...['error', 'detail'].map(memberName),
];
/** And where the vendor is to run tools of its own: an item begins, or is done. */
const watchedItems = [
  ...watched,
  ...['response.output_item.added', 'response.output_item.done'].map(memberName),
];
/** Of another protocol, and sent by some hosts all the same. */
const lastWord = '[DONE]';
/** How the types of frames end that repeat what was generated. */
const repeating = Buffer.from('.done"');
const adding = Buffer.from('.delta"');
const [textDone, itemDone, message] = [
  memberName('response.output_text.done'),
  memberName('response.output_item.done'),
  memberName('message'),
];

class ResponsesPassthroughStream implements StreamTranslator {
  hasContent = false;
  isComplete = false;
  isTextDone = false;
  complaint: UpstreamComplaint | null = null;
  usage: TokenUsage | null = null;
  readonly #generated = new GeneratedText(usualEnvelopeBytes);
  readonly #extras = new ResponseExtras();
  readonly #keep: InferenceRequest['keep'];
  readonly #watched: readonly Buffer[];
  /** Of the response. */
  #id: string | undefined;
  /** The last that went on to the client, comments aside. */
  #last: Buffer = Buffer.alloc(0);

  constructor({ keep, hasHosted }: { keep: InferenceRequest['keep']; hasHosted: boolean }) {
    this.#keep = keep;
    this.#watched = hasHosted ? watchedItems : watched;
  }

  /** The last event says at once that it is the last. */
  get isEnded(): boolean {
    return this.isComplete;
  }

  get usageSoFar(): TokenUsage | null {
    return this.usage;
  }

  get extrasSoFar(): ExtrasSoFar {
    return this.#extras.soFar;
  }

  get generatedCharacters(): number {
    return this.#generated.characters;
  }

  sampleGenerated(): TextSample {
    return this.#generated.sample();
  }

  push(block: Buffer): Uint8Array {
    // A block that does not end like a frame ends in a comment, or in a frame that was cut short.
    if (this.hasContent && endsInObject(block) && !this.#isWatched(block) && !has(block, repeating)) {
      this.#generated.add(block);
      this.#last = block;
      return block;
    }
    let length = 0;
    for (const whole of framesOf(block)) {
      if (this.isEnded && readData(whole) !== lastWord) break;
      if (!this.hasContent || !endsInObject(whole) || this.#isWatched(whole)) this.#readFrame(whole);
      if (this.complaint !== null) break;
      if (has(whole, adding)) this.#generated.add(whole);
      if (endsText(whole)) this.isTextDone = true;
      if (endsInObject(whole)) this.#last = whole;
      length += whole.length;
    }
    return block.subarray(0, length);
  }

  position(): StreamPosition {
    const numbers = [...framesOf(this.#last)].map((each) =>
      asCount(asObject(tryParseJson(readData(each) ?? ''))?.['sequence_number']),
    );
    const last = numbers.findLast((number) => number !== undefined);
    return { id: this.#id, nextNumber: last === undefined ? 0 : last + 1 };
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
    this.#extras.note(event);
    this.#id ??= asFilledText(asObject(event['response'])?.['id']);
    switch (event['type']) {
      case 'response.completed':
      case 'response.incomplete':
        this.usage = readResponseUsage(asObject(event['response']));
        if (event['response'] != null) this.#keep?.(JSON.stringify(event['response']));
        this.hasContent = true;
        this.isComplete = true;
        break;
      case 'response.failed':
      case 'response.cancelled':
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

  #isWatched(block: Buffer): boolean {
    for (const needle of this.#watched) if (has(block, needle)) return true;
    return false;
  }

  #lookForContent(whole: Buffer, event: JsonObject): void {
    const delta = asFilledText(event['delta']);
    this.hasContent = delta !== undefined || isVisible(event);
    if (delta !== undefined) this.#generated.learn(whole.length, Buffer.byteLength(delta));
  }
}

const has = (block: Buffer, needle: Buffer): boolean => block.indexOf(needle) !== -1;

/** A call of a tool named `message` is taken for one too, which costs no more than a longer wait. */
const endsText = (whole: Buffer): boolean =>
  has(whole, textDone) || (has(whole, itemDone) && has(whole, message));

/** Whether an event shows the client anything: messages and reasoning begin with nothing in them, calls with a name. */
function isVisible(event: JsonObject): boolean {
  if (event['type'] === 'response.output_item.done') return true;
  const itemType = asObject(event['item'])?.['type'];
  return event['type'] === 'response.output_item.added' && itemType !== 'message' && itemType !== 'reasoning';
}
