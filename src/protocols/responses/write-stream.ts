/** Events as a Responses stream: which block goes into which item, and when an item ends. */
import type { Clock } from '../../base/clock.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import type { JsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';
import type { MadeImage, Stop } from '../turn/answer.ts';
import type { BlockHead, EventWriter, RescueNote, StreamPosition, TurnEvent } from '../turn/events.ts';
import { ItemPlace, ResponseFrames } from './item-place.ts';
import {
  type ItemType,
  imageItem,
  itemId,
  type ThoughtPlace,
  writeEncrypted,
  writeToolEncrypted,
} from './items.ts';
import type { CalledName } from './namespaces.ts';
import { type ResponseStatus, writeResponsesStop } from './outcome.ts';
import { readNamespaces } from './read-request.ts';
import { ResponseObject, wantsSummary } from './response-object.ts';
import {
  type BlockWriter,
  CallWriter,
  type ItemWriter,
  MessageWriter,
  ReasoningWriter,
} from './write-items.ts';

interface OpenResponse {
  readonly object: ResponseObject;
  readonly output: OutputWriter;
}

export class ResponsesEventWriter implements EventWriter {
  readonly #request: InferenceRequest;
  readonly #clock: Clock;
  readonly #frames = new ResponseFrames();
  #response: OpenResponse | null = null;
  #usage: TokenUsage | null = null;
  #stop: Stop = { reason: 'end' };

  constructor(terms: { request: InferenceRequest; clock: Clock }) {
    this.#request = terms.request;
    this.#clock = terms.clock;
  }

  write(event: TurnEvent): string {
    if (event.type === 'start') return this.#start(event);
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    const response = this.#response;
    if (response === null) return '';
    if (event.type === 'end') return this.#end(response);
    if (event.choice !== 0) return '';
    if (event.type === 'image') return response.output.show(event.image);
    if (event.type !== 'stop') return response.output.write(event);
    this.#stop = event.stop;
    return response.output.stop(writeResponsesStop(event.stop, response.output.hasRefusal).status);
  }

  /** In a sign of life: of an event that it does not know the official client makes an error. */
  note(note: RescueNote): string {
    return this.#frames.write('keepalive', `"sluice":${JSON.stringify({ rescue: note })}`);
  }

  position(): StreamPosition {
    return { id: this.#response?.object.id, nextNumber: this.#frames.next };
  }

  #start(answer: Extract<TurnEvent, { type: 'start' }>): string {
    this.#usage = answer.usage;
    const request = this.#request;
    const object = new ResponseObject({ answer, request, clock: this.#clock });
    const output = new OutputWriter({
      frames: this.#frames,
      answerId: object.id,
      place: wantsSummary(request.json) ? 'summary' : 'content',
      namespaces: readNamespaces(request.json),
    });
    this.#response = { object, output };
    const state = { status: 'in_progress', incomplete_details: null, output: [], usage: null } as const;
    const members = `"response":${object.write(state)}`;
    return (
      this.#frames.write('response.created', members) + this.#frames.write('response.in_progress', members)
    );
  }

  #end({ object, output }: OpenResponse): string {
    const stop = writeResponsesStop(this.#stop, output.hasRefusal);
    const written = object.write({ ...stop, output: output.items, usage: this.#usage });
    this.#request.keep?.(written);
    return this.#frames.write(`response.${stop.status}`, `"response":${written}`);
  }
}

export interface OutputWriterTerms {
  readonly frames: ResponseFrames;
  readonly answerId: string;
  readonly place: ThoughtPlace;
  /** Of tools that the caller grouped, by the name that the upstream knows. */
  readonly namespaces: ReadonlyMap<string, CalledName>;
}

interface OpenBlock {
  readonly writer: BlockWriter;
  readonly item: ItemWriter;
}

class OutputWriter {
  hasRefusal = false;
  readonly #terms: OutputWriterTerms;
  readonly #items: ItemWriter[] = [];
  readonly #blocks = new Map<number, OpenBlock>();
  /** Takes the text that comes next. */
  #message: MessageWriter | null = null;
  /** Whole, but perhaps the last of an answer that is not: what comes next tells. */
  readonly #ending = new Set<ItemWriter>();

  constructor(terms: OutputWriterTerms) {
    this.#terms = terms;
  }

  get items(): readonly JsonObject[] {
    return this.#items.map(({ item }) => item);
  }

  write(event: Extract<TurnEvent, { block: number }>): string {
    if (event.type === 'open') return this.#open(event.block, event.head);
    const block = this.#blocks.get(event.block);
    if (block === undefined) return '';
    const ended = this.#end('completed');
    switch (event.type) {
      case 'delta':
        return ended + block.writer.delta(event.text, event.logprobs);
      case 'citation':
        return ended + (block.writer.cite?.(event.citation) ?? '');
      case 'signature':
        block.writer.sign(event.signature);
        return ended;
      case 'close':
        this.#blocks.delete(event.block);
        this.#ending.add(block.item);
        return ended + block.writer.close();
    }
  }

  /** It comes whole. */
  show(image: MadeImage): string {
    this.#message = null;
    const ended = this.#end('completed');
    const writer = new ImageWriter(this.#placeFor('image_generation_call'), image);
    this.#items.push(writer);
    return ended + writer.open() + writer.done();
  }

  stop(status: ResponseStatus): string {
    this.#message = null;
    return this.#end('completed', this.#items.at(-1)) + this.#end(status);
  }

  #open(block: number, head: BlockHead): string {
    if (head.kind === 'text' || head.kind === 'refusal') return this.#openPart(block, head.kind);
    this.#message = null;
    const ended = this.#end('completed');
    switch (head.kind) {
      case 'thinking':
        return ended + this.#openThinking(block);
      case 'redacted_thinking':
        return ended + this.#openThinking(block, writeEncrypted(head.signature));
      case 'tool_use':
        return ended + this.#openCall(block, head);
    }
  }

  #openPart(block: number, kind: 'text' | 'refusal'): string {
    if (kind === 'refusal') this.hasRefusal = true;
    let out = '';
    if (this.#message === null) {
      out = this.#end('completed');
      this.#message = new MessageWriter(this.#placeFor('message'));
      this.#items.push(this.#message);
      out += this.#message.open();
    }
    this.#ending.delete(this.#message);
    const part = this.#message.addPart(kind);
    this.#blocks.set(block, { writer: part, item: this.#message });
    return out + part.open();
  }

  #openThinking(block: number, encrypted?: string): string {
    const { place } = this.#terms;
    const thought = encrypted === undefined ? { place } : { place, encrypted };
    const writer = new ReasoningWriter(this.#placeFor('reasoning'), thought);
    return this.#start(block, writer);
  }

  #openCall(block: number, head: Extract<BlockHead, { kind: 'tool_use' }>): string {
    const { id: callId, name, signature } = head;
    const custom = head.custom === true;
    const called = this.#terms.namespaces.get(name) ?? { name };
    let out = '';
    if (signature !== undefined) {
      const encrypted = writeToolEncrypted(callId, signature);
      const writer = new ReasoningWriter(this.#placeFor('reasoning'), {
        place: this.#terms.place,
        encrypted,
      });
      this.#items.push(writer);
      out = writer.open() + writer.done();
    }
    const place = this.#placeFor(custom ? 'custom_tool_call' : 'function_call');
    return out + this.#start(block, new CallWriter(place, { callId, called, custom }));
  }

  #start(block: number, writer: ItemWriter & BlockWriter): string {
    this.#items.push(writer);
    this.#blocks.set(block, { writer, item: writer });
    return writer.open();
  }

  #placeFor(type: ItemType): ItemPlace {
    const { answerId, frames } = this.#terms;
    const index = this.#items.length;
    return new ItemPlace({ id: itemId(type, answerId, index), index, frames });
  }

  /** Ends the items that are whole, but for the message that may go on and the one that is to be spared. */
  #end(status: ResponseStatus, spared?: ItemWriter): string {
    let out = '';
    for (const item of this.#ending) {
      if (item === this.#message || item === spared || this.#isOpen(item)) continue;
      this.#ending.delete(item);
      out += item.done(status);
    }
    return out;
  }

  #isOpen(item: ItemWriter): boolean {
    for (const block of this.#blocks.values()) if (block.item === item) return true;
    return false;
  }
}

/** An image, which is never told in pieces here. */
class ImageWriter implements ItemWriter {
  readonly item: JsonObject;
  readonly #place: ItemPlace;

  constructor(place: ItemPlace, image: MadeImage) {
    this.#place = place;
    this.item = imageItem(place.id, image);
  }

  open(): string {
    const { type, id } = this.item;
    return this.#place.writeItem('added', { type, id, status: 'in_progress' });
  }

  done(): string {
    return this.#place.writeItem('done', this.item);
  }
}
