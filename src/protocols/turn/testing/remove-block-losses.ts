/** Takes declared losses out of blocks, so that what is left must survive. */
import { isJsonObject, tryParseJson } from '../../json/fields.ts';
import type { AssistantBlock, DocumentBlock, ImageBlock, ThinkingBlock, UserBlock } from '../blocks.ts';
import type { TurnRequest } from '../request.ts';
import { tidy } from './arbitrary-request.ts';

type ShownBlock = Exclude<UserBlock, { type: 'tool_result' }>;

/** Maps each block of user messages, those inside tool results and documents too; a block may become none. */
export function mapShown(request: TurnRequest, map: (block: ShownBlock) => ShownBlock | null): TurnRequest {
  const mapOne = <Block extends ShownBlock>(block: Block): Block[] => {
    const mapped = map(block);
    if (mapped === null) return [];
    if (mapped.type !== block.type) throw new Error('a block may not change its type');
    return [mapped as Block];
  };
  const mapDocument = <Block extends ShownBlock>(block: Block): Block[] => {
    const mapped = mapOne(block);
    return mapped.map((one) => {
      if (one.type !== 'document' || one.source.kind !== 'content') return one;
      return { ...one, source: { ...one.source, content: one.source.content.flatMap(mapOne) } };
    });
  };
  return mapUser(request, (block) =>
    block.type === 'tool_result'
      ? [{ ...block, content: block.content.flatMap(mapDocument) }]
      : mapDocument(block),
  );
}

export function mapUser(request: TurnRequest, map: (block: UserBlock) => readonly UserBlock[]): TurnRequest {
  return withMessages(
    request,
    request.messages.map((message) =>
      message.role === 'user' ? { ...message, content: message.content.flatMap(map) } : message,
    ),
  );
}

export function mapAssistant(
  request: TurnRequest,
  map: (content: readonly AssistantBlock[]) => readonly AssistantBlock[],
): TurnRequest {
  return withMessages(
    request,
    request.messages.map((message) =>
      message.role === 'assistant' ? { ...message, content: map(message.content) } : message,
    ),
  );
}

/** Instructions that end up at the head join those that are there. */
export function withMessages(request: TurnRequest, messages: TurnRequest['messages']): TurnRequest {
  const tidied = tidy(messages);
  const [first] = tidied;
  if (first?.role !== 'system') return { ...request, messages: tidied };
  return { ...request, system: [...request.system, ...first.content], messages: tidy(tidied.slice(1)) };
}

export const isMedia = (block: ShownBlock): block is ImageBlock | DocumentBlock =>
  block.type === 'image' || block.type === 'document';

const ranks = { thinking: 0, redacted_thinking: 0, text: 1, refusal: 2, tool_use: 3 } as const;

/** Thinking, text, one refusal, tool uses. */
export function inOrder(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const sorted = content.toSorted((one, other) => ranks[one.type] - ranks[other.type]);
  const refusal = sorted.flatMap((block) => (block.type === 'refusal' ? [block.text] : [])).join('');
  const firstRefusal = sorted.findIndex((block) => block.type === 'refusal');
  return sorted.flatMap((block, at): readonly AssistantBlock[] => {
    if (block.type !== 'refusal') return [block];
    return at === firstRefusal ? [{ ...block, text: refusal }] : [];
  });
}

/** Texts that come together, though something else stood between them, are kept apart. */
export function withBreaks(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const firstText = content.findIndex(({ type }) => type === 'text');
  return content.map((block, at) =>
    block.type === 'text' && at > firstText && content[at - 1]?.type !== 'text'
      ? { ...block, text: `\n\n${block.text}` }
      : block,
  );
}

/** Unsigned thinking runs into the thinking that follows it. */
export function joinUnsigned(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = [];
  for (const block of content) {
    const last = joined.at(-1);
    if (block.type === 'thinking' && last?.type === 'thinking' && last.signature === undefined) {
      const whole: ThinkingBlock = { ...block, text: last.text + block.text };
      joined[joined.length - 1] = whole;
    } else joined.push(block);
  }
  return joined;
}

/** Unsigned thinking runs into what follows it: more of it, or a signature of the vendor that has no words. */
export function joinThoughts(content: readonly AssistantBlock[], vendor: string): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = [];
  for (const block of content) {
    const last = joined.at(-1);
    const isPiece =
      block.type === 'thinking' &&
      (block.signature === undefined || (block.text === '' && block.signature.origin === vendor));
    if (isPiece && last?.type === 'thinking' && last.signature === undefined) {
      const whole: ThinkingBlock = { ...block, text: last.text + block.text };
      joined[joined.length - 1] = whole;
    } else joined.push(block);
  }
  return joined;
}

export function joinTexts(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  const first = content.findIndex((block) => block.type === 'text');
  return content.flatMap((block, at): readonly AssistantBlock[] => {
    if (block.type !== 'text') return [block];
    return at === first ? [{ ...block, text }] : [];
  });
}

/** Text runs into the text that follows it. */
export function joinNeighbours(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = [];
  for (const block of content) {
    const last = joined.at(-1);
    if (block.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { ...last, text: last.text + block.text };
    } else joined.push(block);
  }
  return joined;
}

export function refusalsAsText(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  return content.map((block) => (block.type === 'refusal' ? { type: 'text', text: block.text } : block));
}

export function wholeArguments(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  return content.map((block) =>
    block.type === 'tool_use' && block.custom !== true && !isJsonObject(tryParseJson(block.input))
      ? { ...block, input: '' }
      : block,
  );
}
