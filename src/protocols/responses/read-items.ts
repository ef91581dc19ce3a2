/** The readers of one streamed output item each: a message, reasoning, a tool call. */
import { asCount, asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import { type Citation, shiftCitation } from '../turn/citations.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import type { Signature } from '../turn/signature.ts';
import { readAnnotation } from './citations.ts';
import { callInputOf, readCall, readReasoning, type ToolSignatures, thoughtBreak } from './items.ts';
import { readLogprobs } from './outcome.ts';

/** What the readers of items have in common. */
export interface ItemReader {
  /** An event within the item. */
  read(event: JsonObject, events: TurnEvent[]): void;
  /** @param item as it ended; what of it was not streamed is told now. Undefined when nobody said how it ended. */
  end(item: JsonObject | undefined, events: TurnEvent[]): void;
}

/** Blocks of a streamed answer, numbered in the order in which they begin. */
export class BlockEvents {
  /** Of what has begun: tool uses and refusals decide why an answer ended. */
  readonly said = { toolUse: false, refusal: false };
  /** The message whose text is the last block; another one that follows it is told apart. */
  lastSpeaker: unknown = null;
  /** What was found before the first text, which cites it where it says nothing else of its sources. */
  sources: Citation[] = [];
  #next = 0;

  open(head: BlockHead, events: TurnEvent[]): number {
    const block = this.#next;
    this.#next += 1;
    this.lastSpeaker = null;
    this.said.toolUse ||= head.kind === 'tool_use';
    this.said.refusal ||= head.kind === 'refusal';
    events.push({ type: 'open', choice: 0, block, head });
    return block;
  }

  tell(block: number, told: Told, events: TurnEvent[]): void {
    if (told.text !== '') events.push({ type: 'delta', choice: 0, block, ...told });
  }

  sign(block: number, signature: Signature, events: TurnEvent[]): void {
    events.push({ type: 'signature', choice: 0, block, signature });
  }

  close(block: number, events: TurnEvent[]): void {
    events.push({ type: 'close', choice: 0, block });
  }
}

export interface Told {
  readonly kind: DeltaEvent['kind'];
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
}

interface Part {
  readonly block: number;
  readonly kind: 'text' | 'refusal';
  isClosed: boolean;
  hasCited: boolean;
  /** The length of what keeps it apart from the message before it. */
  shift: number;
}

/** Each part of a message that says something is a block. */
export class MessageReader implements ItemReader {
  readonly #blocks: BlockEvents;
  readonly #parts = new Map<number, Part>();

  constructor(blocks: BlockEvents) {
    this.#blocks = blocks;
  }

  read(event: JsonObject, events: TurnEvent[]): void {
    const index = asCount(event['content_index']) ?? 0;
    switch (event['type']) {
      case 'response.output_text.delta': {
        const text = asText(event['delta']) ?? '';
        this.#say(index, { kind: 'text', text, logprobs: readLogprobs(event['logprobs']) }, events);
        break;
      }
      case 'response.refusal.delta':
        this.#say(index, { kind: 'refusal', text: asText(event['delta']) ?? '' }, events);
        break;
      case 'response.output_text.annotation.added':
        this.#cite(index, asObject(event['annotation']) ?? {}, events);
        break;
      case 'response.output_text.done':
        this.#close(index, { kind: 'text', text: asText(event['text']) ?? '' }, events);
        break;
      case 'response.refusal.done':
        this.#close(index, { kind: 'refusal', text: asText(event['refusal']) ?? '' }, events);
        break;
    }
  }

  end(item: JsonObject | undefined, events: TurnEvent[]): void {
    for (const [index, part] of asObjects(item?.['content']).entries()) {
      const kind = part['type'] === 'refusal' ? 'refusal' : 'text';
      this.#citeWhole(index, part, events);
      this.#close(index, { kind, text: asFilledText(part[kind]) ?? '' }, events);
    }
    for (const part of this.#parts.values()) this.#closePart(part, events);
  }

  /** Some hosts tell what is cited at the end alone. */
  #citeWhole(index: number, whole: JsonObject, events: TurnEvent[]): void {
    if (!this.#parts.has(index))
      this.#say(index, { kind: 'text', text: asText(whole['text']) ?? '' }, events);
    if (this.#parts.get(index)?.hasCited !== false) return;
    for (const annotation of asObjects(whole['annotations'])) this.#cite(index, annotation, events);
  }

  #cite(index: number, annotation: JsonObject, events: TurnEvent[]): void {
    const citation = readAnnotation(annotation);
    const part = this.#parts.get(index);
    if (citation === undefined || part === undefined || part.isClosed || part.kind !== 'text') return;
    part.hasCited = true;
    events.push({
      type: 'citation',
      choice: 0,
      block: part.block,
      citation: shiftCitation(citation, part.shift),
    });
  }

  #say(index: number, told: Told, events: TurnEvent[]): void {
    if (told.text === '') return;
    let part = this.#parts.get(index);
    if (part === undefined) {
      const kind = told.kind === 'refusal' ? told.kind : 'text';
      const { lastSpeaker } = this.#blocks;
      part = { block: this.#blocks.open({ kind }, events), kind, isClosed: false, hasCited: false, shift: 0 };
      this.#parts.set(index, part);
      if (kind === 'text') {
        this.#blocks.lastSpeaker = this;
        const isNext = lastSpeaker !== null && lastSpeaker !== this;
        if (isNext) {
          part.shift = thoughtBreak.length;
          this.#blocks.tell(part.block, { kind, text: thoughtBreak }, events);
        }
      }
    }
    if (!part.isClosed && part.kind === told.kind) this.#blocks.tell(part.block, told, events);
  }

  /** @param whole what the part says in the end, which some hosts say at once. */
  #close(index: number, whole: Told, events: TurnEvent[]): void {
    if (!this.#parts.has(index)) this.#say(index, whole, events);
    const part = this.#parts.get(index);
    if (part !== undefined) this.#closePart(part, events);
  }

  #citeSources({ block, hasCited }: Part, events: TurnEvent[]): void {
    const { sources } = this.#blocks;
    this.#blocks.sources = [];
    if (hasCited) return;
    for (const citation of sources) events.push({ type: 'citation', choice: 0, block, citation });
  }

  #closePart(part: Part, events: TurnEvent[]): void {
    if (part.isClosed) return;
    part.isClosed = true;
    if (part.kind === 'text') this.#citeSources(part, events);
    this.#blocks.close(part.block, events);
  }
}

interface Thought {
  readonly block: number;
  /** A host that streams both a summary and the thinking itself shows what came first. */
  readonly type: unknown;
  part: number;
}

/** Thinking, whose signature comes with its end. */
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

/** Items that a call may end as; hosts that leave the type out mean the one that it began as. */
const callTypes: ReadonlySet<unknown> = new Set([undefined, 'function_call', 'custom_tool_call']);

/** A tool call, function or free text. */
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
    if (item !== undefined && callTypes.has(item['type'])) {
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
