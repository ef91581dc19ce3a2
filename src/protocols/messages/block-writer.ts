/** The blocks of a messages stream, one after the other. */
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import { wrapping } from '../turn/free-text/as-function.ts';
import { packToolSignature } from '../turn/signature.ts';
import { frame, ping } from './frame.ts';
import { writeThinkingSignature } from './tool-signature.ts';
import { writeToolId } from './write-assistant.ts';

const emptyDeltas: Readonly<Record<BlockHead['kind'], string | null>> = {
  text: '{"type":"text_delta","text":""}',
  refusal: '{"type":"text_delta","text":""}',
  thinking: '{"type":"thinking_delta","thinking":""}',
  redacted_thinking: null,
  tool_use: '{"type":"input_json_delta","partial_json":""}',
};

export class BlockWriter {
  #index = -1;
  #emptyDelta: string | null = null;
  /** The open block is a call with free text, which stands in a JSON string here. */
  #isFreeText = false;

  /** Events of one block after the other, never of two at once. */
  write(event: Extract<TurnEvent, { block: number }>): string {
    switch (event.type) {
      case 'open':
        return this.#open(event.head);
      case 'delta':
        return this.#delta(event);
      case 'signature':
        return this.#frameDelta(
          `{"type":"signature_delta","signature":${JSON.stringify(writeThinkingSignature(event.signature))}}`,
        );
      case 'close':
        return this.#close();
    }
  }

  /** A delta without content for the open block, where its kind has any. */
  idle(): string {
    return this.#emptyDelta === null ? ping : this.#frameDelta(this.#emptyDelta);
  }

  #open(head: BlockHead): string {
    this.#emptyDelta = emptyDeltas[head.kind];
    switch (head.kind) {
      case 'text':
      case 'refusal':
        return this.#start('{"type":"text","text":""}');
      case 'thinking':
        return this.#start('{"type":"thinking","thinking":"","signature":""}');
      case 'redacted_thinking':
        return this.#startRedacted(writeThinkingSignature(head.signature));
      case 'tool_use':
        return this.#openTool(head);
    }
  }

  #openTool(head: Extract<BlockHead, { kind: 'tool_use' }>): string {
    const { name, signature } = head;
    const id = writeToolId(head.id);
    const signed =
      signature === undefined
        ? ''
        : this.#startRedacted(packToolSignature({ toolId: id, signature })) + this.#close();
    const block = { type: 'tool_use', id, name, input: {} };
    this.#isFreeText = head.custom === true;
    // Clients begin to collect the input at the first delta, which a tool without arguments has too.
    return (
      signed + this.#start(JSON.stringify(block)) + this.#inputDelta(this.#isFreeText ? wrapping.start : '')
    );
  }

  #startRedacted(data: string): string {
    return this.#start(`{"type":"redacted_thinking","data":${JSON.stringify(data)}}`);
  }

  #start(block: string): string {
    this.#index += 1;
    return frame(
      'content_block_start',
      `{"type":"content_block_start","index":${this.#index},"content_block":${block}}`,
    );
  }

  #delta({ kind, text }: DeltaEvent): string {
    if (text === '') return '';
    const value = JSON.stringify(text);
    switch (kind) {
      case 'text':
      case 'refusal':
        return this.#frameDelta(`{"type":"text_delta","text":${value}}`);
      case 'thinking':
        return this.#frameDelta(`{"type":"thinking_delta","thinking":${value}}`);
      case 'input':
        return this.#inputDelta(this.#isFreeText ? wrapping.piece(text) : text);
    }
  }

  #inputDelta(piece: string): string {
    return this.#frameDelta(`{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`);
  }

  #frameDelta(delta: string): string {
    return frame(
      'content_block_delta',
      `{"type":"content_block_delta","index":${this.#index},"delta":${delta}}`,
    );
  }

  #close(): string {
    this.#emptyDelta = null;
    const rest = this.#isFreeText ? this.#inputDelta(wrapping.end) : '';
    this.#isFreeText = false;
    return rest + frame('content_block_stop', `{"type":"content_block_stop","index":${this.#index}}`);
  }
}
