/** A stream on its way from one protocol to another, frame by frame. */

import { eachData, idleComment } from '../../base/sse.ts';
import type { ExtrasSoFar, TokenUsage } from '../../base/token-usage.ts';
import { GeneratedEvents, type TextSample } from '../frames/generated-text.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type StreamTranslator, type UpstreamComplaint } from '../translator.ts';
import type { EventWriter, StreamPosition, TurnEvent } from '../turn/events.ts';

const nothing = new Uint8Array();
const encoder = new TextEncoder();

export class ConvertedStream implements StreamTranslator {
  readonly #reading: StreamReading;
  readonly #writer: EventWriter;
  readonly #writeId: (upstreamId: string) => string;
  /** Set when what was read cannot be written. */
  #broken: UpstreamComplaint | null = null;
  /** Before the block at hand. */
  #hadContent = false;

  /** @param sides `writeId` makes the id of the answer one of the client's protocol. */
  constructor(sides: { reader: EventReader; writer: EventWriter; writeId: (upstreamId: string) => string }) {
    this.#reading = new StreamReading(sides.reader);
    this.#writer = sides.writer;
    this.#writeId = sides.writeId;
  }

  get hasContent(): boolean {
    // What came with a block that cannot be written does not reach the client, so that another provider may be asked.
    return this.#broken === null ? this.#reading.hasContent : this.#hadContent;
  }

  get generatedCharacters(): number {
    return this.#reading.generated.characters;
  }

  sampleGenerated(): TextSample {
    return this.#reading.generated.sample();
  }

  get isComplete(): boolean {
    return this.#reading.isComplete;
  }

  get isTextDone(): boolean {
    return this.#reading.isTextDone;
  }

  get isEnded(): boolean {
    return this.#reading.isEnded;
  }

  get usage(): TokenUsage | null {
    return this.#reading.usage;
  }

  get usageSoFar(): TokenUsage | null {
    return this.#reading.usageSoFar;
  }

  get extrasSoFar(): ExtrasSoFar | undefined {
    return this.#reading.extrasSoFar;
  }

  get complaint(): UpstreamComplaint | null {
    return this.#broken ?? this.#reading.complaint;
  }

  push(block: Buffer): Uint8Array {
    this.#hadContent = this.hasContent;
    return this.#write(this.#reading.push(block));
  }

  end(): Uint8Array {
    this.#hadContent = this.hasContent;
    return this.#write(this.#reading.end());
  }

  idle(): Uint8Array {
    return encoder.encode(this.#writer.idle?.() ?? idleComment);
  }

  position(): StreamPosition | undefined {
    return this.#writer.position?.();
  }

  #withOwnId(event: TurnEvent): TurnEvent {
    return event.type === 'start' ? { ...event, id: this.#writeId(event.id) } : event;
  }

  #write(events: readonly TurnEvent[]): Uint8Array {
    let out = '';
    if (this.#broken !== null) return nothing;
    try {
      for (const event of events) out += this.#writer.write(this.#withOwnId(event));
    } catch (thrown) {
      // The arguments of a call can come as text that is nested too deep to be written as an object.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.#broken = brokenFrame;
    }
    return out === '' ? nothing : encoder.encode(out);
  }
}

/** An upstream's stream while it is read into events: what it has shown so far, and what it costs. */
class StreamReading {
  hasContent = false;
  readonly generated = new GeneratedEvents();
  #startUsage: TokenUsage | null = null;
  #usage: TokenUsage | null = null;
  #broken: UpstreamComplaint | null = null;
  readonly #reader: EventReader;
  /** Its events tell all that was generated. */
  readonly #tellsAll: boolean;
  readonly #events: TurnEvent[] = [];

  constructor(reader: EventReader) {
    this.#reader = reader;
    this.#tellsAll = reader.tellGenerated === undefined;
    reader.tellGenerated?.((text, isThought) => this.generated.add(text, isThought));
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  get isTextDone(): boolean {
    return this.#reader.isTextDone === true;
  }

  get isEnded(): boolean {
    return this.#reader.isEnded;
  }

  get usage(): TokenUsage | null {
    // Counts before the end are of a part of the answer, or of the prompt alone.
    return (this.#reader.isCounted ?? this.isComplete) ? this.#usage : null;
  }

  get usageSoFar(): TokenUsage | null {
    return this.#usage ?? this.#startUsage;
  }

  get extrasSoFar(): ExtrasSoFar | undefined {
    return this.#reader.extrasSoFar;
  }

  get complaint(): UpstreamComplaint | null {
    return this.#broken ?? this.#reader.complaint;
  }

  /** @returns the events of a block of whole frames; the list is used again for the next block. */
  push(block: Buffer): readonly TurnEvent[] {
    this.#events.length = 0;
    eachData(block.toString('utf8'), this.#read);
    return this.#noted();
  }

  end(): readonly TurnEvent[] {
    this.#events.length = 0;
    this.#reader.finish(this.#events);
    return this.#noted();
  }

  /** What comes after an error is not for the client. */
  readonly #read = (data: string): void => {
    if (this.complaint !== null) return;
    try {
      this.#reader.read(data, this.#events);
    } catch (thrown) {
      // What is nested deep enough can be parsed, but not written again.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.#broken = brokenFrame;
    }
  };

  #noted(): readonly TurnEvent[] {
    for (const event of this.#events) this.#note(event);
    return this.#events;
  }

  #note(event: TurnEvent): void {
    switch (event.type) {
      case 'delta':
        if (this.#tellsAll) this.generated.add(event.text, event.kind === 'thinking');
        this.hasContent = true;
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'open':
        if (event.head.kind === 'tool_use' || event.head.kind === 'redacted_thinking') this.hasContent = true;
        break;
      case 'image':
      case 'signature':
      case 'stop':
        this.hasContent = true;
        break;
      case 'start':
        this.#startUsage = event.usage;
        break;
      case 'citation':
      case 'close':
      case 'end':
        break;
    }
  }
}
