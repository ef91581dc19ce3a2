/** A tool call of a stream. */
import type { JsonObject } from '../turn/tools.ts';
import { readFreeText } from './free-text.ts';
import type { BlockWriter, ItemPlace, ItemWriter } from './item-writer.ts';
import { callItem } from './output-items.ts';
import type { ResponseStatus } from './stop.ts';

/** `wrapped`: free text that the model wrote as JSON, so that it is only known when it is whole. */
export type CallKind = 'function' | 'custom' | 'wrapped';

export interface CallHead {
  readonly callId: string;
  readonly name: string;
  readonly kind: CallKind;
}

export class CallWriter implements ItemWriter, BlockWriter {
  item: JsonObject;
  readonly #place: ItemPlace;
  readonly #head: CallHead;
  #input = '';

  constructor(place: ItemPlace, head: CallHead) {
    this.#place = place;
    this.#head = head;
    this.item = this.#write('in_progress');
  }

  open(): string {
    return this.#place.writeItem('added', this.item);
  }

  delta(text: string): string {
    this.#input += text;
    return this.#head.kind === 'wrapped' || text === '' ? '' : this.#frameDelta(text);
  }

  /** The signature of a call stands in front of it. */
  sign(): void {}

  close(): string {
    let out = '';
    if (this.#head.kind === 'wrapped') {
      this.#input = readFreeText(this.#input);
      out = this.#frameDelta(this.#input);
    } else if (this.#head.kind === 'function' && this.#input === '') {
      // Clients parse the arguments, and nothing is not JSON.
      out = this.delta('{}');
    }
    const input = JSON.stringify(this.#input);
    if (this.#head.kind === 'function') {
      return out + this.#place.write('response.function_call_arguments.done', `,"arguments":${input}`);
    }
    return out + this.#place.write('response.custom_tool_call_input.done', `,"input":${input}`);
  }

  done(status: ResponseStatus): string {
    this.item = this.#write(status);
    return this.#place.writeItem('done', this.item);
  }

  #frameDelta(text: string): string {
    const type = this.#head.kind === 'function' ? 'function_call_arguments' : 'custom_tool_call_input';
    return this.#place.write(`response.${type}.delta`, `,"delta":${JSON.stringify(text)}`);
  }

  #write(status: ResponseStatus): JsonObject {
    const { callId, name, kind } = this.#head;
    return callItem({
      id: this.#place.id,
      callId,
      name,
      input: this.#input,
      custom: kind !== 'function',
      status,
    });
  }
}
