/** A streamed message: each part that says something is a block. */
import { asCount, asFilledText, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TurnEvent } from '../turn/events.ts';
import type { BlockEvents, Told } from './block-events.ts';
import type { ItemReader } from './item-reader.ts';
import { readLogprobs } from './logprobs.ts';

interface Part {
  readonly block: number;
  readonly kind: 'text' | 'refusal';
  isClosed: boolean;
}

export class MessageReader implements ItemReader {
  readonly #blocks: BlockEvents;
  readonly #parts = new Map<number, Part>();

  constructor(blocks: BlockEvents) {
    this.#blocks = blocks;
  }

  read(event: JsonObject, events: TurnEvent[]): void {
    const index = asCount(event['content_index']) ?? 0;
    switch (event['type']) {
      case 'response.output_text.delta': {
        const text = asText(event['delta']) ?? '';
        this.#say(index, { kind: 'text', text, logprobs: readLogprobs(event['logprobs']) }, events);
        break;
      }
      case 'response.refusal.delta':
        this.#say(index, { kind: 'refusal', text: asText(event['delta']) ?? '' }, events);
        break;
      case 'response.output_text.done':
        this.#close(index, { kind: 'text', text: asText(event['text']) ?? '' }, events);
        break;
      case 'response.refusal.done':
        this.#close(index, { kind: 'refusal', text: asText(event['refusal']) ?? '' }, events);
        break;
    }
  }

  end(item: JsonObject | undefined, events: TurnEvent[]): void {
    for (const [index, part] of asObjects(item?.['content']).entries()) {
      const kind = part['type'] === 'refusal' ? 'refusal' : 'text';
      this.#close(index, { kind, text: asFilledText(part[kind]) ?? '' }, events);
    }
    for (const part of this.#parts.values()) this.#closePart(part, events);
  }

  #say(index: number, told: Told, events: TurnEvent[]): void {
    if (told.text === '') return;
    let part = this.#parts.get(index);
    if (part === undefined) {
      const kind = told.kind === 'refusal' ? told.kind : 'text';
      part = { block: this.#blocks.open({ kind }, events), kind, isClosed: false };
      this.#parts.set(index, part);
    }
    if (!part.isClosed && part.kind === told.kind) this.#blocks.tell(part.block, told, events);
  }

  /** @param whole what the part says in the end, which some hosts say at once. */
  #close(index: number, whole: Told, events: TurnEvent[]): void {
    if (!this.#parts.has(index)) this.#say(index, whole, events);
    const part = this.#parts.get(index);
    if (part !== undefined) this.#closePart(part, events);
  }

  #closePart(part: Part, events: TurnEvent[]): void {
    if (part.isClosed) return;
    part.isClosed = true;
    this.#blocks.close(part.block, events);
  }
}
