/** Chat completion streams into events, each choice by a reader of its own. */
import type { ExtrasSoFar } from '../../base/token-usage.ts';
import {
  asCount,
  asFilledText,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint, unfinishedAnswer } from '../translator.ts';
import type { Citation } from '../turn/citations.ts';
import type { BlockHead, TurnEvent } from '../turn/events.ts';
import type { Signature } from '../turn/signature.ts';
import { readAnnotations, readSources } from './citations.ts';
import { complaintIn } from './errors.ts';
import { readImages } from './images.ts';
import { callOf } from './legacy-functions.ts';
import { readChatStop, readChunkUsage, readFailure, readLogprobs, readToldTier } from './outcome.ts';
import { argumentMembers, readThinkingPart } from './read-messages.ts';
import { ToolCallsReader } from './read-tool-calls.ts';
import { readDetailSignature, readDetailText, readEncrypted } from './reasoning-details.ts';

/** What the protocol lets callers ask for; a choice beyond it is nobody's. */
const mostChoices = 128;

export class ChatEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  #isStarted = false;
  isEnded = false;
  #tier: ExtrasSoFar['tier'];
  readonly #choices = new Map<number, ChoiceReader>();

  /** Every choice that began has a reason for its end; `[DONE]` alone can stand behind half an answer. */
  get isComplete(): boolean {
    for (const choice of this.#choices.values()) if (!choice.isDone) return false;
    return this.#choices.size > 0;
  }

  get extrasSoFar(): ExtrasSoFar {
    return { tier: this.#tier };
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    if (data === '[DONE]') {
      if (this.isComplete) this.finish(events);
      else this.complaint ??= this.#isStarted ? unfinishedAnswer : brokenFrame;
      return;
    }
    const chunk = readSpelledBelow(data, argumentMembers) ?? tryParseJson(data);
    if (!isJsonObject(chunk)) {
      this.complaint ??= complaintIn(chunk) ?? brokenFrame;
      return;
    }
    this.#tier ??= readToldTier(chunk['service_tier']);
    const choices = chunk['choices'];
    if (!Array.isArray(choices)) this.complaint ??= complaintIn(chunk);
    else if (chunk['error'] != null) this.complaint ??= complaintIn(chunk);
    // Some hosts open with a chunk that has no choices and no id yet.
    else if (choices.length > 0) this.#readChoices(chunk, events);
    const usage = readChunkUsage(chunk);
    if (usage === null) return;
    this.#start(chunk, events);
    events.push({ type: 'usage', usage });
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const choice of this.#choices.values()) choice.finish('stop', events);
    events.push({ type: 'end' });
  }

  #start(chunk: JsonObject, events: TurnEvent[]): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const id = asText(chunk['id']) ?? '';
    const model = asText(chunk['model']) ?? '';
    events.push({ type: 'start', id, model, createdS: asCount(chunk['created']), usage: null });
  }

  #readChoices(chunk: JsonObject, events: TurnEvent[]): void {
    this.#start(chunk, events);
    const id = asText(chunk['id']) ?? '';
    for (const choice of asObjects(chunk['choices'])) {
      const index = asCount(choice['index']) ?? 0;
      if (index >= mostChoices) {
        this.complaint ??= brokenFrame;
        return;
      }
      let reader = this.#choices.get(index);
      if (reader === undefined) {
        reader = new ChoiceReader(index, id);
        this.#choices.set(index, reader);
      }
      const delta = asObject(choice['delta']) ?? asObject(choice['message']);
      if (chunk['citations'] != null) reader.sources = chunk;
      if (delta !== undefined) reader.readDelta(delta, choice['logprobs'], events);
      if (!reader.isDone) this.complaint ??= readFailure(choice);
      if (this.complaint !== null) return;
      const finish = asText(choice['finish_reason']);
      if (finish !== undefined && finish !== '') reader.finish(finish, events);
    }
  }
}

type SpokenKind = 'text' | 'thinking' | 'refusal';

/**
 * So many characters of a detail are kept, to see whether a host sends all of it again: one that does would send a frame
 * of as much for each word.
 */
const mostRepeated = 1_048_576;

/**
 * One choice. The protocol does not say where a block begins or ends: another kind of delta ends text and thinking, and
 * tool calls end with their choice, or as soon as another call begins and their arguments are whole.
 */
export class ChoiceReader {
  isDone = false;
  /** The last piece of the answer that lists what was searched, which each repeats. */
  sources: JsonObject | null = null;
  readonly #choice: number;
  #nextBlock = 0;
  #hasCited = false;
  #spoken: { kind: SpokenKind; block: number } | null = null;
  #saidRefusal = false;
  readonly #calls: ToolCallsReader;
  /** Hosts repeat the details they have already sent, since some clients keep only the last. */
  readonly #seenSignatures = new Set<string>();
  /** Of calls that have not come yet, or of thinking: only what comes next tells. */
  readonly #signatureById = new Map<string, Signature>();
  /** Whether the host shows its thinking in a field of its own, which the details only repeat. */
  #hasPlainThinking = false;
  readonly #detailTexts = new Map<number, string>();

  constructor(choice: number, answerId: string) {
    this.#choice = choice;
    this.#calls = new ToolCallsReader({
      choice,
      answerId,
      open: (head, events) => this.#open(head, events),
      signatureOf: (id) => this.#takeSignature(id),
    });
  }

  readDelta(delta: JsonObject, logprobs: unknown, events: TurnEvent[]): void {
    if (this.isDone) return;
    const reasoning = asFilledText(delta['reasoning_content']) ?? asFilledText(delta['reasoning']);
    if (reasoning !== undefined) {
      this.#hasPlainThinking = true;
      this.#say('thinking', reasoning, events);
    }
    if (delta['reasoning_details'] != null) this.#readDetails(asObjects(delta['reasoning_details']), events);
    const content = delta['content'];
    if (typeof content === 'string') {
      if (content !== '') this.#say('text', content, events, logprobs);
    } else if (content != null) this.#readParts(asObjects(content), events);
    const refusal = asFilledText(delta['refusal']);
    if (refusal !== undefined) {
      this.#saidRefusal = true;
      this.#say('refusal', refusal, events);
    }
    const legacy = delta['function_call'] == null ? undefined : callOf(delta);
    if (legacy !== undefined) this.#calls.read([legacy], events);
    if (delta['images'] != null) {
      this.#closeSpoken(events);
      for (const image of readImages(delta['images'])) {
        events.push({ type: 'image', choice: this.#choice, image });
      }
    }
    if (delta['annotations'] != null) this.#cite(readAnnotations(delta['annotations']), events);
    if (delta['tool_calls'] != null) {
      this.#calls.read(asObjects(delta['tool_calls']), events);
    }
  }

  finish(reason: string, events: TurnEvent[]): void {
    if (this.isDone) return;
    this.isDone = true;
    if (this.sources !== null && !this.#hasCited) this.#cite(readSources(this.sources), events);
    this.#closeSpoken(events);
    this.#calls.closeAll(events);
    this.#tellRedacted(events, (_, id) => !this.#calls.has(id));
    const stop = readChatStop(reason, { toolUse: this.#calls.count > 0, refusal: this.#saidRefusal });
    events.push({ type: 'stop', choice: this.#choice, stop });
  }

  #say(kind: SpokenKind, text: string, events: TurnEvent[], logprobs?: unknown): void {
    if (this.#spoken?.kind !== kind) this.#spoken = { kind, block: this.#open({ kind }, events) };
    const { block } = this.#spoken;
    const read = logprobs == null ? undefined : readLogprobs(logprobs);
    events.push({ type: 'delta', choice: this.#choice, block, kind, text, logprobs: read });
  }

  /** What is cited where nothing is being said has no place. */
  #cite(citations: readonly Citation[], events: TurnEvent[]): void {
    if (this.#spoken?.kind !== 'text') return;
    const { block } = this.#spoken;
    for (const citation of citations)
      events.push({ type: 'citation', choice: this.#choice, block, citation });
    this.#hasCited ||= citations.length > 0;
  }

  #readParts(parts: readonly JsonObject[], events: TurnEvent[]): void {
    for (const part of parts) {
      const isThinking = part['type'] === 'thinking';
      const text = isThinking ? readThinkingPart(part) : asFilledText(part['text']);
      if (text !== undefined) this.#say(isThinking ? 'thinking' : 'text', text, events);
    }
  }

  #readDetails(details: readonly JsonObject[], events: TurnEvent[]): void {
    for (const [at, detail] of details.entries()) {
      const encrypted = readEncrypted(detail);
      const signature = encrypted?.signature ?? readDetailSignature(detail);
      if (signature !== undefined && this.#seenSignatures.has(signature.value)) continue;
      if (!this.#hasPlainThinking) this.#readDetailText(detail, at, events);
      if (signature === undefined) continue;
      this.#seenSignatures.add(signature.value);
      if (encrypted?.id !== undefined) this.#signatureById.set(encrypted.id, signature);
      else if (encrypted !== undefined) this.#redacted(signature, events);
      else this.#sign(signature, events);
    }
  }

  /** Some hosts send a detail's new text only, others all of it again. */
  #readDetailText(detail: JsonObject, at: number, events: TurnEvent[]): void {
    const text = readDetailText(detail);
    const index = asCount(detail['index']) ?? at;
    const before = this.#detailTexts.get(index) ?? '';
    // The lengths are compared first, because comparing texts goes through all that came before.
    const isAllAgain = before !== '' && text.length >= before.length && text.startsWith(before);
    const fresh = isAllAgain ? text.slice(before.length) : text;
    if (fresh === '') return;
    if (before.length < mostRepeated) this.#detailTexts.set(index, before + fresh);
    this.#say('thinking', fresh, events);
  }

  #takeSignature(id: string): Signature | undefined {
    const signature = this.#signatureById.get(id);
    this.#signatureById.delete(id);
    return signature;
  }

  /** What is encrypted and belongs to no call. */
  #tellRedacted(events: TurnEvent[], isKnown: (signature: Signature, id: string) => boolean): void {
    for (const [id, signature] of this.#signatureById) {
      if (!isKnown(signature, id)) continue;
      this.#signatureById.delete(id);
      this.#redacted(signature, events);
    }
  }

  #redacted(signature: Signature, events: TurnEvent[]): void {
    const block = this.#open({ kind: 'redacted_thinking', signature }, events);
    events.push({ type: 'close', choice: this.#choice, block });
  }

  /** A signature ends its thinking, which may have been kept from sight altogether. */
  #sign(signature: Signature, events: TurnEvent[]): void {
    const block =
      this.#spoken?.kind === 'thinking' ? this.#spoken.block : this.#open({ kind: 'thinking' }, events);
    events.push({ type: 'signature', choice: this.#choice, block, signature });
    events.push({ type: 'close', choice: this.#choice, block });
    this.#spoken = null;
  }

  #open(head: BlockHead, events: TurnEvent[]): number {
    this.#closeSpoken(events);
    // Only Gemini signs calls, and all of a step at once; other vendors' thinking keeps its place before what follows.
    this.#tellRedacted(events, ({ origin }) => origin !== 'google');
    if (head.kind !== 'tool_use') this.#calls.closeWhole(events);
    const block = this.#nextBlock;
    this.#nextBlock += 1;
    events.push({ type: 'open', choice: this.#choice, block, head });
    return block;
  }

  #closeSpoken(events: TurnEvent[]): void {
    if (this.#spoken === null) return;
    events.push({ type: 'close', choice: this.#choice, block: this.#spoken.block });
    this.#spoken = null;
  }
}
