/** Reads the answer that goes on with a broken one: only what the client has not been shown. */
import { AppError } from '../../../base/errors.ts';
import type { EventReader } from '../../protocol.ts';
import type { TurnEvent } from '../../turn/events.ts';
import { ReaderOver } from '../reader-over.ts';
import { type ContinuedBy, Seam } from './seam.ts';

export class ContinuingReader extends ReaderOver {
  readonly #seam: Seam;
  /** Thoughts of the second answer, which would be told behind what they led to. */
  readonly #thoughts = new Set<number>();
  #textBlock: number | null = null;

  /** @param shown the text that the client has. */
  constructor(reader: EventReader, { shown, by }: { readonly shown: string; readonly by: ContinuedBy }) {
    super(reader);
    this.#seam = new Seam(shown, by);
  }

  protected override pass(event: TurnEvent, events: TurnEvent[]): void {
    if ('block' in event && this.#thoughts.has(event.block)) return;
    switch (event.type) {
      case 'open':
        if (event.head.kind === 'thinking' || event.head.kind === 'redacted_thinking') {
          this.#thoughts.add(event.block);
          return;
        }
        if (event.head.kind === 'text') this.#textBlock ??= event.block;
        else this.#settle(events);
        break;
      case 'delta': {
        if (event.kind !== 'text') break;
        const text = this.#seam.push(event.text);
        this.#requireJoined();
        if (text !== '') events.push({ ...event, text });
        return;
      }
      case 'close':
        if (event.block === this.#textBlock) this.#settle(events);
        break;
      case 'image':
      case 'stop':
        this.#settle(events);
        break;
      case 'start':
      case 'signature':
      case 'citation':
      case 'usage':
      case 'end':
    }
    events.push(event);
  }

  /** No more text comes that could tell. */
  #settle(events: TurnEvent[]): void {
    const text = this.#seam.end();
    this.#requireJoined();
    if (text === '' || this.#textBlock === null) return;
    events.push({ type: 'delta', choice: 0, block: this.#textBlock, kind: 'text', text });
  }

  /** Before it is joined nothing was shown, so that somebody else can be asked. */
  #requireJoined(): void {
    if (this.#seam.state !== 'apart') return;
    throw new AppError({
      code: 'upstream_invalid_answer',
      public: 'The rest of the answer could not be joined to its beginning.',
      internal: 'the continuation does not repeat the last words that were shown',
    });
  }
}
