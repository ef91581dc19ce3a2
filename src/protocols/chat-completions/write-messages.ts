/** Messages of the form as chat completion messages, with their content parts. */
import type { JsonObject } from '../json/fields.ts';
import type {
  AssistantBlock,
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../turn/blocks.ts';
import { writeCacheMark } from '../turn/cache-mark.ts';
import { announceDocument, frameDocument } from '../turn/document-text.ts';
import { writeUrl } from '../turn/media.ts';
import { nothingSaid, refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import type { ChatDialect } from './dialect.ts';
import { markLast } from './read-messages.ts';
import { writeCallSignature, writeReasoningDetails } from './reasoning-details.ts';

export function writeMessages(turn: TurnRequest, dialect: ChatDialect): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  if (turn.system.length > 0) messages.push({ role: 'system', content: writeContent(turn.system, dialect) });
  for (const message of turn.messages) {
    if (message.role === 'user') messages.push(...writeUser(message.content, dialect));
    else if (message.role === 'assistant') messages.push(writeAssistant(message.content, dialect));
    else messages.push({ role: 'system', content: writeContent(message.content, dialect) });
  }
  if (messages.length === 0) throw nothingSaid();
  return messages;
}

/** Results become messages of their own; what they hold beside text goes in front of what the user says. */
function writeUser(blocks: readonly UserBlock[], dialect: ChatDialect): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const parts: Part[] = [];
  for (const block of blocks) {
    if (block.type !== 'tool_result') {
      parts.push(block);
      continue;
    }
    const { message, attached } = writeToolResult(block, dialect);
    messages.push(message);
    parts.push(...attached);
  }
  if (parts.length > 0) messages.push({ role: 'user', content: writeContent(parts, dialect) });
  return messages;
}

interface WrittenResult {
  readonly message: JsonObject;
  readonly attached: readonly Part[];
}

function writeToolResult(block: ToolResultBlock, dialect: ChatDialect): WrittenResult {
  const media = block.content.filter((part) => part.type !== 'text');
  const attached: Part[] = [];
  if (media.length > 0) {
    attached.push({ type: 'text', text: `Attached to the result of ${block.toolUseId}:` }, ...media);
  }
  const content = writeContent(textsOf(block, media.length > 0), dialect);
  return { message: { role: 'tool', tool_call_id: block.toolUseId, content }, attached };
}

function textsOf({ content, isError, cache }: ToolResultBlock, hasMedia: boolean): readonly TextBlock[] {
  const texts = content.filter((part) => part.type === 'text');
  if (texts.length === 0 && hasMedia) {
    texts.push({ type: 'text', text: 'The result is attached to the next message.' });
  }
  // The protocol has no error mark; without one the model would take the text for a success.
  if (isError)
    texts.splice(0, 1, { ...texts[0], type: 'text', text: `Error: ${texts[0]?.text ?? 'no details'}` });
  return markLast(texts, cache);
}

function writeAssistant(blocks: readonly AssistantBlock[], dialect: ChatDialect): JsonObject {
  const texts = blocks.filter((block) => block.type === 'text');
  const fields = writeAssistantFields(blocks, dialect.callSignatures === true);
  const { refusal, tool_calls } = fields;
  const { content: thinking, ...replayed } = writeReplay(fields, dialect);
  const said = writeContent(texts, dialect, joinSaid(blocks) ?? '');
  // Hosts differ on null: it is safe only where something else stands in for the text.
  const content = texts.length === 0 && tool_calls !== undefined ? null : said;
  return {
    role: 'assistant',
    content: thinking === undefined ? content : [...thinking, ...asParts(said)],
    refusal: refusal ?? undefined,
    ...replayed,
    tool_calls,
  };
}

const asParts = (content: string | readonly JsonObject[]): readonly JsonObject[] => {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
};

export interface AssistantFields {
  readonly refusal: string | null;
  readonly reasoning_content: string | undefined;
  readonly reasoning_details: readonly JsonObject[] | undefined;
  readonly tool_calls: readonly JsonObject[] | undefined;
}

/** An assistant's blocks as the fields of its message, but for its text. */
export function writeAssistantFields(
  blocks: readonly AssistantBlock[],
  withSignatures = true,
): AssistantFields {
  const calls = blocks
    .filter((block) => block.type === 'tool_use')
    .map((block) => writeToolCall(withSignatures ? block : { ...block, signature: undefined }));
  return {
    refusal: joinTexts(blocks, 'refusal'),
    reasoning_content: joinTexts(blocks, 'thinking') ?? undefined,
    reasoning_details: writeReasoningDetails(blocks),
    tool_calls: calls.length > 0 ? calls : undefined,
  };
}

/** Null when there is none. */
function joinTexts(blocks: readonly AssistantBlock[], type: 'text' | 'thinking' | 'refusal'): string | null {
  let joined: string | null = null;
  for (const block of blocks) {
    if (block.type === type) joined = joined === null ? block.text : joined + block.text;
  }
  return joined;
}

/** Between texts that had something else between them, such as a call or thoughts. */
export const textBreak = '\n\n';

/** What an answer says, as one text; null when it says nothing. Neighbours are pieces of one text. */
export function joinSaid(content: readonly AssistantBlock[]): string | null {
  let said: string | null = null;
  let isApart = false;
  for (const block of content) {
    if (block.type === 'text')
      said = said === null ? block.text : said + (isApart ? textBreak : '') + block.text;
    isApart = block.type !== 'text';
  }
  return said;
}

function writeToolCall({ id, name, input, custom, signature }: ToolUseBlock): JsonObject {
  const extra_content = writeCallSignature(signature);
  if (custom) return { id, type: 'custom', custom: { name, input }, extra_content };
  const called = { name, arguments: input === '' ? '{}' : input };
  return { id, type: 'function', function: called, extra_content };
}

interface Replay {
  readonly reasoning_content?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly reasoning_details?: readonly JsonObject[] | undefined;
  /** Parts that go in front of what was said. */
  readonly content?: readonly JsonObject[] | undefined;
}

/** An assistant's earlier thinking, where the host wants it back. */
function writeReplay(fields: AssistantFields, { replay, emptyThinking }: ChatDialect): Replay {
  const { reasoning_details, tool_calls } = fields;
  const text = fields.reasoning_content ?? (tool_calls === undefined ? undefined : emptyThinking);
  switch (replay) {
    case 'none':
      return {};
    case 'fields':
      return { reasoning_content: text, reasoning_details };
    case 'reasoning_content':
      return { reasoning_content: text };
    case 'reasoning':
      return { reasoning: text };
    case 'reasoning_details':
      return {
        reasoning_details: reasoning_details ?? (text === undefined ? undefined : [plainDetail(text)]),
      };
    case 'content':
      return text === undefined
        ? {}
        : { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
  }
}

const plainDetail = (text: string): JsonObject => ({ type: 'reasoning.text', text, index: 0 });

export type Part = TextBlock | ImageBlock | DocumentBlock | AudioBlock;

/**
 * A plain string where that says it all, since not every host takes parts in every role.
 * @param whole that string, where the parts belong together otherwise than as paragraphs.
 */
function writeContent(
  parts: readonly Part[],
  dialect: ChatDialect,
  whole?: string,
): string | readonly JsonObject[] {
  const texts = parts.filter((part) => part.type === 'text');
  const isMarked = dialect.cacheMarks && texts.some(({ cache }) => cache !== undefined);
  const isPlain = texts.length === parts.length && !isMarked && (parts.length < 2 || !dialect.textParts);
  if (isPlain) return whole ?? texts.map(({ text }) => text).join(textBreak);
  return parts.flatMap((part) => writePart(part, dialect));
}

function writePart(part: Part, dialect: ChatDialect): readonly JsonObject[] {
  const cache_control = dialect.cacheMarks ? writeCacheMark(part.cache) : undefined;
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, cache_control }];
    case 'image':
      return [{ ...writeImage(part, dialect), cache_control }];
    case 'audio':
      return [{ ...writeAudio(part), cache_control }];
    case 'document':
      return writeDocument(part, dialect);
  }
}

function writeImage({ source, detail }: ImageBlock, { imageUrls }: ChatDialect): JsonObject {
  if (source.kind === 'url' && !imageUrls) throw refuse('an image by its URL', 'messages');
  if (source.kind === 'file') throw refuse('an image by its file id', 'messages');
  return { type: 'image_url', image_url: { url: writeUrl(source), detail } };
}

function writeAudio({ source }: AudioBlock): JsonObject {
  const subtype = source.mediaType.slice(source.mediaType.indexOf('/') + 1);
  return {
    type: 'input_audio',
    input_audio: { data: source.data, format: subtype === 'mpeg' ? 'mp3' : subtype },
  };
}

function writeDocument(block: DocumentBlock, dialect: ChatDialect): readonly JsonObject[] {
  const { source, title, context, cache } = block;
  const cache_control = dialect.cacheMarks ? writeCacheMark(cache) : undefined;
  const announce = () => announceDocument(block).map((text) => ({ type: 'text', text }));
  switch (source.kind) {
    case 'base64': {
      const filename = title ?? `document.${source.mediaType.slice(source.mediaType.indexOf('/') + 1)}`;
      const written = { type: 'file', file: { filename, file_data: writeUrl(source) }, cache_control };
      return context === undefined ? [written] : [...announce(), written];
    }
    case 'file':
      if (source.vendor !== 'openai') throw refuse('a document by a file id of another vendor', 'messages');
      // A name beside the id of a file is refused.
      return [...announce(), { type: 'file', file: { file_id: source.id }, cache_control }];
    case 'url':
      throw refuse('a document by its URL', 'messages');
    case 'text':
      return [{ type: 'text', text: frameDocument(block, source.text), cache_control }];
    case 'content': {
      const texts = source.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const images = source.content.filter((part) => part.type === 'image');
      return [
        { type: 'text', text: frameDocument(block, texts.join('\n')), cache_control },
        ...images.map((image) => writeImage(image, dialect)),
      ];
    }
  }
}
