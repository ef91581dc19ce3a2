/** The output items of a stream, each with a reader of its own; several may be open at a time. */
import { asCount, asFilledText, asObject, asObjects, type JsonObject } from '../json/fields.ts';
import type { TurnEvent } from '../turn/events.ts';
import { BlockEvents } from './block-events.ts';
import { CallReader } from './call-reader.ts';
import type { ItemReader } from './item-reader.ts';
import { MessageReader } from './message-reader.ts';
import { ReasoningReader } from './reasoning-reader.ts';
import { ToolSignatures } from './signature.ts';

export class OutputReader {
  readonly #blocks = new BlockEvents();
  readonly #signatures = new ToolSignatures();
  readonly #open = new Map<number, ItemReader>();
  /** By their ids, since some hosts tell an end twice. */
  readonly #ended = new Set<string>();
  #hasItems = false;

  get said(): BlockEvents['said'] {
    return this.#blocks.said;
  }

  /** Whether it could be: an item that is open cannot begin, and what was shown of it cannot be taken back. */
  read(event: JsonObject, events: TurnEvent[]): boolean {
    const index = asCount(event['output_index']);
    if (index === undefined) return true;
    const item = asObject(event['item']);
    if (event['type'] === 'response.output_item.added') {
      if (this.#open.has(index)) return false;
      if (item !== undefined) this.#start(index, item, events);
    } else if (event['type'] === 'response.output_item.done') {
      if (item !== undefined) this.#end(index, item, events);
    } else this.#open.get(index)?.read(event, events);
    return true;
  }

  /** @param response as it ended: hosts that do not stream their items put them there. */
  finish(response: JsonObject, events: TurnEvent[]): void {
    if (!this.#hasItems) {
      for (const [index, item] of asObjects(response['output']).entries()) this.#end(index, item, events);
    }
    for (const reader of this.#open.values()) reader.end(undefined, events);
    this.#open.clear();
  }

  #start(index: number, item: JsonObject, events: TurnEvent[]): ItemReader | undefined {
    this.#hasItems = true;
    const reader = this.#readerFor(item, events);
    if (reader !== undefined) this.#open.set(index, reader);
    return reader;
  }

  #end(index: number, item: JsonObject, events: TurnEvent[]): void {
    const id = asFilledText(item['id']);
    if (id !== undefined && this.#ended.has(id) && !this.#open.has(index)) return;
    const reader = this.#open.get(index) ?? this.#start(index, item, events);
    if (id !== undefined) this.#ended.add(id);
    reader?.end(item, events);
    this.#open.delete(index);
  }

  /** Undefined for traces of tools that the vendor ran, which nobody else can make use of. */
  #readerFor(item: JsonObject, events: TurnEvent[]): ItemReader | undefined {
    switch (item['type']) {
      case 'message':
        return new MessageReader(this.#blocks);
      case 'reasoning':
        return new ReasoningReader(this.#blocks, this.#signatures);
      case 'function_call':
      case 'custom_tool_call': {
        const reader = new CallReader(this.#blocks, this.#signatures);
        reader.open(item, events);
        return reader;
      }
    }
    return undefined;
  }
}
