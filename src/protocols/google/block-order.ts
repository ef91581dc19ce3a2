/** Blocks of one choice one after the other: parts stand in the order in which they were begun, but may interleave. */
import type { TurnEvent } from '../turn/events.ts';

export type BlockEvent = Extract<TurnEvent, { block: number }>;

export class BlockOrder {
  #open: number | null = null;
  /** Of later blocks, while one is open. */
  readonly #waiting = new Map<number, BlockEvent[]>();

  /** What is due with this event: nothing, or it and what waited for it. */
  take(event: BlockEvent): readonly BlockEvent[] {
    if (this.#open === null && event.type === 'open') this.#open = event.block;
    if (event.block === this.#open) return event.type === 'close' ? [event, ...this.#next()] : [event];
    const waiting = this.#waiting.get(event.block);
    if (waiting === undefined) this.#waiting.set(event.block, [event]);
    else waiting.push(event);
    return [];
  }

  /** The blocks that waited, up to the first that is not done itself. */
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
