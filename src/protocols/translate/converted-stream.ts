/** A stream on its way from one protocol to another, frame by frame. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { idleComment } from '../frames/frame-data.ts';
import type { EventReader } from '../protocol.ts';
import { StreamReading } from '../stream-reading.ts';
import type { StreamTranslator, UpstreamComplaint } from '../translator.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';

const nothing = new Uint8Array();
const encoder = new TextEncoder();

export class ConvertedStream implements StreamTranslator {
  readonly #reading: StreamReading;
  readonly #writer: EventWriter;

  constructor(sides: { reader: EventReader; writer: EventWriter }) {
    this.#reading = new StreamReading(sides.reader);
    this.#writer = sides.writer;
  }

  get hasContent(): boolean {
    return this.#reading.hasContent;
  }

  get generatedCharacters(): number {
    return this.#reading.generatedCharacters;
  }

  get isComplete(): boolean {
    return this.#reading.isComplete;
  }

  get isEnded(): boolean {
    return this.#reading.isEnded;
  }

  get usage(): TokenUsage | null {
    return this.#reading.usage;
  }

  get complaint(): UpstreamComplaint | null {
    return this.#reading.complaint;
  }

  push(block: Buffer): Uint8Array {
    return this.#write(this.#reading.push(block));
  }

  end(): Uint8Array {
    return this.#write(this.#reading.end());
  }

  idle(): Uint8Array {
    return encoder.encode(this.#writer.idle?.() ?? idleComment);
  }

  #write(events: readonly TurnEvent[]): Uint8Array {
    let out = '';
    for (const event of events) out += this.#writer.write(event);
    return out === '' ? nothing : encoder.encode(out);
  }
}
