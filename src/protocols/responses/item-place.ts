/** The frames of a Responses stream, and where those of one of its items go. */
import type { JsonObject } from '../json/fields.ts';

/** Frames of a Responses stream, numbered in their order. */
export class ResponseFrames {
  #next: number;

  constructor(first = 0) {
    this.#next = first;
  }

  get next(): number {
    return this.#next;
  }

  /** @param members the text of the event's own members, without braces. */
  write(type: string, members: string): string {
    const frame = `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next},${members}}\n\n`;
    this.#next += 1;
    return frame;
  }
}

/** Where the frames of an item go, and what all of them repeat. */
export class ItemPlace {
  readonly id: string;
  readonly #frames: ResponseFrames;
  readonly #index: number;
  readonly #members: string;

  constructor({ id, index, frames }: { id: string; index: number; frames: ResponseFrames }) {
    this.id = id;
    this.#frames = frames;
    this.#index = index;
    this.#members = `"item_id":${JSON.stringify(id)},"output_index":${index}`;
  }

  /** @param members begins with a comma, or is empty. */
  write(type: string, members: string): string {
    return this.#frames.write(type, this.#members + members);
  }

  writeItem(when: 'added' | 'done', item: JsonObject): string {
    return this.#frames.write(
      `response.output_item.${when}`,
      `"output_index":${this.#index},"item":${JSON.stringify(item)}`,
    );
  }
}
