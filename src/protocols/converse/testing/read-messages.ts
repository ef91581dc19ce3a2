/** Reads the messages of Converse requests, and their content blocks, back into the turn. */
import { asFilledText, asList, asObject, asObjects, asText, type JsonObject } from '../../json/fields.ts';
import type {
  AssistantBlock,
  AudioBlock,
  CacheMark,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolResultBlock,
  ToolResultContent,
  UrlSource,
  UserBlock,
} from '../../turn/blocks.ts';
import { cannotRead } from '../../turn/refuse.ts';
import { type Message, MessageList } from '../../turn/request.ts';
import { isTrace, readConverseAnswer } from '../answer.ts';

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

/** The blocks of a request are those of an answer, with cache points between them. */
function readAssistantBlocks(content: unknown): readonly AssistantBlock[] {
  const read: AssistantBlock[] = [];
  let unmarked: JsonObject[] = [];
  const take = (): void => {
    const message = { content: unmarked };
    // What was cited belongs to answers.
    for (const block of readConverseAnswer({ output: { message } }).choices[0]?.content ?? []) {
      read.push(block.type === 'text' ? { type: 'text', text: block.text } : block);
    }
    unmarked = [];
  };
  for (const block of asObjects(content)) {
    const cache = readCachePoint(block);
    if (cache === undefined) {
      // Texts around it are kept apart in answers alone.
      if (!isTrace(block)) unmarked.push(block);
      continue;
    }
    take();
    const last = read.pop();
    if (last?.type === 'text' || last?.type === 'tool_use') read.push({ ...last, cache });
    else if (last !== undefined) read.push(last);
  }
  take();
  return read;
}

function readUserBlocks(content: unknown): readonly UserBlock[] {
  return readMarked(asObjects(content), readUserBlock);
}

export function readSystem(system: unknown): readonly TextBlock[] {
  return readMarked(asObjects(system), readText);
}

/** Blocks that only the vendor can make use of, such as those for its guardrails, are passed over. */
function readUserBlock(block: JsonObject): UserBlock | undefined {
  const audio = asObject(block['audio']);
  if (audio !== undefined) return readAudio(audio);
  const result = asObject(block['toolResult']);
  return result === undefined ? readShown(block) : readToolResult(result);
}

/** What may stand both in a message and in the result of a tool. */
function readShown(block: JsonObject): ToolResultContent | undefined {
  const image = asObject(block['image']);
  if (image !== undefined) return readImage(image);
  const document = asObject(block['document']);
  return document === undefined ? readText(block) : readDocument(document);
}

function readText(block: JsonObject): TextBlock | undefined {
  const text = asFilledText(block['text']);
  return text === undefined ? undefined : { type: 'text', text };
}

function readToolResult(result: JsonObject): ToolResultBlock {
  const toolUseId = asText(result['toolUseId']);
  if (toolUseId === undefined) throw cannotRead('messages', 'a toolResult has no toolUseId');
  return {
    type: 'tool_result',
    toolUseId,
    content: asObjects(result['content']).flatMap((part): readonly ToolResultContent[] => {
      const { json } = part;
      if (json !== undefined) return [{ type: 'text', text: JSON.stringify(json) }];
      const shown = readShown(part);
      return shown === undefined ? [] : [shown];
    }),
    isError: result['status'] === 'error',
  };
}

function readImage(image: JsonObject): ImageBlock {
  const source = asObject(image['source']);
  return { type: 'image', source: readStored(source) ?? readBytes('image', image) };
}

function readAudio(audio: JsonObject): AudioBlock {
  return { type: 'audio', source: readBytes('audio', audio) };
}

function readDocument(document: JsonObject): DocumentBlock {
  return {
    type: 'document',
    source: readDocumentSource(document),
    title: asFilledText(document['name']),
    context: asFilledText(document['context']),
  };
}

function readDocumentSource(document: JsonObject): DocumentBlock['source'] {
  const source = asObject(document['source']);
  const text = asText(source?.['text']);
  if (text !== undefined) return { kind: 'text', text };
  if (asList(source?.['content']).length > 0) {
    return {
      kind: 'content',
      content: asObjects(source?.['content']).flatMap((part) => readText(part) ?? []),
    };
  }
  return readStored(source) ?? readBytes('document', document);
}

function readStored(source: JsonObject | undefined): UrlSource | undefined {
  const url = asFilledText(asObject(source?.['s3Location'])?.['uri']);
  return url === undefined ? undefined : { kind: 'url', url };
}

type MediaKind = 'image' | 'document' | 'audio';

const mediaTypes: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
};

const mediaTypeOf = (kind: MediaKind, format: string): string =>
  mediaTypes[format] ?? `${kind === 'document' ? 'application' : kind}/${format}`;

function readBytes(kind: MediaKind, block: JsonObject) {
  const format = asFilledText(block['format']);
  const data = asFilledText(asObject(block['source'])?.['bytes']);
  if (data === undefined) throw cannotRead('messages', `${article(kind)} needs bytes or an s3Location`);
  if (format === undefined && kind !== 'document') {
    throw cannotRead('messages', `${article(kind)} needs a format`);
  }
  return { kind: 'base64', mediaType: mediaTypeOf(kind, format ?? 'txt'), data } as const;
}

const article = (kind: MediaKind): string => (kind === 'document' ? 'a document' : `an ${kind}`);

/** Undefined for a block that is no cache point. */
function readCachePoint(block: JsonObject): CacheMark | undefined {
  const point = asObject(block['cachePoint']);
  if (point === undefined) return undefined;
  const { ttl } = point;
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}

/** Reads blocks in order; a cache point marks the one in front of it. */
export function readMarked<Block extends object>(
  blocks: readonly JsonObject[],
  read: (block: JsonObject) => Block | undefined,
): readonly Block[] {
  const marked: Block[] = [];
  for (const block of blocks) {
    const cache = readCachePoint(block);
    const last = marked.at(-1);
    if (cache === undefined) {
      const one = read(block);
      if (one !== undefined) marked.push(one);
    } else if (last !== undefined) marked[marked.length - 1] = { ...last, cache };
  }
  return marked;
}
