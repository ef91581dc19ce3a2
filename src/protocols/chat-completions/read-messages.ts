/** Chat completion messages, with their content parts, into system text and messages of the form. */
import { asFilledText, asList, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type {
  AssistantBlock,
  AudioBlock,
  CacheMark,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../turn/blocks.ts';
import { readCacheMark } from '../turn/cache-mark.ts';
import { decodeText, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';
import { MessageList, type TurnRequest } from '../turn/request.ts';
import { callOf } from './legacy-functions.ts';
import { readCallSignature, readReasoningDetails } from './reasoning-details.ts';

export function readMessages(value: unknown): Pick<TurnRequest, 'system' | 'messages'> {
  const system: TextBlock[] = [];
  const list = new MessageList();
  for (const message of asObjects(value)) {
    switch (message['role']) {
      case 'system':
      case 'developer':
        if (list.isEmpty) system.push(...readTextParts(message));
        else list.system(readTextParts(message));
        break;
      case 'user':
        list.user(readUserParts(message));
        break;
      case 'assistant':
        list.assistant(readAssistantContent(message));
        break;
      case 'tool':
        list.user([readToolResult(message)]);
        break;
      default:
        throw cannotRead('messages', `the role ${String(message['role'])} is not supported for this model`);
    }
  }
  return { system, messages: list.messages };
}

function readToolResult(message: JsonObject): ToolResultBlock {
  const toolUseId = asText(message['tool_call_id']);
  if (toolUseId === undefined) throw cannotRead('messages', 'a tool message has no tool_call_id');
  return {
    type: 'tool_result',
    toolUseId,
    content: readParts(message['content']).filter((block) => block.type !== 'audio'),
    isError: false,
    cache: readAnyCacheMark(message),
  };
}

type Part = TextBlock | ImageBlock | DocumentBlock | AudioBlock;

/** A message's content; a mark on the message itself goes to its last part. */
function readUserParts(message: JsonObject): readonly Part[] {
  return markLast(withSpeaker(message, readParts(message['content'])), readAnyCacheMark(message));
}

/** Who of several speaks is told in words, which every model reads. */
function withSpeaker<Block extends Part>(
  message: JsonObject,
  blocks: readonly Block[],
): readonly (Block | TextBlock)[] {
  const name = asFilledText(message['name']);
  if (name === undefined || blocks.length === 0) return blocks;
  const [first, ...others] = blocks;
  if (first?.type !== 'text') return [{ type: 'text', text: `${name}:` }, ...blocks];
  return [{ ...first, text: `${name}: ${first.text}` }, ...others];
}

function readTextParts(message: JsonObject): readonly TextBlock[] {
  const texts = readParts(message['content']).filter((part) => part.type === 'text');
  return markLast(
    withSpeaker(message, texts).filter((part) => part.type === 'text'),
    readAnyCacheMark(message),
  );
}

export function markLast<Block extends Part>(
  blocks: readonly Block[],
  cache: CacheMark | undefined,
): readonly Block[] {
  const last = blocks.at(-1);
  if (cache === undefined || last === undefined || last.cache !== undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, cache }];
}

function readParts(content: unknown): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const blocks: Part[] = [];
  for (const value of asList(content)) {
    const part = asObject(value);
    const block = part === undefined ? undefined : readPart(part);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function readPart(part: JsonObject): Part | undefined {
  const cache = readAnyCacheMark(part);
  switch (part['type']) {
    case 'text': {
      const text = asFilledText(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'image_url':
      return readImage(part['image_url'], cache);
    case 'input_audio':
      return readAudio(asObject(part['input_audio']), cache);
    case 'file':
      return readFile(asObject(part['file']), cache);
    default:
      throw cannotRead(
        'messages',
        `content of the type ${String(part['type'])} is not supported for this model`,
      );
  }
}

function readImage(value: unknown, cache: CacheMark | undefined): ImageBlock {
  const described = asObject(value);
  const url = asFilledText(described?.['url']) ?? asFilledText(value);
  if (url === undefined) throw cannotRead('messages', 'an image_url has no url');
  return { type: 'image', source: readUrl(url), detail: asText(described?.['detail']), cache };
}

function readAudio(audio: JsonObject | undefined, cache: CacheMark | undefined): AudioBlock {
  const data = asFilledText(audio?.['data']);
  const format = asFilledText(audio?.['format']);
  if (data === undefined || format === undefined) {
    throw cannotRead('messages', 'an input_audio needs data and format');
  }
  const mediaType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
  return { type: 'audio', source: { kind: 'base64', mediaType, data }, cache };
}

function readFile(file: JsonObject | undefined, cache: CacheMark | undefined): Part {
  const id = asFilledText(file?.['file_id']);
  const title = asFilledText(file?.['filename']);
  if (id !== undefined) {
    return { type: 'document', source: { kind: 'file', id, vendor: 'openai' }, title, cache };
  }
  const data = asFilledText(file?.['file_data']);
  if (data === undefined) throw cannotRead('messages', 'a file needs file_data or file_id');
  const source = readUrl(data);
  if (source.kind === 'url') return { type: 'document', source, title, cache };
  if (source.mediaType.startsWith('image/')) return { type: 'image', source, cache };
  if (!source.mediaType.startsWith('text/')) return { type: 'document', source, title, cache };
  return { type: 'document', source: { kind: 'text', text: decodeText(source.data) }, title, cache };
}

/**
 * An assistant's message as blocks: thinking, then text, then a refusal, then tool uses. Serves messages of a request
 * and of an answer alike.
 * @param idAt makes the id of a call that has none.
 */
export function readAssistantContent(
  message: JsonObject,
  idAt: (at: number) => string = () => '',
): readonly AssistantBlock[] {
  const { thinking: inContent, texts, refusals } = readContent(message['content']);
  const given = asObjects(message['tool_calls']);
  const legacy = given.length === 0 ? callOf(message) : undefined;
  const calls = legacy === undefined ? given : [legacy];
  const callIds = new Set(calls.flatMap(({ id }) => asFilledText(id) ?? []));
  const { thinking, signatureOfTool } = readReasoningDetails(message['reasoning_details'], callIds);
  const blocks: AssistantBlock[] = [...inContent];
  if (thinking.length > 0) blocks.push(...thinking);
  else blocks.push(...readPlainReasoning(message));
  blocks.push(...markLast(withSpeaker(message, texts), readAnyCacheMark(message)));
  const refusal = refusals + (asText(message['refusal']) ?? '');
  if (refusal !== '') blocks.push({ type: 'refusal', text: refusal });
  for (const [at, call] of calls.entries()) {
    const block = readToolCall(call, () => idAt(at));
    if (block === undefined) continue;
    const signature = signatureOfTool.get(block.id) ?? readCallSignature(call);
    blocks.push(signature === undefined ? block : { ...block, signature });
  }
  return blocks;
}

/** `reasoning_content` (DeepSeek and most) or `reasoning` (OpenRouter, Groq, vLLM). */
function readPlainReasoning(message: JsonObject): readonly ThinkingBlock[] {
  const text = asFilledText(message['reasoning_content']) ?? asFilledText(message['reasoning']);
  return text === undefined ? [] : [{ type: 'thinking', text }];
}

interface Content {
  readonly thinking: ThinkingBlock[];
  readonly texts: TextBlock[];
  refusals: string;
}

export function readContent(value: unknown): Content {
  const content: Content = { thinking: [], texts: [], refusals: '' };
  const whole = asFilledText(value);
  if (whole !== undefined) content.texts.push({ type: 'text', text: whole });
  for (const part of asObjects(value)) readSaidPart(part, content);
  return content;
}

function readSaidPart(part: JsonObject, into: Content): void {
  const { type } = part;
  const text =
    type === 'thinking'
      ? readThinkingPart(part)
      : asFilledText(part[type === 'refusal' ? 'refusal' : 'text']);
  if (text === undefined) return;
  if (type === 'thinking') into.thinking.push({ type: 'thinking', text });
  else if (type === 'refusal') into.refusals += text;
  else if (type === 'text') into.texts.push({ type: 'text', text, cache: readAnyCacheMark(part) });
}

/** Mistral shows thinking as a content part that holds a list of text parts. */
export function readThinkingPart(part: JsonObject): string | undefined {
  const { thinking } = part;
  if (typeof thinking === 'string') return asFilledText(thinking);
  return asFilledText(
    asList(thinking)
      .map((piece) => asText(asObject(piece)?.['text']) ?? '')
      .join(''),
  );
}

function readToolCall(call: JsonObject, makeId: () => string): ToolUseBlock | undefined {
  const isCustom = call['type'] === 'custom';
  const called = asObject(call[isCustom ? 'custom' : 'function']);
  const name = asFilledText(called?.['name']);
  if (name === undefined) return undefined;
  const id = asFilledText(call['id']) ?? makeId();
  if (isCustom) return { type: 'tool_use', id, name, input: asText(called?.['input']) ?? '', custom: true };
  return { type: 'tool_use', id, name, input: readArguments(called?.['arguments']) };
}

/** Where some hosts send the arguments of a call as an object. */
export const argumentMembers: readonly string[] = ['arguments'];

/** Text by the protocol; some hosts send the object itself. */
function readArguments(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
  return text === '{}' ? '' : text;
}

/** Not of the protocol, but several hosts take Anthropic's spelling of a cache mark, and OpenAI has one of its own. */
export function readAnyCacheMark(from: JsonObject): CacheMark | undefined {
  const mark = readCacheMark(from);
  if (mark !== undefined) return mark;
  return asObject(from['prompt_cache_breakpoint']) === undefined ? undefined : {};
}
