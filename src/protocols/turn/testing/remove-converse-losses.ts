/** Takes out of a request what only the Converse API cannot hold, one function for each such loss. */
import type { TurnRequest } from '../request.ts';
import { mapAssistant, mapShown, mapUser, withMessages } from './remove-block-losses.ts';

const isBlank = (block: { readonly text: string }): boolean => block.text.trim() === '';

export function withoutBlankText(request: TurnRequest): TurnRequest {
  const shown = mapShown(request, (block) => (block.type === 'text' && isBlank(block) ? null : block));
  const said = mapAssistant(shown, (content) =>
    content.filter((block) => (block.type !== 'text' && block.type !== 'refusal') || !isBlank(block)),
  );
  return { ...said, system: said.system.filter((block) => !isBlank(block)) };
}

/** The last mark inside a result becomes the result's own. */
export function withMarksBehindResults(request: TurnRequest): TurnRequest {
  return mapUser(request, (block) => {
    if (block.type !== 'tool_result') return [block];
    const inside = block.content.findLast(({ cache }) => cache !== undefined)?.cache;
    const content = block.content.map((part) => ({ ...part, cache: undefined }));
    return [{ ...block, content, cache: block.cache ?? inside }];
  });
}

export function withNumberedDocuments(request: TurnRequest): TurnRequest {
  let count = 0;
  return mapShown(request, (block) => {
    if (block.type !== 'document') return block;
    count += 1;
    return { ...block, title: `document ${count}` };
  });
}

export function withWordsBesideDocuments(request: TurnRequest): TurnRequest {
  const messages = request.messages.map((message) => {
    if (message.role !== 'user' || message.content.some(({ type }) => type === 'text')) return message;
    if (!message.content.some(({ type }) => type === 'document')) return message;
    return { ...message, content: [...message.content, { type: 'text', text: 'hello' } as const] };
  });
  return withMessages(request, messages);
}

/** A conversation that has used tools names them, and forbids them when the caller offers none. */
export function withToolsInUse(request: TurnRequest): TurnRequest {
  const blocks = request.messages.flatMap((message) => [...message.content]);
  const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
  const hasResults = blocks.some(({ type }) => type === 'tool_result');
  if (request.tools.length > 0 || (uses.length === 0 && !hasResults)) return request;
  const names = uses.length === 0 ? ['tool'] : [...new Set(uses)];
  return {
    ...request,
    tools: names.map((name) => ({ kind: 'function', name, schema: { type: 'object' } })),
    toolChoice: { type: 'none' },
    parallelToolUse: true,
  };
}
