/** The rules of the order of events, which writers rely on. */
import type { EventReader } from '../protocol.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';

const kinds: Readonly<Record<BlockHead['kind'], DeltaEvent['kind'] | null>> = {
  text: 'text',
  thinking: 'thinking',
  refusal: 'refusal',
  tool_use: 'input',
  redacted_thinking: null,
};

/** Reads frames one after the other, up to an error. @throws Error when the events of a reader break a rule. */
export function checkEvents(reader: EventReader, frames: readonly string[]): void {
  const rules = new EventRules();
  for (const data of frames) {
    if (reader.complaint !== null) return;
    rules.check(eventsOf((events) => reader.read(data, events)));
  }
  if (reader.complaint !== null || !reader.isComplete) return;
  rules.check(eventsOf((events) => reader.finish(events)));
  rules.checkEnd();
}

function eventsOf(add: (events: TurnEvent[]) => void): readonly TurnEvent[] {
  const events: TurnEvent[] = [];
  add(events);
  return events;
}

class EventRules {
  readonly #open = new Map<string, BlockHead['kind']>();
  readonly #known = new Set<string>();
  readonly #begun = new Set<number>();
  readonly #stopped = new Set<number>();
  #isStarted = false;
  #isEnded = false;

  check(events: readonly TurnEvent[]): void {
    for (const event of events) {
      if (this.#isEnded) fail(event, 'comes behind the end');
      if (event.type === 'start') {
        if (this.#isStarted) fail(event, 'comes a second time');
        this.#isStarted = true;
        continue;
      }
      if (!this.#isStarted) fail(event, 'comes before the start');
      if (event.type === 'end') this.#isEnded = true;
      else if (event.type !== 'usage') this.#checkChoice(event);
    }
  }

  checkEnd(): void {
    if (!this.#isEnded) throw new Error('the end was not told');
    if (this.#open.size > 0) throw new Error('a block was left open');
    for (const choice of this.#begun) {
      if (!this.#stopped.has(choice)) throw new Error(`choice ${choice} did not stop`);
    }
  }

  #checkChoice(event: Extract<TurnEvent, { choice: number }>): void {
    if (this.#stopped.has(event.choice)) fail(event, 'comes behind the stop of its choice');
    if (event.type === 'stop') {
      this.#stopped.add(event.choice);
      for (const place of this.#open.keys()) {
        if (place.startsWith(`${event.choice} `)) fail(event, 'leaves a block open');
      }
      return;
    }
    this.#begun.add(event.choice);
    if (event.type === 'image') return;
    const place = `${event.choice} ${event.block}`;
    const open = this.#open.get(place);
    if (event.type === 'open') {
      if (this.#known.has(place)) fail(event, 'opens a block again');
      this.#known.add(place);
      this.#open.set(place, event.head.kind);
      return;
    }
    if (open === undefined) fail(event, 'is for no open block');
    else if (event.type === 'close') this.#open.delete(place);
    else if (event.type === 'citation' && open !== 'text') fail(event, 'cites for what is no text');
    else if (event.type === 'signature' && open !== 'thinking') fail(event, 'signs what is no thinking');
    else if (event.type === 'delta' && kinds[open] !== event.kind) fail(event, `is for a block of ${open}`);
  }
}

function fail(event: TurnEvent, what: string): never {
  throw new Error(`an event ${what}: ${JSON.stringify(event)}`);
}
