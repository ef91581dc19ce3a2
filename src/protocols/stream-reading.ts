/** An upstream's stream while it is read into events: what it has shown so far, and what it costs. */
import type { TokenUsage } from '../base/token-usage.ts';
import { eachData } from './frames/frame-data.ts';
import { withEstimatedOutput } from './frames/generated-text.ts';
import type { EventReader } from './protocol.ts';
import { brokenFrame, type UpstreamComplaint } from './translator.ts';
import type { TurnEvent } from './turn/events.ts';

export class StreamReading {
  hasContent = false;
  generatedCharacters = 0;
  #startUsage: TokenUsage | null = null;
  #usage: TokenUsage | null = null;
  #broken: UpstreamComplaint | null = null;
  readonly #reader: EventReader;
  readonly #events: TurnEvent[] = [];

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  get isEnded(): boolean {
    return this.#reader.isEnded;
  }

  get usage(): TokenUsage | null {
    if (this.#usage !== null && this.isComplete) return this.#usage;
    const known = this.#usage ?? this.#startUsage;
    // Counts before the end are of a part of the answer, or of the prompt alone.
    return known === null ? null : withEstimatedOutput(known, this.generatedCharacters);
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
