/** Events as a Converse stream. The reason for the end and the counts come last, as the API sends them. */
import type { TokenUsage } from '../../base/token-usage.ts';
import type { Stop } from '../turn/answer.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import { BlockWriter } from './block-writer.ts';
import { type AnswerNames, converseFrame } from './frame.ts';
import { writeConverseStop } from './stop.ts';
import { writeConverseUsage } from './usage.ts';

export class ConverseEventWriter implements EventWriter {
  readonly #blocks = new BlockWriter();
  #stop: Stop = { reason: 'end' };
  #usage: TokenUsage | null = null;

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
        return event.choice === 0 ? this.#blocks.write(event) : '';
    }
  }

  #start({ id, model, usage }: Extract<TurnEvent, { type: 'start' }>): string {
    this.#usage = usage;
    return startFrame({ id, model }) + converseFrame('messageStart', '{"role":"assistant"}');
  }

  #end(): string {
    const usage = this.#usage === null ? undefined : writeConverseUsage(this.#usage);
    return (
      converseFrame('messageStop', JSON.stringify(writeConverseStop(this.#stop))) +
      converseFrame('metadata', JSON.stringify({ usage }))
    );
  }
}

function startFrame(names: AnswerNames): string {
  return converseFrame('answerStart', JSON.stringify(names));
}
