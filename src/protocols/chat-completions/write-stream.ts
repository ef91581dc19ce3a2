/** Events as a chat completion stream. Frames are put together as text: only what was generated needs escaping. */
import type { Clock } from '../../base/clock.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import { ChoiceWriter } from './choice-writer.ts';
import { writeChatUsage } from './write-usage.ts';

export class ChatEventWriter implements EventWriter {
  readonly #clock: Clock;
  readonly #wantsUsage: boolean;
  readonly #choices = new Map<number, ChoiceWriter>();
  /** All of a frame up to its choices. */
  #head = '';
  #tail = ']}\n\n';
  #usage: TokenUsage | null = null;

  constructor(options: { clock: Clock; wantsUsage: boolean }) {
    this.#clock = options.clock;
    this.#wantsUsage = options.wantsUsage;
    if (options.wantsUsage) this.#tail = '],"usage":null}\n\n';
  }

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'start': {
        const created = event.createdS ?? Math.floor(this.#clock.nowMs() / 1000);
        this.#head = `data: {"id":${JSON.stringify(event.id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(event.model)},"choices":[`;
        this.#usage = event.usage;
        return '';
      }
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'end':
        return `${this.#usageFrame()}data: [DONE]\n\n`;
      default:
        return this.#choice(event.choice).write(event);
    }
  }

  #choice(index: number): ChoiceWriter {
    let writer = this.#choices.get(index);
    if (writer === undefined) {
      writer = new ChoiceWriter(`${this.#head}{"index":${index},"delta":`, this.#tail);
      this.#choices.set(index, writer);
    }
    return writer;
  }

  #usageFrame(): string {
    if (!this.#wantsUsage || this.#usage === null) return '';
    return `${this.#head}],"usage":${JSON.stringify(writeChatUsage(this.#usage))}}\n\n`;
  }
}
