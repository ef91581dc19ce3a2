/** Reads messages and their content blocks into the turn. An assistant's blocks come in requests and in answers. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from '../turn/blocks.ts';
import { readCacheMark } from '../turn/cache-mark.ts';
import { readMediaType, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';
import { type Message, MessageList } from '../turn/request.ts';
import { type Signature, unpackSignature, unpackToolSignature } from '../turn/signature.ts';
import { TextGaps } from '../turn/text-gaps.ts';
import { readCitations } from './citations.ts';

export function readSystem(value: unknown): readonly TextBlock[] {
  return readUserBlocks(value).filter((block) => block.type === 'text');
}

export function readMessages(value: unknown): readonly Message[] {
  const list = new MessageList();
  for (const message of asObjects(value)) {
    const content = message['content'];
    switch (message['role']) {
      case 'user':
        list.user(readUserBlocks(content));
        break;
      case 'assistant':
        list.assistant(readAssistantBlocks(content));
        break;
      case 'system':
        list.system(readSystem(content));
        break;
      default:
        throw cannotRead('messages', `the role ${asText(message['role']) ?? ''} is not known`);
    }
  }
  return list.messages;
}

function readUserBlocks(content: unknown): readonly UserBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).flatMap((block) => readUserBlock(block) ?? []);
}

function readUserBlock(block: JsonObject): UserBlock | undefined {
  return block['type'] === 'tool_result' ? readToolResult(block) : readShownBlock(block);
}

/** What may stand both in a message and in the result of a tool. */
function readShownBlock(block: JsonObject): TextBlock | ImageBlock | DocumentBlock | undefined {
  const cache = readCacheMark(block);
  switch (block['type']) {
    case 'text': {
      const text = asFilledText(block['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'image':
      return { type: 'image', source: readMediaSource(asObject(block['source'])), cache };
    case 'document': {
      const source = readDocumentSource(asObject(block['source']));
      return {
        type: 'document',
        source,
        title: asText(block['title']),
        context: asText(block['context']),
        cache,
      };
    }
    case 'search_result': {
      const content = readContent(block['content']);
      const source = { kind: 'content', content } as const;
      return {
        type: 'document',
        source,
        title: asText(block['title']),
        context: asText(block['source']),
        cache,
      };
    }
    // Traces of tools that the vendor ran; nobody else can make use of them.
    default:
      return undefined;
  }
}

function readToolResult(block: JsonObject): ToolResultBlock {
  const toolUseId = asText(block['tool_use_id']);
  if (toolUseId === undefined) throw cannotRead('messages', 'a tool_result has no tool_use_id');
  const content = block['content'];
  return {
    type: 'tool_result',
    toolUseId,
    content:
      typeof content === 'string'
        ? readText(content)
        : asObjects(content).flatMap((part) => readShownBlock(part) ?? []),
    isError: block['is_error'] === true,
    cache: readCacheMark(block),
  };
}

const readText = (text: string): readonly TextBlock[] => (text === '' ? [] : [{ type: 'text', text }]);

function readDocumentSource(source: JsonObject | undefined): DocumentBlock['source'] {
  if (source?.['type'] === 'content') return { kind: 'content', content: readContent(source['content']) };
  if (source?.['type'] === 'text') return { kind: 'text', text: asText(source['data']) ?? '' };
  return readMediaSource(source);
}

/** The content of a document that is made of blocks itself. */
function readContent(content: unknown): readonly (TextBlock | ImageBlock)[] {
  if (typeof content === 'string') return readText(content);
  return asObjects(content).flatMap((part) => {
    const block = readShownBlock(part);
    return block === undefined || block.type === 'document' ? [] : [block];
  });
}

function readMediaSource(source: JsonObject | undefined): MediaSource {
  switch (source?.['type']) {
    case 'base64': {
      const mediaType = asFilledText(source['media_type']);
      const data = asFilledText(source['data']);
      if (mediaType === undefined || data === undefined) throw unreadable('base64 needs media_type and data');
      return { kind: 'base64', mediaType: readMediaType(mediaType), data };
    }
    case 'url': {
      const url = asFilledText(source['url']);
      if (url === undefined) throw unreadable('url needs a url');
      return readUrl(url);
    }
    case 'file': {
      const id = asFilledText(source['file_id']);
      if (id === undefined) throw unreadable('file needs a file_id');
      return { kind: 'file', id, vendor: 'anthropic' };
    }
    default:
      throw unreadable('the type of the source is not known');
  }
}

const unreadable = (reason: string) =>
  cannotRead('messages', `the source of an image or document: ${reason}`);

/** @param isAnswer what is cited, and how texts are kept apart, belongs to an answer alone. */
export function readAssistantBlocks(content: unknown, isAnswer = false): readonly AssistantBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const signatureOfTool = new Map<string, Signature>();
  const blocks: AssistantBlock[] = [];
  const gaps = new TextGaps();
  for (const block of asObjects(content)) {
    if (isTrace(block)) gaps.passOver();
    const read = readBlock(block, signatureOfTool);
    if (read !== undefined) blocks.push(isAnswer ? gaps.keepApart(withCitations(read, block)) : read);
  }
  return blocks;
}

const known: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** Of a tool that the vendor ran; nobody else can make use of it. */
export const isTrace = (block: JsonObject): boolean => !known.has(block['type']);

function withCitations(read: AssistantBlock, block: JsonObject): AssistantBlock {
  if (read.type !== 'text' || block['citations'] == null) return read;
  const citations = readCitations(block['citations']);
  return citations.length === 0 ? read : { ...read, citations };
}

function readBlock(block: JsonObject, signatureOfTool: Map<string, Signature>): AssistantBlock | undefined {
  switch (block['type']) {
    case 'text': {
      const text = asFilledText(block['text']);
      return text === undefined ? undefined : { type: 'text', text, cache: readCacheMark(block) };
    }
    case 'thinking':
      return readThinking(block);
    case 'redacted_thinking': {
      const data = asFilledText(block['data']);
      if (data === undefined) return undefined;
      const ofTool = unpackToolSignature(data);
      if (ofTool === null)
        return { type: 'redacted_thinking', signature: unpackSignature(data, 'anthropic') };
      signatureOfTool.set(ofTool.toolId, ofTool.signature);
      return undefined;
    }
    case 'tool_use':
      return readToolUse(block, signatureOfTool);
    default:
      return undefined;
  }
}

function readThinking(block: JsonObject): AssistantBlock | undefined {
  const text = asText(block['thinking']) ?? '';
  const signature = asFilledText(block['signature']);
  if (signature !== undefined)
    return { type: 'thinking', text, signature: unpackSignature(signature, 'anthropic') };
  return text === '' ? undefined : { type: 'thinking', text };
}

function readToolUse(block: JsonObject, signatureOfTool: ReadonlyMap<string, Signature>): AssistantBlock {
  const id = asText(block['id']) ?? '';
  return {
    type: 'tool_use',
    id,
    name: asText(block['name']) ?? '',
    input: readInput(block['input']),
    signature: signatureOfTool.get(id),
    cache: readCacheMark(block),
  };
}

/** Where the arguments of a call stand as an object. */
export const argumentMembers: readonly string[] = ['input'];

export function readInput(input: unknown): string {
  const text = input === undefined ? '' : JSON.stringify(input);
  return text === '{}' ? '' : text;
}
