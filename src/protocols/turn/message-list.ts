/** Collects messages so that the form's rules hold: no empty ones, no equal neighbours, tool results first. */
import type { AssistantBlock, TextBlock, UserBlock } from './blocks.ts';
import type { Message } from './request.ts';

export class MessageList {
  readonly #messages: Message[] = [];

  get messages(): readonly Message[] {
    return this.#messages;
  }

  user(blocks: readonly UserBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role !== 'user') this.#messages.push({ role: 'user', content: resultsFirst(blocks) });
    else this.#replaceLast({ role: 'user', content: resultsFirst([...last.content, ...blocks]) });
  }

  assistant(blocks: readonly AssistantBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant') this.#messages.push({ role: 'assistant', content: blocks });
    else this.#replaceLast({ role: 'assistant', content: [...last.content, ...blocks] });
  }

  system(blocks: readonly TextBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role !== 'system') this.#messages.push({ role: 'system', content: blocks });
    else this.#replaceLast({ role: 'system', content: [...last.content, ...blocks] });
  }

  #replaceLast(message: Message): void {
    this.#messages[this.#messages.length - 1] = message;
  }
}

function resultsFirst(blocks: readonly UserBlock[]): readonly UserBlock[] {
  const isResult = (block: UserBlock): boolean => block.type === 'tool_result';
  const lastResult = blocks.findLastIndex(isResult);
  const firstOther = blocks.findIndex((block) => !isResult(block));
  if (firstOther === -1 || lastResult < firstOther) return blocks;
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
