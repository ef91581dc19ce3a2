/** What readers have in common that read another reader's events and change some of them on the way. */
import type { EventReader } from '../protocol.ts';
import type { UpstreamComplaint } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';

export abstract class ReaderOver implements EventReader {
  readonly #reader: EventReader;
  readonly #read: TurnEvent[] = [];
  #hear: ((text: string, isThought: boolean) => void) | undefined;

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  get isComplete() {
    return this.#reader.isComplete;
  }

  get isCounted() {
    return this.#reader.isCounted ?? this.#reader.isComplete;
  }

  get isTextDone() {
    return this.#reader.isTextDone === true;
  }

  get extrasSoFar() {
    return this.#reader.extrasSoFar;
  }

  get isEnded() {
    return this.#reader.isEnded;
  }

  get complaint(): UpstreamComplaint | null {
    return this.#reader.complaint;
  }

  /** What does not become an event is paid for too. */
  tellGenerated(hear: (text: string, isThought: boolean) => void): void {
    if (this.#reader.tellGenerated === undefined) this.#hear = hear;
    else this.#reader.tellGenerated(hear);
  }

  read(data: string, events: TurnEvent[]): void {
    this.#reader.read(data, this.#read);
    this.#passAll(events);
  }

  finish(events: TurnEvent[]): void {
    this.#reader.finish(this.#read);
    this.#passAll(events);
  }

  /** Adds what becomes of an event. Where it throws, the other events of the same frame are dropped. */
  protected abstract pass(event: TurnEvent, events: TurnEvent[]): void;

  #passAll(events: TurnEvent[]): void {
    try {
      for (const event of this.#read) {
        if (event.type === 'delta') this.#hear?.(event.text, event.kind === 'thinking');
        this.pass(event, events);
      }
    } finally {
      this.#read.length = 0;
    }
  }
}
