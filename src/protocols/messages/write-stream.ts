/**
 * Events as a messages stream. Blocks of this protocol follow each other, so while one is open, what comes for another
 * waits. The counts of the whole answer go into `message_delta`, since other protocols send them last.
 */
import { noUsage, type TokenUsage } from '../../base/token-usage.ts';
import type { Stop } from '../turn/answer.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import { BlockWriter } from './block-writer.ts';
import { frame } from './frame.ts';
import { writeMessagesStop } from './stop.ts';
import { writeMessagesUsage } from './usage.ts';

type BlockEvent = Extract<TurnEvent, { block: number }>;

export class MessagesEventWriter implements EventWriter {
  readonly #writer = new BlockWriter();
  #open: number | null = null;
  readonly #waiting = new Map<number, BlockEvent[]>();
  #stop: Stop = { reason: 'end' };
  #usage: TokenUsage = noUsage;

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event);
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'stop':
        if (event.choice === 0) this.#stop = event.stop;
        return '';
      case 'end':
        return this.#end();
      default:
        return event.choice === 0 ? this.#block(event) : '';
    }
  }

  /** Some clients show a stall in spite of pings, so that an open block gets a piece of nothing. */
  idle(): string {
    return this.#writer.idle();
  }

  #start({ id, model, usage }: Extract<TurnEvent, { type: 'start' }>): string {
    this.#usage = usage ?? noUsage;
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: writeMessagesUsage(this.#usage),
    };
    return frame('message_start', JSON.stringify({ type: 'message_start', message }));
  }

  #block(event: BlockEvent): string {
    if (event.block === this.#open) {
      const out = this.#writer.write(event);
      return event.type === 'close' ? out + this.#next() : out;
    }
    if (this.#open === null && event.type === 'open') {
      this.#open = event.block;
      return this.#writer.write(event);
    }
    const waiting = this.#waiting.get(event.block);
    if (waiting !== undefined) waiting.push(event);
    else if (event.type === 'open') this.#waiting.set(event.block, [event]);
    return '';
  }

  /** The open block is done: the ones that waited follow, up to the first that is not done itself. */
  #next(): string {
    this.#open = null;
    let out = '';
    for (const [block, events] of this.#waiting) {
      this.#waiting.delete(block);
      for (const event of events) out += this.#writer.write(event);
      if (events.at(-1)?.type !== 'close') {
        this.#open = block;
        return out;
      }
    }
    return out;
  }

  #end(): string {
    const delta = writeMessagesStop(this.#stop);
    const last = { type: 'message_delta', delta, usage: writeMessagesUsage(this.#usage) };
    return frame('message_delta', JSON.stringify(last)) + frame('message_stop', '{"type":"message_stop"}');
  }
}
