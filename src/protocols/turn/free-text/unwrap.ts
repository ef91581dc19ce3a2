/** Calls of a caller's free-text tools, in an answer or a stream of a model that was given functions instead. */
import { idleComment } from '../../../base/sse.ts';
import type { Choice, TurnAnswer } from '../answer.ts';
import type { EventWriter, RescueNote, StreamPosition, TurnEvent } from '../events.ts';
import { FreeTextUnwrapper, unwrapFreeText } from './unwrapper.ts';

type BlockEvent = Extract<TurnEvent, { block: number }>;

/** @param names of the free-text tools that the caller declared. */
export function unwrapEvents(writer: EventWriter, names: ReadonlySet<string>): EventWriter {
  return names.size === 0 ? writer : new UnwrappingWriter(writer, names);
}

class UnwrappingWriter implements EventWriter {
  readonly #writer: EventWriter;
  readonly #names: ReadonlySet<string>;
  readonly #open = new Map<string, FreeTextUnwrapper>();

  constructor(writer: EventWriter, names: ReadonlySet<string>) {
    this.#writer = writer;
    this.#names = names;
  }

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'open':
        return this.#writer.write(this.#begin(event));
      case 'delta': {
        const unwrapper = this.#open.get(keyOf(event));
        return unwrapper === undefined
          ? this.#writer.write(event)
          : this.#tell(event, unwrapper.push(event.text));
      }
      case 'close': {
        const unwrapper = this.#open.get(keyOf(event));
        this.#open.delete(keyOf(event));
        const rest = unwrapper === undefined ? '' : this.#tell(event, unwrapper.end());
        return rest + this.#writer.write(event);
      }
      default:
        return this.#writer.write(event);
    }
  }

  idle(): string {
    return this.#writer.idle?.() ?? idleComment;
  }

  note(note: RescueNote): string {
    return this.#writer.note?.(note) ?? '';
  }

  position(): StreamPosition | undefined {
    return this.#writer.position?.();
  }

  #begin(event: Extract<TurnEvent, { type: 'open' }>): TurnEvent {
    const { head } = event;
    if (head.kind !== 'tool_use' || head.custom === true || !this.#names.has(head.name)) return event;
    this.#open.set(keyOf(event), new FreeTextUnwrapper());
    return { ...event, head: { ...head, custom: true } };
  }

  #tell({ choice, block }: BlockEvent, text: string): string {
    return text === '' ? '' : this.#writer.write({ type: 'delta', choice, block, kind: 'input', text });
  }
}

const keyOf = ({ choice, block }: BlockEvent): string => `${choice}:${block}`;

/** @param names of the free-text tools that the caller declared. */
export function unwrapAnswer(answer: TurnAnswer, names: ReadonlySet<string>): TurnAnswer {
  if (names.size === 0) return answer;
  return { ...answer, choices: answer.choices.map((choice) => unwrapChoice(choice, names)) };
}

function unwrapChoice(choice: Choice, names: ReadonlySet<string>): Choice {
  const content = choice.content.map((block) =>
    block.type === 'tool_use' && block.custom !== true && names.has(block.name)
      ? ({ ...block, input: unwrapFreeText(block.input), custom: true } as const)
      : block,
  );
  return { ...choice, content };
}
