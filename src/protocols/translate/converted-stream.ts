/** A stream on its way from one protocol to another, frame by frame. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { idleComment } from '../frames/frame-data.ts';
import type { EventReader } from '../protocol.ts';
import { StreamReading } from '../stream-reading.ts';
import { brokenFrame, type StreamTranslator, type UpstreamComplaint } from '../translator.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';

const nothing = new Uint8Array();
const encoder = new TextEncoder();

export class ConvertedStream implements StreamTranslator {
  readonly #reading: StreamReading;
  readonly #writer: EventWriter;
  /** Set when what was read cannot be written. */
  #broken: UpstreamComplaint | null = null;
  /** Before the block at hand. */
  #hadContent = false;

  constructor(sides: { reader: EventReader; writer: EventWriter }) {
    this.#reading = new StreamReading(sides.reader);
    this.#writer = sides.writer;
  }

  get hasContent(): boolean {
    // What came with a block that cannot be written does not reach the client, so that another provider may be asked.
    return this.#broken === null ? this.#reading.hasContent : this.#hadContent;
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

  #write(events: readonly TurnEvent[]): Uint8Array {
    let out = '';
    if (this.#broken !== null) return nothing;
    try {
      for (const event of events) out += this.#writer.write(event);
    } catch (thrown) {
      // The arguments of a call can come as text that is nested too deep to be written as an object.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.#broken = brokenFrame;
    }
    return out === '' ? nothing : encoder.encode(out);
  }
}
