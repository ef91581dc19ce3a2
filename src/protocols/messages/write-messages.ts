/** Writes messages and their content blocks for a messages upstream; an assistant's blocks also for a client. */
import { isJsonObject, type JsonObject } from '../json/fields.ts';
import { tryParseSpelled } from '../json/spelling.ts';
import type {
  AssistantBlock,
  DocumentBlock,
  MediaSource,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from '../turn/blocks.ts';
import { writeCacheMark } from '../turn/cache-mark.ts';
import { argumentsOf } from '../turn/free-text/as-function.ts';
import { decodeText } from '../turn/media.ts';
import { nothingSaid, refuse } from '../turn/refuse.ts';
import { type Message, MessageList, type TurnRequest } from '../turn/request.ts';
import { packSignature, packToolSignature } from '../turn/signature.ts';
import { writeCitation } from './citations.ts';
import type { ClaudeModel } from './models.ts';

/** At least one message must be there; a request of instructions alone becomes what the user says. */
export function writeConversation(
  turn: TurnRequest,
  claude: ClaudeModel,
): { system: unknown; messages: readonly JsonObject[] } {
  const { instructions, messages: placed } = placeInstructions(turn, claude);
  const system = writeSystem(instructions);
  const messages = writeMessages(placed, claude);
  if (messages.length > 0) return { system, messages };
  if (system === undefined) throw nothingSaid();
  return { system: undefined, messages: [{ role: 'user', content: system }] };
}

interface PlacedInstructions {
  /** At the head of the conversation. */
  readonly instructions: readonly TextBlock[];
  readonly messages: readonly Message[];
}

/**
 * Instructions from the middle of the conversation stand behind what the user said next to them, where the model takes
 * them. Where it does not, and where no user speaks there, they join those at the head.
 */
function placeInstructions({ system, messages }: TurnRequest, claude: ClaudeModel): PlacedInstructions {
  const list = new MessageList();
  const instructions = system.filter(({ text }) => !isBlank(text));
  let waiting: TextBlock[] = [];
  let isBehindUser = false;
  const place = () => {
    if (isBehindUser && claude.laterInstructions) list.system(waiting);
    else instructions.push(...waiting);
    waiting = [];
    isBehindUser = false;
  };
  for (const message of messages) {
    if (message.role === 'system') {
      waiting.push(...message.content.filter(({ text }) => !isBlank(text)));
    } else if (message.role === 'user') {
      const said = message.content.filter(saysSomething);
      list.user(said);
      isBehindUser ||= said.length > 0;
    } else {
      const said = message.content.filter(canReplay);
      if (said.length > 0) place();
      list.assistant(said);
    }
  }
  place();
  return { instructions, messages: list.messages };
}

function writeSystem(blocks: readonly TextBlock[]): string | readonly JsonObject[] | undefined {
  const [only] = blocks;
  if (only === undefined) return undefined;
  return blocks.length === 1 && only.cache === undefined ? only.text : blocks.map(writeText);
}

const writeMessages = (messages: readonly Message[], claude: ClaudeModel): readonly JsonObject[] =>
  betweenUsers(messages, claude.prefill).map(writeMessage);

function writeMessage({ role, content }: Message): JsonObject {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text' && only.cache === undefined) {
    return { role, content: only.text };
  }
  return {
    role,
    content: role === 'assistant' ? content.map(writeAssistantBlock) : content.map(writeUserBlock),
  };
}

/** The upstream refuses text that is blank, wherever it stands. */
function saysSomething(block: UserBlock): boolean {
  return block.type !== 'text' || !isBlank(block.text);
}

function writeUserBlock(block: UserBlock): JsonObject {
  const cache_control = writeCacheMark(block.cache);
  switch (block.type) {
    case 'text':
      return writeText(block);
    case 'image':
      return { type: 'image', source: writeMedia(block.source), cache_control };
    case 'document':
      return writeDocument(block);
    case 'audio':
      throw refuse('audio input', 'messages');
    case 'tool_result':
      return writeToolResult(block);
  }
}

function writeText({ text, cache }: TextBlock): JsonObject {
  return { type: 'text', text, cache_control: writeCacheMark(cache) };
}

function writeToolResult({ toolUseId, content: given, isError, cache }: ToolResultBlock): JsonObject {
  const content = given.filter(saysSomething);
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === 'text' && only.cache === undefined;
  return {
    type: 'tool_result',
    tool_use_id: writeToolId(toolUseId),
    content: isPlain ? only.text : content.length === 0 ? undefined : content.map(writeUserBlock),
    is_error: isError ? true : undefined,
    cache_control: writeCacheMark(cache),
  };
}

function writeDocument({ source, title, context, cache }: DocumentBlock): JsonObject {
  const cache_control = writeCacheMark(cache);
  return { type: 'document', source: writeDocumentSource(source), title, context, cache_control };
}

function writeDocumentSource(source: DocumentBlock['source']): JsonObject {
  switch (source.kind) {
    case 'text':
      return plainText(source.text);
    case 'content':
      return { type: 'content', content: source.content.filter(saysSomething).map(writeUserBlock) };
    case 'base64':
      if (source.mediaType.startsWith('text/')) return plainText(decodeText(source.data));
      if (source.mediaType !== 'application/pdf')
        throw refuse(`documents of the type ${source.mediaType}`, 'messages');
      return writeMedia(source);
    case 'url':
    case 'file':
      return writeMedia(source);
  }
}

const plainText = (data: string): JsonObject => ({ type: 'text', media_type: 'text/plain', data });

function writeMedia(source: MediaSource): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      if (source.vendor !== 'anthropic') throw refuse('a file by an id of another vendor', 'messages');
      return { type: 'file', file_id: source.id };
  }
}

function writeAssistantBlock(block: AssistantBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return {
        type: 'text',
        text: block.text,
        citations: block.citations?.map(writeCitation),
        cache_control: writeCacheMark(block.cache),
      };
    case 'refusal':
      return { type: 'text', text: block.text };
    case 'thinking': {
      const signature = block.signature === undefined ? '' : packSignature(block.signature, 'anthropic');
      return { type: 'thinking', thinking: block.text, signature };
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: packSignature(block.signature, 'anthropic') };
    case 'tool_use':
      return {
        type: 'tool_use',
        id: writeToolId(block.id),
        name: block.name,
        input: writeInput(argumentsOf(block)),
        cache_control: writeCacheMark(block.cache),
      };
  }
}

/** Towards a client: a signature on a tool use goes in front of it. */
export function writeAnswerBlocks(content: readonly AssistantBlock[]): readonly JsonObject[] {
  return content.flatMap((block) => {
    const written = writeAssistantBlock(block);
    if (block.type !== 'tool_use' || block.signature === undefined) return [written];
    const data = packToolSignature({ toolId: writeToolId(block.id), signature: block.signature });
    return [{ type: 'redacted_thinking', data }, written];
  });
}

/** The protocol takes nothing but these characters; the same id is written the same way wherever it stands. */
export function writeToolId(id: string): string {
  return id === '' ? 'call' : id.replaceAll(/[^\w-]/g, '_');
}

/** The input must be an object. What a model wrote wrong is kept under the name that the vendor's guide gives it. */
export function writeInput(input: string): JsonObject {
  if (input === '') return {};
  const value = tryParseSpelled(input);
  return isJsonObject(value) ? value : { INVALID_JSON: input };
}

export const isBlank = (text: string): boolean => text.trim() === '';

/** Whether the upstream takes a block back: thinking needs the vendor's own signature, and text must not be blank. */
export function canReplay(block: AssistantBlock): boolean {
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return block.signature?.origin === 'anthropic';
    case 'text':
    case 'refusal':
      return !isBlank(block.text);
    case 'tool_use':
      return true;
  }
}

/** Stands before the greeting of an assistant, or before a conversation whose head the client cut off. */
const opening: Message = { role: 'user', content: [{ type: 'text', text: 'Hello.' }] };
const goOn: Message = {
  role: 'user',
  content: [{ type: 'text', text: 'Go on exactly where your last message ends.' }],
};

/**
 * Upstreams refuse a conversation that the assistant begins, and newer models one that it ends (a prefill); the others one
 * that ends in a blank. A use of a tool at the end lacks its result, of which the upstream tells better than we could.
 */
export function betweenUsers(messages: readonly Message[], takesPrefill: boolean): readonly Message[] {
  const begun = messages[0]?.role === 'assistant' ? [opening, ...messages] : messages;
  const last = begun.at(-1);
  if (last?.role !== 'assistant') return begun;
  if (takesPrefill) return begun.with(-1, { ...last, content: withoutBlankEnd(last.content) });
  return last.content.some(({ type }) => type === 'tool_use') ? begun : [...begun, goOn];
}

function withoutBlankEnd(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const last = content.at(-1);
  return last?.type === 'text' || last?.type === 'refusal'
    ? content.with(-1, { ...last, text: last.text.trimEnd() })
    : content;
}
