/** Writes messages and their content blocks for the Converse API. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/fields.ts';
import { betweenUsers, canReplay, isBlank, writeInput } from '../messages/write-messages.ts';
import type { AssistantBlock, CacheMark, DocumentBlock, ToolResultBlock, UserBlock } from '../turn/blocks.ts';
import { argumentsOf } from '../turn/free-text/as-function.ts';
import { nothingSaid } from '../turn/refuse.ts';
import { MessageList, type TurnRequest } from '../turn/request.ts';
import { packSignature } from '../turn/signature.ts';
import { type MediaWriting, writeAudio, writeDocument, writeImage } from './media.ts';
import type { ModelTraits } from './models.ts';

interface WrittenConversation {
  readonly system: readonly JsonObject[] | undefined;
  readonly messages: readonly JsonObject[];
}

/** At least one message must be there; a request of instructions alone becomes what the user says. */
export function writeConversation(turn: TurnRequest, writing: BlockWriting): WrittenConversation {
  const system = writeSystem(turn, writing.traits);
  const messages = writeMessages(turn, writing);
  if (messages.length > 0) return { system: system.length > 0 ? system : undefined, messages };
  if (system.length === 0) throw nothingSaid();
  return { system: undefined, messages: [{ role: 'user', content: system }] };
}

/** Instructions from the middle of the conversation join those at its head: few models take them in their place. */
function writeSystem({ system, messages }: TurnRequest, traits: ModelTraits): readonly JsonObject[] {
  const later = messages.flatMap((message) => (message.role === 'system' ? message.content : []));
  return [...system, ...later].flatMap(({ text, cache }) =>
    isBlank(text) ? [] : withCachePoint([{ text }], cache, traits),
  );
}

/** What is left out can leave a message empty, and its neighbours are then of one role. */
function writeMessages({ messages }: TurnRequest, writing: BlockWriting): readonly JsonObject[] {
  const list = new MessageList();
  for (const message of messages) {
    if (message.role === 'user') list.user(message.content.filter(saysSomething));
    else if (message.role === 'assistant') list.assistant(message.content.filter(canReplay));
  }
  const takesPrefill = writing.traits.claude?.prefill ?? true;
  return betweenUsers(list.messages, takesPrefill).map(({ role, content }) => ({
    role,
    content:
      role === 'assistant'
        ? writeAssistantBlocks(content, writing.traits)
        : writeUserBlocks(content, writing),
  }));
}

/** What the blocks of one request have in common. */
export interface BlockWriting extends MediaWriting {
  readonly traits: ModelTraits;
}

/** The API refuses a document without words beside it. */
function writeUserBlocks(content: readonly UserBlock[], writing: BlockWriting): readonly JsonObject[] {
  const blocks = content.flatMap((block) => writeMarkedBlock(block, writing));
  const hasDocument = blocks.some((block) => 'document' in block);
  if (!hasDocument || blocks.some((block) => 'text' in block)) return blocks;
  return [...blocks, { text: 'See the document.' }];
}

function writeMarkedBlock(block: UserBlock, writing: BlockWriting): readonly JsonObject[] {
  const written = writeUserBlock(block, writing);
  return withCachePoint(written, markOf(block), writing.traits);
}

/** Inside a result there is no place for a mark; the point behind it covers the same. */
function markOf(block: UserBlock): CacheMark | undefined {
  if (block.cache !== undefined || block.type !== 'tool_result') return block.cache;
  return block.content.findLast(({ cache }) => cache !== undefined)?.cache;
}

function writeUserBlock(block: UserBlock, writing: BlockWriting): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'image':
      return [writeImage(block, writing)];
    case 'document':
      return writeDocument(block, writing);
    case 'audio':
      return [writeAudio(block)];
    case 'tool_result':
      return [writeToolResult(block, writing)];
  }
}

function writeToolResult(
  { toolUseId, content, isError }: ToolResultBlock,
  writing: BlockWriting,
): JsonObject {
  return {
    toolResult: {
      toolUseId: writeToolId(toolUseId, writing.traits),
      content: content.filter(saysSomething).flatMap((block) => writeUserBlock(block, writing)),
      status: isError ? 'error' : undefined,
    },
  };
}

/** Towards an upstream: blocks that can be replayed. */
function writeAssistantBlocks(
  content: readonly AssistantBlock[],
  traits: ModelTraits,
): readonly JsonObject[] {
  return content.flatMap((block) => {
    const cache = 'cache' in block ? block.cache : undefined;
    return withCachePoint([writeAssistantBlock(block, traits)], cache, traits);
  });
}

function writeAssistantBlock(block: AssistantBlock, traits: ModelTraits): JsonObject {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { text: block.text };
    case 'thinking': {
      const signature =
        block.signature === undefined ? undefined : packSignature(block.signature, 'anthropic');
      return { reasoningContent: { reasoningText: { text: block.text, signature } } };
    }
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: packSignature(block.signature, 'anthropic') } };
    case 'tool_use': {
      const { id, name } = block;
      const input = writeInput(argumentsOf(block));
      return { toolUse: { toolUseId: writeToolId(id, traits), name, input } };
    }
  }
}

/** Whether a user's block may be sent: the API refuses text that is blank, and files that are empty. */
function saysSomething(block: UserBlock): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  return block.type !== 'document' || hasContent(block.source);
}

function hasContent(source: DocumentBlock['source']): boolean {
  switch (source.kind) {
    case 'base64':
      return source.data !== '';
    case 'text':
      return !isBlank(source.text);
    case 'content':
      return source.content.some((block) => block.type === 'image' || !isBlank(block.text));
    case 'url':
    case 'file':
      return true;
  }
}

const plainId = /^[\w-]{1,64}$/;
const shortPlainId = /^[a-z0-9]{9}$/i;

/**
 * Ids of tool uses have letters, digits, hyphens and underscores, 64 at most, and for some models exactly nine. The
 * same id is written the same way wherever it stands, and different ones stay different.
 */
function writeToolId(id: string, { shortToolIds }: ModelTraits): string {
  if (shortToolIds) return shortPlainId.test(id) ? id : digestOf(id).slice(0, 9);
  if (plainId.test(id)) return id;
  return `${id.replaceAll(/[^\w-]/g, '_').slice(0, 40)}_${digestOf(id).slice(0, 16)}`;
}

const digestOf = (id: string): string => createHash('sha256').update(id).digest('hex');

/** A cache point is a block of its own, behind what it marks. Where the model takes none, the mark is left out. */
function withCachePoint(
  blocks: readonly JsonObject[],
  cache: CacheMark | undefined,
  { cachePoints }: ModelTraits,
): readonly JsonObject[] {
  if (cache === undefined || blocks.length === 0 || !cachePoints.messages) return blocks;
  const ttl = cachePoints.lifetimes ? cache.ttl : undefined;
  return [...blocks, { cachePoint: { type: 'default', ttl } }];
}
