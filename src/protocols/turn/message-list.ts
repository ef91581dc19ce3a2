/** Collects messages so that the turn's rules hold: no empty ones, no equal neighbours, tool results first. */
import type { AssistantBlock, TextBlock, UserBlock } from './blocks.ts';
import type { Message } from './request.ts';

type Draft =
  | { readonly role: 'user'; readonly content: UserBlock[] }
  | { readonly role: 'assistant'; readonly content: AssistantBlock[] }
  | { readonly role: 'system'; readonly content: TextBlock[] };

export class MessageList {
  readonly #drafts: Draft[] = [];

  get messages(): readonly Message[] {
    return this.#drafts.map((draft) =>
      draft.role === 'user' ? { role: 'user', content: resultsFirst(draft.content) } : draft,
    );
  }

  user(blocks: readonly UserBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.role === 'user') append(last.content, blocks);
    else this.#drafts.push({ role: 'user', content: [...blocks] });
  }

  assistant(blocks: readonly AssistantBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.role === 'assistant') append(last.content, blocks);
    else this.#drafts.push({ role: 'assistant', content: [...blocks] });
  }

  system(blocks: readonly TextBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.role === 'system') append(last.content, blocks);
    else this.#drafts.push({ role: 'system', content: [...blocks] });
  }
}

/** In place: a new list for each of many neighbours would take the square of their number. */
function append<Block>(content: Block[], blocks: readonly Block[]): void {
  for (const block of blocks) content.push(block);
}

function resultsFirst(blocks: readonly UserBlock[]): readonly UserBlock[] {
  const isResult = (block: UserBlock): boolean => block.type === 'tool_result';
  const lastResult = blocks.findLastIndex(isResult);
  const firstOther = blocks.findIndex((block) => !isResult(block));
  if (firstOther === -1 || lastResult < firstOther) return blocks;
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
