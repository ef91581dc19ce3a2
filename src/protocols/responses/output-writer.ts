/** The output of a streamed response: which block goes into which item, and when an item ends. */

import type { JsonObject } from '../json/fields.ts';
import type { BlockHead, TurnEvent } from '../turn/events.ts';
import { CallWriter } from './call-writer.ts';
import type { ResponseFrames } from './frames.ts';
import { type BlockWriter, ItemPlace, type ItemWriter } from './item-writer.ts';
import { MessageWriter } from './message-writer.ts';
import type { CalledName } from './namespaces.ts';
import { type ItemType, itemId, type ThoughtPlace } from './output-items.ts';
import { ReasoningWriter } from './reasoning-writer.ts';
import { writeEncrypted, writeToolEncrypted } from './signature.ts';
import type { ResponseStatus } from './stop.ts';

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

export class OutputWriter {
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
      case 'signature':
        block.writer.sign(event.signature);
        return ended;
      case 'close':
        this.#blocks.delete(event.block);
        this.#ending.add(block.item);
        return ended + block.writer.close();
    }
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
