/**
 * The blocks of a Converse stream. Only the use of a tool is announced; text and thinking begin with their first piece,
 * and what kind they are the piece says.
 */
import { asFilledText, asObject, asText, type JsonObject } from '../json/fields.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import { type Signature, unpackSignature, unpackToolSignature } from '../turn/signature.ts';

interface OpenBlock {
  /** Its number in the form, where blocks that nobody else knows are not counted. */
  readonly block: number;
  readonly kind: BlockHead['kind'];
}

export class BlockReader {
  /** By the index of the API; null for a block of which nothing is passed on. */
  readonly #open = new Map<number, OpenBlock | null>();
  /** Thinking that only the vendor can read, which comes in pieces but is one thing. */
  readonly #redacted = new Map<number, string>();
  readonly #signatureOfTool = new Map<string, Signature>();
  #count = 0;

  /** Whether the block could begin: one that is open cannot, and what was shown of it cannot be taken back. */
  start(index: number, start: JsonObject, events: TurnEvent[]): boolean {
    if (this.#open.has(index)) return false;
    const toolUse = asObject(start['toolUse']);
    if (toolUse !== undefined && toolUse['type'] !== 'server_tool_use') {
      const id = asText(toolUse['toolUseId']) ?? '';
      const name = asText(toolUse['name']) ?? '';
      this.#begin(index, { kind: 'tool_use', id, name, signature: this.#signatureOfTool.get(id) }, events);
    } else if (toolUse !== undefined || start['toolResult'] !== undefined || start['image'] !== undefined) {
      this.#open.set(index, null);
    }
    return true;
  }

  delta(index: number, delta: JsonObject, events: TurnEvent[]): void {
    const text = asFilledText(delta['text']);
    if (text !== undefined) this.#tell({ index, kind: 'text', text }, events);
    const input = asFilledText(asObject(delta['toolUse'])?.['input']);
    if (input !== undefined) this.#tell({ index, kind: 'input', text: input }, events);
    const reasoning = asObject(delta['reasoningContent']);
    if (reasoning !== undefined) this.#reason(index, reasoning, events);
  }

  stop(index: number, events: TurnEvent[]): void {
    this.#close(index, events);
    const redacted = this.#redacted.get(index);
    if (redacted === undefined) return;
    this.#redacted.delete(index);
    this.#beginRedacted(index, redacted, events);
    this.#close(index, events);
  }

  closeAll(events: TurnEvent[]): void {
    for (const index of [...this.#open.keys(), ...this.#redacted.keys()]) this.stop(index, events);
  }

  #close(index: number, events: TurnEvent[]): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open != null) events.push({ type: 'close', choice: 0, block: open.block });
  }

  #reason(index: number, reasoning: JsonObject, events: TurnEvent[]): void {
    const redacted = asFilledText(reasoning['redactedContent']);
    if (redacted !== undefined) this.#redacted.set(index, (this.#redacted.get(index) ?? '') + redacted);
    const text = asFilledText(reasoning['text']);
    if (text !== undefined) this.#tell({ index, kind: 'thinking', text }, events);
    const signature = asFilledText(reasoning['signature']);
    const open = signature === undefined ? undefined : this.#openAs(index, 'thinking', events);
    if (signature === undefined || open === undefined) return;
    events.push({
      type: 'signature',
      choice: 0,
      block: open.block,
      signature: unpackSignature(signature, 'anthropic'),
    });
  }

  #tell(
    { index, kind, text }: { index: number; kind: Exclude<DeltaEvent['kind'], 'refusal'>; text: string },
    events: TurnEvent[],
  ): void {
    const open = this.#openAs(index, kind === 'input' ? 'tool_use' : kind, events);
    if (open !== undefined) events.push({ type: 'delta', choice: 0, block: open.block, kind, text });
  }

  /** The block at the index, begun if it is not open. Undefined where nothing is passed on. */
  #openAs(index: number, kind: 'text' | 'thinking' | 'tool_use', events: TurnEvent[]): OpenBlock | undefined {
    const open = this.#open.get(index);
    if (open === null) return undefined;
    if (open?.kind === kind) return open;
    // A tool that was never named cannot be used.
    if (kind === 'tool_use') return undefined;
    if (open !== undefined) this.stop(index, events);
    return this.#begin(index, { kind }, events);
  }

  /** The signature of a tool use travels in front of it. */
  #beginRedacted(index: number, redacted: string, events: TurnEvent[]): void {
    const ofTool = unpackToolSignature(redacted);
    if (ofTool !== null) this.#signatureOfTool.set(ofTool.toolId, ofTool.signature);
    else
      this.#begin(
        index,
        { kind: 'redacted_thinking', signature: unpackSignature(redacted, 'anthropic') },
        events,
      );
  }

  #begin(index: number, head: BlockHead, events: TurnEvent[]): OpenBlock {
    const opened = { block: this.#count, kind: head.kind };
    this.#count += 1;
    this.#open.set(index, opened);
    events.push({ type: 'open', choice: 0, block: opened.block, head });
    return opened;
  }
}
