/** A stream on its way from one protocol to another, frame by frame. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { eachData, idleComment } from '../frames/frame-data.ts';
import { withEstimatedOutput } from '../frames/generated-text.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type StreamTranslator, type UpstreamComplaint } from '../translator.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';

const nothing = new Uint8Array();
const encoder = new TextEncoder();

export class ConvertedStream implements StreamTranslator {
  hasContent = false;
  generatedCharacters = 0;
  #startUsage: TokenUsage | null = null;
  #usage: TokenUsage | null = null;
  #broken: UpstreamComplaint | null = null;
  readonly #reader: EventReader;
  readonly #writer: EventWriter;
  readonly #events: TurnEvent[] = [];

  constructor(sides: { reader: EventReader; writer: EventWriter }) {
    this.#reader = sides.reader;
    this.#writer = sides.writer;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  get isEnded(): boolean {
    return this.#reader.isEnded;
  }

  get usage(): TokenUsage | null {
    if (this.#usage !== null || this.#startUsage === null) return this.#usage;
    return withEstimatedOutput(this.#startUsage, this.generatedCharacters);
  }

  get complaint(): UpstreamComplaint | null {
    return this.#broken ?? this.#reader.complaint;
  }

  push(block: Buffer): Uint8Array {
    eachData(block.toString('utf8'), this.#read);
    return this.#writeEvents();
  }

  end(): Uint8Array {
    this.#reader.finish(this.#events);
    return this.#writeEvents();
  }

  idle(): Uint8Array {
    return encoder.encode(this.#writer.idle?.() ?? idleComment);
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

  #writeEvents(): Uint8Array {
    if (this.#events.length === 0) return nothing;
    let out = '';
    for (const event of this.#events) {
      this.#note(event);
      out += this.#writer.write(event);
    }
    this.#events.length = 0;
    return out === '' ? nothing : encoder.encode(out);
  }

  #note(event: TurnEvent): void {
    switch (event.type) {
      case 'delta':
        this.generatedCharacters += event.text.length;
        this.hasContent = true;
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'open':
        if (event.head.kind === 'tool_use' || event.head.kind === 'redacted_thinking') this.hasContent = true;
        break;
      case 'signature':
      case 'stop':
        this.hasContent = true;
        break;
      case 'start':
        this.#startUsage = event.usage;
        break;
      case 'close':
      case 'end':
        break;
    }
  }
}
