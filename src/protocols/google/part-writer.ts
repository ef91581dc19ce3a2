/** The parts of one streamed candidate. Text and thoughts go out as they come; a call goes out whole, when it closes. */

import type { JsonObject } from '../json/fields.ts';
import type { DeltaEvent } from '../turn/events.ts';
import { type BlockEvent, BlockOrder } from './block-order.ts';
import { writeLogprobs } from './logprobs.ts';
import { writeThoughtSignature } from './thought-signature.ts';
import { writeCall } from './write-assistant.ts';

type OpenEvent = Extract<BlockEvent, { type: 'open' }>;

export interface WrittenPart {
  readonly part: JsonObject;
  readonly logprobsResult?: JsonObject | undefined;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly custom: true | undefined;
  readonly thoughtSignature: string | undefined;
  input: string;
}

export class PartWriter {
  readonly #order = new BlockOrder();
  #call: OpenCall | null = null;

  /** Those that this event completes. */
  write(event: BlockEvent): readonly WrittenPart[] {
    return this.#order.take(event).flatMap((due) => this.#writeOne(due) ?? []);
  }

  #writeOne(event: BlockEvent): WrittenPart | undefined {
    switch (event.type) {
      case 'open':
        return this.#open(event);
      case 'delta':
        return this.#delta(event);
      case 'signature':
        return {
          part: { text: '', thought: true, thoughtSignature: writeThoughtSignature(event.signature) },
        };
      case 'close':
        return this.#close();
    }
  }

  #open(event: OpenEvent): WrittenPart | undefined {
    const { head } = event;
    if (head.kind === 'redacted_thinking') {
      return { part: { text: '', thoughtSignature: writeThoughtSignature(head.signature) } };
    }
    if (head.kind === 'tool_use') {
      const { id, name, custom } = head;
      const thoughtSignature = writeThoughtSignature(head.signature);
      this.#call = { id, name, custom, thoughtSignature, input: '' };
    }
    return undefined;
  }

  #delta(event: DeltaEvent): WrittenPart | undefined {
    const { kind, text, logprobs } = event;
    if (kind === 'input') {
      if (this.#call !== null) this.#call.input += text;
      return undefined;
    }
    if (text === '') return undefined;
    if (kind === 'thinking') return { part: { text, thought: true } };
    return { part: { text }, logprobsResult: writeLogprobs(logprobs) };
  }

  #close(): WrittenPart | undefined {
    const call = this.#call;
    if (call === null) return undefined;
    this.#call = null;
    return { part: { functionCall: writeCall(call), thoughtSignature: call.thoughtSignature } };
  }
}
