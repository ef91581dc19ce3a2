/** Events as a generateContent stream: pieces of the answer in the shape of a whole one. */
import type { TokenUsage } from '../../base/token-usage.ts';
import type { JsonObject } from '../json/fields.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import { PartWriter } from './part-writer.ts';
import { writeGoogleStop } from './stop.ts';
import { writeGoogleUsage } from './usage.ts';
import { writeHead } from './write-answer.ts';

export class GoogleEventWriter implements EventWriter {
  #head: JsonObject = {};
  #usage: TokenUsage | null = null;
  #toldUsage: TokenUsage | null = null;
  readonly #parts = new Map<number, PartWriter>();

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'start':
        this.#head = writeHead(event);
        this.#usage = event.usage;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'stop': {
        const finishReason = writeGoogleStop(event.stop);
        return this.#frame({ content: { parts: [], role: 'model' }, finishReason, index: event.choice });
      }
      case 'end':
        return this.#usage === this.#toldUsage ? '' : this.#frame();
      default:
        return this.#partsOf(event.choice)
          .write(event)
          .map(({ part, logprobsResult }) =>
            this.#frame({ content: { parts: [part], role: 'model' }, index: event.choice, logprobsResult }),
          )
          .join('');
    }
  }

  #partsOf(choice: number): PartWriter {
    const known = this.#parts.get(choice);
    if (known !== undefined) return known;
    const parts = new PartWriter();
    this.#parts.set(choice, parts);
    return parts;
  }

  /** Each piece repeats the counts so far; those that come after all candidates get a piece of their own. */
  #frame(candidate?: JsonObject): string {
    this.#toldUsage = this.#usage;
    const candidates = candidate === undefined ? undefined : [candidate];
    const usageMetadata = this.#usage === null ? undefined : writeGoogleUsage(this.#usage);
    return `data: ${JSON.stringify({ candidates, usageMetadata, ...this.#head })}\n\n`;
  }
}
