/** A tool call of a stream. */
import type { JsonObject } from '../json/fields.ts';
import type { BlockWriter, ItemPlace, ItemWriter } from './item-writer.ts';
import type { CalledName } from './namespaces.ts';
import { callItem } from './output-items.ts';
import type { ResponseStatus } from './stop.ts';

export interface CallHead {
  readonly callId: string;
  readonly called: CalledName;
  readonly custom: boolean;
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
    return text === '' ? '' : this.#frameDelta(text);
  }

  /** The signature of a call stands in front of it. */
  sign(): void {}

  close(): string {
    const { custom } = this.#head;
    // Clients parse the arguments, and nothing is not JSON.
    const rest = !custom && this.#input === '' ? this.delta('{}') : '';
    const input = JSON.stringify(this.#input);
    return custom
      ? this.#place.write('response.custom_tool_call_input.done', `,"input":${input}`)
      : rest + this.#place.write('response.function_call_arguments.done', `,"arguments":${input}`);
  }

  done(status: ResponseStatus): string {
    this.item = this.#write(status);
    return this.#place.writeItem('done', this.item);
  }

  #frameDelta(text: string): string {
    const type = this.#head.custom ? 'custom_tool_call_input' : 'function_call_arguments';
    return this.#place.write(`response.${type}.delta`, `,"delta":${JSON.stringify(text)}`);
  }

  #write(status: ResponseStatus): JsonObject {
    return callItem({ id: this.#place.id, ...this.#head, input: this.#input, status });
  }
}
