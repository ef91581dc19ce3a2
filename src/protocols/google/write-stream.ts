/** This file writes events as a generateContent stream: pieces of the answer in the shape of a whole one. */
import type { TokenUsage } from '../../base/token-usage.ts';
import type { JsonObject } from '../json/fields.ts';
import type { Citation } from '../turn/citations.ts';
import type { DeltaEvent, EventWriter, TurnEvent } from '../turn/events.ts';
import { writeCall, writeHead, writeImage } from './answer.ts';
import { writeGrounding } from './citations.ts';
import { writeGoogleStop, writeGoogleUsage, writeLogprobs, writeThoughtSignature } from './outcome.ts';

/**
 * What a piece has that says nothing, as a sign of life. Official clients take a comment of server-sent events for JSON, or read
 * nothing more behind it: those of Python, and those of Node until version 1.31.
 */
export const idleCandidate: JsonObject = { content: { parts: [{ text: '' }], role: 'model' }, index: 0 };

export const writeFrame = (piece: JsonObject): string => `data: ${JSON.stringify(piece)}\n\n`;

export class GoogleEventWriter implements EventWriter {
  readonly #hidesThoughts: boolean;
  #head: JsonObject = {};
  #usage: TokenUsage | null = null;
  /** The last end of a candidate. It waits for the counts: official clients keep no answer with a piece of them alone. */
  #end: JsonObject | null = null;
  readonly #parts = new Map<number, PartWriter>();

  constructor({ hidesThoughts }: { hidesThoughts: boolean }) {
    this.#hidesThoughts = hidesThoughts;
  }

  idle(): string {
    return this.#frame(idleCandidate);
  }

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'start':
        this.#head = writeHead(event);
        this.#usage = event.usage;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'stop': {
        const finishReason = writeGoogleStop(event.stop);
        const before = this.#writeEnd();
        // A piece without parts is not kept either, which is why Google's own streams end in an empty text.
        const groundingMetadata = writeGrounding(this.#partsOf(event.choice).texts);
        const content = { parts: [{ text: '' }], role: 'model' };
        this.#end = { content, finishReason, index: event.choice, groundingMetadata };
        return before;
      }
      case 'end':
        return this.#writeEnd();
      case 'image': {
        const content = { parts: [writeImage(event.image)], role: 'model' };
        return this.#writeEnd() + this.#frame({ content, index: event.choice });
      }
      default:
        if (this.#hidesThoughts && event.type === 'delta' && event.kind === 'thinking') return '';
        return this.#writeEnd() + this.#writeParts(event);
    }
  }

  #writeParts(event: BlockEvent): string {
    return this.#partsOf(event.choice)
      .write(event)
      .map(({ part, logprobsResult }) =>
        this.#frame({ content: { parts: [part], role: 'model' }, index: event.choice, logprobsResult }),
      )
      .join('');
  }

  #writeEnd(): string {
    const end = this.#end;
    this.#end = null;
    return end === null ? '' : this.#frame(end);
  }

  #partsOf(choice: number): PartWriter {
    const known = this.#parts.get(choice);
    if (known !== undefined) return known;
    const parts = new PartWriter();
    this.#parts.set(choice, parts);
    return parts;
  }

  /** Each piece repeats the usage so far. */
  #frame(candidate: JsonObject): string {
    const usageMetadata = this.#usage === null ? undefined : writeGoogleUsage(this.#usage);
    return writeFrame({ candidates: [candidate], usageMetadata, ...this.#head });
  }
}

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

/** The parts of one candidate. Text and thoughts go out as they come; a call goes out whole, when its block closes. */
export class PartWriter {
  readonly #order = new BlockOrder();
  /** What was said, for the segments that sources are told of in the end. */
  readonly texts: { text: string; citations?: Citation[] }[] = [];
  #call: OpenCall | null = null;

  /** The parts that this event completes. */
  write(event: BlockEvent): readonly WrittenPart[] {
    return this.#order.take(event).flatMap((due) => this.#writeOne(due) ?? []);
  }

  #writeOne(event: BlockEvent): WrittenPart | undefined {
    switch (event.type) {
      case 'open':
        return this.#open(event);
      case 'delta':
        return this.#delta(event);
      case 'citation': {
        const last = this.texts.at(-1);
        if (last !== undefined) {
          last.citations ??= [];
          last.citations.push(event.citation);
        }
        return undefined;
      }
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
    if (head.kind === 'text' || head.kind === 'refusal') this.texts.push({ text: '' });
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
    const said = this.texts.at(-1);
    if (said !== undefined) said.text += text;
    return { part: { text }, logprobsResult: writeLogprobs(logprobs) };
  }

  #close(): WrittenPart | undefined {
    const call = this.#call;
    if (call === null) return undefined;
    this.#call = null;
    return { part: { functionCall: writeCall(call), thoughtSignature: call.thoughtSignature } };
  }
}

export type BlockEvent = Extract<TurnEvent, { block: number }>;

/** Lets the blocks of one candidate go one after the other, in the order in which they began, though they may interleave. */
class BlockOrder {
  #open: number | null = null;
  /** The events of later blocks, held while an earlier one is open. */
  readonly #waiting = new Map<number, BlockEvent[]>();

  /** The events that are due with this one: none, or it and those that waited for it. */
  take(event: BlockEvent): readonly BlockEvent[] {
    if (this.#open === null && event.type === 'open') this.#open = event.block;
    if (event.block === this.#open) return event.type === 'close' ? [event, ...this.#next()] : [event];
    const waiting = this.#waiting.get(event.block);
    if (waiting === undefined) this.#waiting.set(event.block, [event]);
    else waiting.push(event);
    return [];
  }

  /** The events of the blocks that waited, up to the first block that is not closed itself. */
  #next(): readonly BlockEvent[] {
    this.#open = null;
    const due: BlockEvent[] = [];
    for (const [block, events] of this.#waiting) {
      this.#waiting.delete(block);
      due.push(...events);
      if (events.at(-1)?.type === 'close') continue;
      this.#open = block;
      break;
    }
    return due;
  }
}
