/** Writes a stream for a client and notes what it has been shown, so that another upstream can go on with it. */
import { idleComment } from '../../../base/sse.ts';
import { sumOf, type TokenUsage } from '../../../base/token-usage.ts';
import type { EventWriter, RescueNote, StreamPosition, TurnEvent } from '../../turn/events.ts';

/** An answer is hardly ever longer, and all of it would have to be sent again. */
const mostCharacters = 400_000;
/** What a piece takes beside its letters, of two bytes each. */
const pieceBytes = 32;
/** Room is taken for so much at once. */
const roomStepBytes = 65_536;

/** Takes room for so many bytes more, until the request ends; false where there is none. */
export type TakeRoom = (bytes: number) => boolean;

export class ShownWriter implements EventWriter {
  readonly #writer: EventWriter;
  readonly #takeRoom: TakeRoom;
  readonly #texts: string[] = [];
  #length = 0;
  #roomBytes = 0;
  /** What was shown is too long, finds no room, or is asked for no more. */
  #isLetGo = false;
  readonly #open = new Set<number>();
  #openText: number | null = null;
  #lastBlock = -1;
  #openThoughts = 0;
  /** Thoughts that the client can read. */
  hasReasoning = false;
  /** A call, a refusal, an image, a citation, or its end: what cannot be gone on with. */
  #hasOther = false;
  /** It was gone on with by another answer. */
  isContinued = false;

  constructor(writer: EventWriter, takeRoom: TakeRoom) {
    this.#writer = writer;
    this.#takeRoom = takeRoom;
  }

  get text(): string {
    return this.#texts.join('');
  }

  /** Whether there is nothing but text, behind thoughts that are over. */
  get isContinuable(): boolean {
    return !this.#hasOther && this.#openThoughts === 0 && !this.#isLetGo;
  }

  write(event: TurnEvent): string {
    this.#note(event);
    return this.#writer.write(event);
  }

  idle(): string {
    return this.#writer.idle?.() ?? idleComment;
  }

  position(): StreamPosition | undefined {
    return this.#writer.position?.();
  }

  /**
   * The same stream for the answer that goes on with it.
   * @param usageBefore what the broken one took: the client is told the sum.
   */
  continued(note: RescueNote, usageBefore: TokenUsage): EventWriter {
    return new ContinuedWriter({
      stream: this,
      tell: () => {
        this.isContinued = true;
        // Once is all: nobody asks for it again.
        this.#letGo();
        return this.#writer.note?.(note) ?? '';
      },
      usageBefore,
      openText: this.#openText,
      firstBlock: this.#lastBlock + 1,
    });
  }

  #note(event: TurnEvent): void {
    if ('choice' in event && event.choice !== 0) this.#hasOther = true;
    switch (event.type) {
      case 'open':
        this.#noteOpen(event);
        return;
      case 'delta':
        if (event.kind === 'text') this.#keep(event.text);
        else if (event.kind !== 'thinking') this.#hasOther = true;
        return;
      case 'close':
        if (this.#open.delete(event.block) && this.#openText !== event.block) this.#openThoughts -= 1;
        if (this.#openText === event.block) this.#openText = null;
        return;
      case 'citation':
      case 'image':
      case 'stop':
        this.#hasOther = true;
        return;
      case 'start':
      case 'signature':
      case 'usage':
      case 'end':
        return;
    }
  }

  #keep(text: string): void {
    if (this.#isLetGo) return;
    const bytes = pieceBytes + 2 * text.length;
    this.#length += text.length;
    if (this.#length > mostCharacters || !this.#hasRoom(bytes)) {
      this.#letGo();
      return;
    }
    this.#roomBytes -= bytes;
    this.#texts.push(text);
  }

  #hasRoom(bytes: number): boolean {
    if (this.#roomBytes >= bytes) return true;
    const step = Math.max(bytes, roomStepBytes);
    if (!this.#takeRoom(step)) return false;
    this.#roomBytes += step;
    return true;
  }

  #letGo(): void {
    this.#isLetGo = true;
    this.#texts.length = 0;
  }

  #noteOpen({ block, head }: Extract<TurnEvent, { type: 'open' }>): void {
    this.#lastBlock = Math.max(this.#lastBlock, block);
    this.#open.add(block);
    if (head.kind === 'text') {
      // Two texts at once have no one place to go on from.
      if (this.#openText !== null) this.#hasOther = true;
      this.#openText = block;
      return;
    }
    this.hasReasoning = true;
    if (head.kind === 'thinking') this.#openThoughts += 1;
    else this.#hasOther = true;
  }
}

interface Continuing {
  readonly stream: ShownWriter;
  readonly tell: () => string;
  readonly usageBefore: TokenUsage;
  /** The block that the broken answer left open. */
  readonly openText: number | null;
  readonly firstBlock: number;
}

/** Puts the blocks of a second answer behind those of the first. Nothing is written before it has something to show. */
class ContinuedWriter implements EventWriter {
  readonly #parts: Continuing;
  readonly #blocks = new Map<number, number>();
  /** Until something is to be shown: an attempt that fails before leaves no trace. */
  #waiting: TurnEvent[] | null = [];
  /** The text that was left open, until a text of the second answer goes on in it or something else ends it. */
  #openText: number | null;
  #nextBlock: number;
  #hasUsage = false;

  constructor(parts: Continuing) {
    this.#parts = parts;
    this.#openText = parts.openText;
    this.#nextBlock = parts.firstBlock;
  }

  write(event: TurnEvent): string {
    if (event.type === 'start') return '';
    if (this.#waiting === null) return this.#pass(event);
    this.#waiting.push(event);
    if (!shows(event)) return '';
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting.reduce((out, each) => out + this.#pass(each), this.#parts.tell());
  }

  idle(): string {
    return this.#parts.stream.idle();
  }

  position(): StreamPosition | undefined {
    return this.#parts.stream.position();
  }

  #pass(event: TurnEvent): string {
    const { stream, usageBefore } = this.#parts;
    switch (event.type) {
      case 'usage':
        this.#hasUsage = true;
        return stream.write({ type: 'usage', usage: sumOf(usageBefore, event.usage) });
      case 'end': {
        const told = this.#hasUsage ? '' : stream.write({ type: 'usage', usage: usageBefore });
        return told + stream.write(event);
      }
      case 'open':
        return this.#open(event);
      case 'stop':
      case 'image':
        return this.#closeText() + stream.write(event);
      case 'start':
        return '';
      default:
        return stream.write({ ...event, block: this.#blocks.get(event.block) ?? event.block });
    }
  }

  #open(event: Extract<TurnEvent, { type: 'open' }>): string {
    if (event.head.kind === 'text' && this.#openText !== null) {
      this.#blocks.set(event.block, this.#openText);
      this.#openText = null;
      return '';
    }
    const closed = this.#closeText();
    const block = this.#nextBlock;
    this.#nextBlock += 1;
    this.#blocks.set(event.block, block);
    return closed + this.#parts.stream.write({ ...event, block });
  }

  #closeText(): string {
    const block = this.#openText;
    this.#openText = null;
    return block === null ? '' : this.#parts.stream.write({ type: 'close', choice: 0, block });
  }
}

const shows = ({ type }: TurnEvent): boolean => type === 'delta' || type === 'image' || type === 'stop';
