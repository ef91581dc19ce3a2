/** A message of a stream, with a part for each text and each refusal. */

import type { JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import type { BlockWriter, ItemPlace, ItemWriter } from './item-writer.ts';
import { writeLogprobs } from './logprobs.ts';
import { messageItem, refusalPart, textPart } from './output-items.ts';
import type { ResponseStatus } from './stop.ts';

export class MessageWriter implements ItemWriter {
  item: JsonObject;
  readonly #place: ItemPlace;
  readonly #parts: PartWriter[] = [];

  constructor(place: ItemPlace) {
    this.#place = place;
    this.item = messageItem(place.id, [], 'in_progress');
  }

  open(): string {
    return this.#place.writeItem('added', this.item);
  }

  addPart(kind: 'text' | 'refusal'): PartWriter {
    const part = new PartWriter(this.#place, { kind, index: this.#parts.length });
    this.#parts.push(part);
    return part;
  }

  done(status: ResponseStatus): string {
    this.item = messageItem(
      this.#place.id,
      this.#parts.map((part) => part.json),
      status,
    );
    return this.#place.writeItem('done', this.item);
  }
}

class PartWriter implements BlockWriter {
  readonly #place: ItemPlace;
  readonly #kind: 'text' | 'refusal';
  readonly #index: string;
  #text = '';
  readonly #logprobs: TokenLogprob[] = [];

  constructor(place: ItemPlace, { kind, index }: { kind: 'text' | 'refusal'; index: number }) {
    this.#place = place;
    this.#kind = kind;
    this.#index = `,"content_index":${index}`;
  }

  get json(): JsonObject {
    return this.#kind === 'text' ? textPart(this.#text, this.#logprobs) : refusalPart(this.#text);
  }

  open(): string {
    return this.#frame('response.content_part.added', `,"part":${JSON.stringify(this.json)}`);
  }

  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    this.#text += text;
    const members = `,"delta":${JSON.stringify(text)}`;
    if (this.#kind === 'refusal') return this.#frame('response.refusal.delta', members);
    if (logprobs === undefined) return this.#frame('response.output_text.delta', `${members},"logprobs":[]`);
    this.#logprobs.push(...logprobs);
    return this.#frame(
      'response.output_text.delta',
      `${members},"logprobs":${JSON.stringify(writeLogprobs(logprobs))}`,
    );
  }

  /** Nothing that is said here is signed. */
  sign(): void {}

  close(): string {
    const text = JSON.stringify(this.#text);
    const said =
      this.#kind === 'refusal'
        ? this.#frame('response.refusal.done', `,"refusal":${text}`)
        : this.#frame(
            'response.output_text.done',
            `,"text":${text},"logprobs":${JSON.stringify(writeLogprobs(this.#logprobs))}`,
          );
    return said + this.#frame('response.content_part.done', `,"part":${JSON.stringify(this.json)}`);
  }

  #frame(type: string, members: string): string {
    return this.#place.write(type, this.#index + members);
  }
}
