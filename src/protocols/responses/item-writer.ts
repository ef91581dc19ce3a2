/** What the writers of output items have in common. */

import type { JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import type { Signature } from '../turn/signature.ts';
import type { ResponseFrames } from './frames.ts';
import type { ResponseStatus } from './stop.ts';

/** One item of a stream. It is opened when it is made. */
export interface ItemWriter {
  open(): string;
  /** The frame that ends it; everything in it is closed. */
  done(status: ResponseStatus): string;
  /** As it ended. */
  readonly item: JsonObject;
}

/** One block of the form within an item. */
export interface BlockWriter {
  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string;
  sign(signature: Signature): void;
  close(): string;
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
