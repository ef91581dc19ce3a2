/** Messages of the form as contents, towards an upstream. */

import type { JsonObject } from '../json/fields.ts';
import type { AssistantBlock, UserBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { nothingSaid } from '../turn/refuse.ts';
import type { Message, TurnRequest } from '../turn/request.ts';
import type { Signature } from '../turn/signature.ts';
import type { GeminiModel } from './gemini-model.ts';
import { foreignCall } from './thought-signature.ts';
import { writeAssistantParts } from './write-assistant.ts';
import { writeShown } from './write-parts.ts';
import { writeToolResult } from './write-tool-result.ts';

export interface Conversation {
  readonly systemInstruction: JsonObject | undefined;
  readonly contents: readonly JsonObject[];
}

/** Something must have been said; a request of instructions alone becomes what the user says. */
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

/** Signed thinking is taken back only by the vendor that signed it. */
function canReplay(block: AssistantBlock): boolean {
  if (block.type === 'redacted_thinking') return block.signature.origin === 'google';
  return block.type !== 'thinking' || block.signature === undefined || block.signature.origin === 'google';
}

function writeOwnSignature(signature: Signature | undefined): string | undefined {
  return signature?.origin === 'google' ? signature.value : undefined;
}

/** Index of the last message with which the user did not merely answer calls; -1 when there is none. */
function startOfTurn(messages: readonly Message[]): number {
  return messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.every(({ type }) => type !== 'tool_result'),
  );
}

/** The first call of each step has a signature, unless another model made it. */
function withSignedCall(parts: readonly JsonObject[]): readonly JsonObject[] {
  const first = parts.findIndex((part) => part['functionCall'] !== undefined);
  return parts.map((part, at) =>
    at === first && part['thoughtSignature'] === undefined
      ? { ...part, thoughtSignature: foreignCall }
      : part,
  );
}

/** @param names of the calls so far, by id: each response repeats the name of its call. */
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
