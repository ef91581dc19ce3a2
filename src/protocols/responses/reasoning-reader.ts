/** A streamed reasoning item: thinking, whose signature comes with its end. */
import { asCount, asText, type JsonObject } from '../json/fields.ts';
import type { TurnEvent } from '../turn/events.ts';
import type { BlockEvents } from './block-events.ts';
import type { ItemReader } from './item-reader.ts';
import { readReasoning, thoughtBreak } from './read-assistant.ts';
import type { ToolSignatures } from './signature.ts';

interface Thought {
  readonly block: number;
  /** A host that streams both a summary and the thinking itself shows what came first. */
  readonly type: unknown;
  part: number;
}

export class ReasoningReader implements ItemReader {
  readonly #blocks: BlockEvents;
  readonly #signatures: ToolSignatures;
  #thought: Thought | null = null;

  constructor(blocks: BlockEvents, signatures: ToolSignatures) {
    this.#blocks = blocks;
    this.#signatures = signatures;
  }

  read(event: JsonObject, events: TurnEvent[]): void {
    const { type } = event;
    if (type === 'response.reasoning_summary_text.delta') this.#think(event, event['summary_index'], events);
    else if (type === 'response.reasoning_text.delta') this.#think(event, event['content_index'], events);
  }

  end(item: JsonObject | undefined, events: TurnEvent[]): void {
    const [whole] = item === undefined ? [] : readReasoning(item, this.#signatures);
    if (this.#thought !== null) {
      const { block } = this.#thought;
      this.#thought = null;
      if (whole?.type === 'thinking' || whole?.type === 'redacted_thinking') {
        if (whole.signature !== undefined) this.#blocks.sign(block, whole.signature, events);
      }
      this.#blocks.close(block, events);
    } else if (whole?.type === 'redacted_thinking') {
      const head = { kind: whole.type, signature: whole.signature } as const;
      this.#blocks.close(this.#blocks.open(head, events), events);
    } else if (whole?.type === 'thinking') {
      const block = this.#blocks.open({ kind: whole.type }, events);
      this.#blocks.tell(block, { kind: whole.type, text: whole.text }, events);
      if (whole.signature !== undefined) this.#blocks.sign(block, whole.signature, events);
      this.#blocks.close(block, events);
    }
  }

  #think({ type, delta }: JsonObject, partIndex: unknown, events: TurnEvent[]): void {
    const text = asText(delta) ?? '';
    if (text === '') return;
    const part = asCount(partIndex) ?? 0;
    this.#thought ??= { block: this.#blocks.open({ kind: 'thinking' }, events), type, part };
    if (this.#thought.type !== type) return;
    const { block } = this.#thought;
    if (this.#thought.part !== part) {
      this.#thought.part = part;
      this.#blocks.tell(block, { kind: 'thinking', text: thoughtBreak }, events);
    }
    this.#blocks.tell(block, { kind: 'thinking', text }, events);
  }
}
