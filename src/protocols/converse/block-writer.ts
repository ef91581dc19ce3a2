/** The blocks of a Converse stream, written. */

import type { JsonObject } from '../json/fields.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import { wrapping } from '../turn/free-text/as-function.ts';
import { packSignature, packToolSignature } from '../turn/signature.ts';
import { converseFrame } from './frame.ts';

type ToolHead = Extract<BlockHead, { kind: 'tool_use' }>;

export class BlockWriter {
  readonly #indexes = new Map<number, number>();
  /** Calls with free text, which stands in a JSON string here. */
  readonly #freeTexts = new Set<number>();
  #count = 0;

  write(event: Extract<TurnEvent, { block: number }>): string {
    if (event.type === 'open') return this.#open(event.block, event.head);
    const contentBlockIndex = this.#indexes.get(event.block) ?? 0;
    switch (event.type) {
      case 'delta':
        return delta(contentBlockIndex, this.#writeDelta(event));
      case 'signature': {
        const signature = packSignature(event.signature, 'anthropic');
        return delta(contentBlockIndex, { reasoningContent: { signature } });
      }
      case 'close':
        return (
          (this.#freeTexts.has(event.block) ? delta(contentBlockIndex, input(wrapping.end)) : '') +
          stop(contentBlockIndex)
        );
    }
  }

  /** Text and thinking begin with their first piece. */
  #open(block: number, head: BlockHead): string {
    switch (head.kind) {
      case 'text':
      case 'refusal':
      case 'thinking':
        this.#take(block);
        return '';
      case 'redacted_thinking':
        return delta(this.#take(block), redacted(packSignature(head.signature, 'anthropic')));
      case 'tool_use':
        return this.#openTool(block, head);
    }
  }

  /** A signature of the tool use is a block of its own in front of it. */
  #openTool(block: number, { id, name, signature, custom }: ToolHead): string {
    let out = '';
    if (signature !== undefined) {
      const index = this.#next();
      out = delta(index, redacted(packToolSignature({ toolId: id, signature }))) + stop(index);
    }
    const contentBlockIndex = this.#take(block);
    const start = { start: { toolUse: { toolUseId: id, name } }, contentBlockIndex };
    out += converseFrame('contentBlockStart', JSON.stringify(start));
    if (custom !== true) return out;
    this.#freeTexts.add(block);
    return out + delta(contentBlockIndex, input(wrapping.start));
  }

  #writeDelta({ block, kind, text }: DeltaEvent): JsonObject {
    switch (kind) {
      case 'text':
      case 'refusal':
        return { text };
      case 'thinking':
        return { reasoningContent: { text } };
      case 'input':
        return input(this.#freeTexts.has(block) ? wrapping.piece(text) : text);
    }
  }

  #take(block: number): number {
    const index = this.#next();
    this.#indexes.set(block, index);
    return index;
  }

  #next(): number {
    const index = this.#count;
    this.#count += 1;
    return index;
  }
}

const input = (piece: string): JsonObject => ({ toolUse: { input: piece } });

const redacted = (redactedContent: string): JsonObject => ({ reasoningContent: { redactedContent } });

function delta(contentBlockIndex: number, change: JsonObject): string {
  return converseFrame('contentBlockDelta', JSON.stringify({ delta: change, contentBlockIndex }));
}

function stop(contentBlockIndex: number): string {
  return converseFrame('contentBlockStop', JSON.stringify({ contentBlockIndex }));
}
