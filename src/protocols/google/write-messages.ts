/** This file writes messages of the form as the contents of generateContent requests. */
import type { JsonObject } from '../json/fields.ts';
import type {
  AssistantBlock,
  DocumentBlock,
  ToolResultBlock,
  ToolResultContent,
  UserBlock,
} from '../turn/blocks.ts';
import { announceDocument, frameDocument } from '../turn/document-text.ts';
import { nothingSaid } from '../turn/refuse.ts';
import { type Message, MessageList, type TurnRequest } from '../turn/request.ts';
import type { Signature } from '../turn/signature.ts';
import { writeAssistantParts } from './answer.ts';
import { writeAudio, writeMedia } from './media.ts';
import type { GeminiModel } from './models.ts';
import { foreignCall } from './outcome.ts';

export interface Conversation {
  readonly systemInstruction: JsonObject | undefined;
  readonly contents: readonly JsonObject[];
}

/** The protocol demands a message. The instructions become what the user says where there is nothing else. */
export function writeConversation(turn: TurnRequest, model: GeminiModel): Conversation {
  const instructions = [
    ...turn.system,
    ...turn.messages.flatMap((message) => (message.role === 'system' ? message.content : [])),
  ].map(({ text }) => ({ text }));
  const contents = writeContents(turn.messages, model);
  if (contents.length === 0 && instructions.length === 0) throw nothingSaid();
  if (contents.length === 0) {
    return { systemInstruction: undefined, contents: [{ role: 'user', parts: instructions }] };
  }
  const systemInstruction = instructions.length === 0 ? undefined : { parts: instructions };
  return { systemInstruction, contents };
}

function writeContents(all: readonly Message[], model: GeminiModel): readonly JsonObject[] {
  const list = new MessageList();
  for (const message of all) {
    if (message.role === 'user') list.user(message.content);
    else if (message.role === 'assistant') list.assistant(message.content.filter(canReplay));
  }
  const { messages } = list;
  const current = startOfTurn(messages);
  const names = new Map<string, string>();
  return messages.map(({ role, content }, at) => {
    if (role !== 'assistant') return { role: 'user', parts: writeUserParts(content, names, model) };
    for (const block of content) if (block.type === 'tool_use') names.set(block.id, block.name);
    const parts = writeAssistantParts(content, writeOwnSignature);
    return { role: 'model', parts: model.demandsSignatures && at > current ? withSignedCall(parts) : parts };
  });
}

/** Google takes back the thinking that it signed itself, and refuses what others have signed. */
function canReplay(block: AssistantBlock): boolean {
  if (block.type === 'redacted_thinking') return block.signature.origin === 'google';
  return block.type !== 'thinking' || block.signature === undefined || block.signature.origin === 'google';
}

function writeOwnSignature(signature: Signature | undefined): string | undefined {
  return signature?.origin === 'google' ? signature.value : undefined;
}

/** The index of the last message in which the user did more than answer calls; -1 when there is none. */
function startOfTurn(messages: readonly Message[]): number {
  return messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.every(({ type }) => type !== 'tool_result'),
  );
}

/** Google refuses a step whose first call has no signature, unless the call is marked as one of another model. */
function withSignedCall(parts: readonly JsonObject[]): readonly JsonObject[] {
  const first = parts.findIndex((part) => part['functionCall'] !== undefined);
  return parts.map((part, at) =>
    at === first && part['thoughtSignature'] === undefined
      ? { ...part, thoughtSignature: foreignCall }
      : part,
  );
}

/** @param names The names of the calls so far, by id: each response repeats the name of its call. */
function writeUserParts(
  content: readonly UserBlock[],
  names: ReadonlyMap<string, string>,
  model: GeminiModel,
): readonly JsonObject[] {
  const results: JsonObject[] = [];
  const attached: JsonObject[] = [];
  const said: JsonObject[] = [];
  for (const block of content) {
    if (block.type !== 'tool_result') {
      said.push(...writeShown(block));
      continue;
    }
    const result = writeToolResult(block, names.get(block.toolUseId) ?? block.toolUseId, model);
    results.push(result.part);
    attached.push(...result.attached);
  }
  return [...results, ...attached, ...said];
}

type ShownBlock = Exclude<UserBlock, { type: 'tool_result' }>;

function writeShown(block: ShownBlock): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'image':
      return [writeMedia('image', block.source)];
    case 'audio':
      return [writeAudio(block)];
    case 'document':
      return writeDocument(block);
  }
}

/** A part has neither title nor context, so that both are told in words in front of it. */
function writeDocument(block: DocumentBlock): readonly JsonObject[] {
  const { source } = block;
  switch (source.kind) {
    case 'text':
      return [{ text: frameDocument(block, source.text) }];
    case 'content': {
      const texts = source.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const images = source.content.filter((part) => part.type === 'image');
      return [{ text: frameDocument(block, texts.join('\n')) }, ...images.flatMap(writeShown)];
    }
    default:
      return [...announceDocument(block).map((text) => ({ text })), writeMedia('document', source)];
  }
}

export interface WrittenResult {
  readonly part: JsonObject;
  /** The media that the response cannot hold; they go to the end of the message. */
  readonly attached: readonly JsonObject[];
}

/** @param name The name of the function that was called; the protocol demands it once more. */
function writeToolResult(
  { toolUseId, content, isError }: ToolResultBlock,
  name: string,
  model: GeminiModel,
): WrittenResult {
  const texts: string[] = [];
  const inside: JsonObject[] = [];
  const behind: JsonObject[] = [];
  for (const block of content) {
    const text = asText(block);
    if (text !== undefined) texts.push(text);
    else if (model.mediaInResponses && isBytes(block)) inside.push(...writeShown(block));
    else behind.push(...writeShown(block));
  }
  const text = texts.join('\n');
  const parts = inside.length === 0 ? {} : { parts: inside };
  const response = isError ? { error: text } : { result: text };
  return {
    part: { functionResponse: { id: toolUseId, name, response, ...parts } },
    attached: behind.length === 0 ? [] : [{ text: `Attached to the result of ${name}:` }, ...behind],
  };
}

/** Undefined for a block that is more than text. */
function asText(block: ToolResultContent): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'document' && block.source.kind === 'text'
    ? frameDocument(block, block.source.text)
    : undefined;
}

/** Whether the block is bytes alone: a title or a context would need a part of text, which a response does not take. */
function isBytes(block: ToolResultContent): boolean {
  if (block.type === 'text' || block.source.kind !== 'base64') return false;
  return block.type === 'image' || (block.title === undefined && block.context === undefined);
}
