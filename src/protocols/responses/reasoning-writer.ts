/** A reasoning item of a stream: what the model thought, and what its vendor signed. */

import type { JsonObject } from '../json/fields.ts';
import type { Signature } from '../turn/signature.ts';
import type { BlockWriter, ItemPlace, ItemWriter } from './item-writer.ts';
import { reasoningItem, type ThoughtPlace, thoughtPart } from './output-items.ts';
import { writeEncrypted } from './signature.ts';

const words = {
  summary: { part: 'reasoning_summary_part', text: 'reasoning_summary_text', index: ',"summary_index":0' },
  content: { part: 'content_part', text: 'reasoning_text', index: ',"content_index":0' },
} as const;

export class ReasoningWriter implements ItemWriter, BlockWriter {
  item: JsonObject;
  readonly #itemPlace: ItemPlace;
  readonly #place: ThoughtPlace;
  #text: string | null;
  #encrypted: string | undefined;

  /** @param thought without an encrypted text it is shown, and signed later if at all. */
  constructor(itemPlace: ItemPlace, thought: { place: ThoughtPlace; encrypted?: string }) {
    this.#itemPlace = itemPlace;
    this.#place = thought.place;
    this.#text = thought.encrypted === undefined ? '' : null;
    this.#encrypted = thought.encrypted;
    this.item = reasoningItem({ ...thought, id: itemPlace.id, text: null, encrypted: thought.encrypted });
  }

  open(): string {
    const added = this.#itemPlace.writeItem('added', this.item);
    return this.#text === null
      ? added
      : added + this.#frame(`${words[this.#place].part}.added`, this.#part());
  }

  delta(text: string): string {
    this.#text = (this.#text ?? '') + text;
    return this.#frame(`${words[this.#place].text}.delta`, `,"delta":${JSON.stringify(text)}`);
  }

  sign(signature: Signature): void {
    this.#encrypted = writeEncrypted(signature);
  }

  close(): string {
    if (this.#text === null) return '';
    const { text, part } = words[this.#place];
    return (
      this.#frame(`${text}.done`, `,"text":${JSON.stringify(this.#text)}`) +
      this.#frame(`${part}.done`, this.#part())
    );
  }

  done(): string {
    this.item = reasoningItem({
      id: this.#itemPlace.id,
      place: this.#place,
      text: this.#text,
      encrypted: this.#encrypted,
    });
    return this.#itemPlace.writeItem('done', this.item);
  }

  #part(): string {
    return `,"part":${JSON.stringify(thoughtPart(this.#text ?? '', this.#place))}`;
  }

  #frame(type: string, members: string): string {
    return this.#itemPlace.write(`response.${type}`, words[this.#place].index + members);
  }
}
