/** A streamed tool call. */
import { asFilledText, asText, type JsonObject } from '../json/fields.ts';
import type { TurnEvent } from '../turn/events.ts';
import type { BlockEvents } from './block-events.ts';
import type { ItemReader } from './item-reader.ts';
import { callInputOf, readCall } from './read-assistant.ts';
import type { ToolSignatures } from './signature.ts';

export class CallReader implements ItemReader {
  readonly #blocks: BlockEvents;
  readonly #signatures: ToolSignatures;
  #block: number | null = null;
  #hasInput = false;

  constructor(blocks: BlockEvents, signatures: ToolSignatures) {
    this.#blocks = blocks;
    this.#signatures = signatures;
  }

  /** Clients are shown a call by its name, which some hosts tell only in the end. */
  open(item: JsonObject, events: TurnEvent[]): void {
    if (this.#block !== null || asFilledText(item['name']) === undefined) return;
    const { id, name, custom, signature } = readCall(item, this.#signatures);
    this.#block = this.#blocks.open({ kind: 'tool_use', id, name, custom, signature }, events);
  }

  read(event: JsonObject, events: TurnEvent[]): void {
    switch (event['type']) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#tell(asText(event['delta']) ?? '', events);
        break;
    }
  }

  end(item: JsonObject | undefined, events: TurnEvent[]): void {
    if (item !== undefined) {
      this.open(item, events);
      if (!this.#hasInput) this.#tell(callInputOf(item), events);
    }
    if (this.#block !== null) this.#blocks.close(this.#block, events);
    this.#block = null;
  }

  #tell(text: string, events: TurnEvent[]): void {
    if (this.#block === null || text === '') return;
    this.#hasInput = true;
    this.#blocks.tell(this.#block, { kind: 'input', text }, events);
  }
}
