/** Messages to messages: the bytes pass through; only what is meant for the gateway or cannot be replayed changes. */
import {
  ComplaintError,
  type InferenceRequest,
  type Translator,
  UnreadableAnswerError,
  type WholeAnswer,
} from '../exchange.ts';
import { isJsonObject, tryParseJson } from '../json-body.ts';
import { asObject, asObjects } from '../json-fields.ts';
import { replaceMembers } from '../json-members.ts';
import type { JsonObject } from '../turn/tools.ts';
import { messagesComplaintIn, readMessagesComplaint } from './complaint.ts';
import { MessagesPassthroughStream } from './passthrough-stream.ts';
import { readThinkingSignature, unpackToolSignature } from './tool-signature.ts';
import { readMessagesUsage } from './usage.ts';

export const messagesPassthrough: Translator = {
  writeRequest,
  readAnswer,
  readComplaint: readMessagesComplaint,
  openStream: () => new MessagesPassthroughStream(),
};

function writeRequest({ text, json }: InferenceRequest, upstreamId: string): string {
  const members = new Map([['model', JSON.stringify(upstreamId)]]);
  const metadata = asObject(json['metadata']);
  if (metadata !== undefined && ('session_id' in metadata || 'sticky_key' in metadata)) {
    // Upstreams refuse members of metadata that they do not know.
    const { session_id: _session, sticky_key: _sticky, ...others } = metadata;
    members.set('metadata', JSON.stringify(others));
  }
  if (holdsForeignThinking(text)) {
    const messages = asObjects(json['messages']).map(withoutForeignThinking);
    members.set('messages', JSON.stringify(messages));
    // With a budget for thinking an upstream refuses steps with tools that were not thought over.
    if (asObject(json['thinking'])?.['type'] === 'enabled' && lacksThinking(messages)) {
      members.set('thinking', JSON.stringify({ type: 'disabled' }));
    }
  }
  return replaceMembers(text, members);
}

/** Thinking of another vendor's model, from before the conversation moved here: an upstream would refuse it. */
function holdsForeignThinking(text: string): boolean {
  return text.includes('"sluice') || /"signature"\s*:\s*""/.test(text);
}

function withoutForeignThinking(message: JsonObject): JsonObject {
  const content = message['content'];
  if (message['role'] !== 'assistant' || !Array.isArray(content)) return message;
  return { ...message, content: content.filter((block: unknown) => !isForeign(block)) };
}

/** Whether one of the last steps with tools has lost the thinking in front of it. */
function lacksThinking(messages: readonly JsonObject[]): boolean {
  for (const { role, content } of messages.toReversed()) {
    const blocks = asObjects(content);
    const isResult = blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result');
    if (role !== 'assistant' && !isResult) return false;
    const usesTools = blocks.some(({ type }) => type === 'tool_use');
    const begins = blocks[0]?.['type'];
    if (usesTools && begins !== 'thinking' && begins !== 'redacted_thinking') return true;
  }
  return false;
}

function isForeign(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  const { type, signature, data } = block;
  if (type === 'thinking') return signature === '' || isForeignSignature(signature);
  if (type !== 'redacted_thinking' || typeof data !== 'string') return false;
  return unpackToolSignature(data) !== null || isForeignSignature(data);
}

const isForeignSignature = (text: unknown): boolean =>
  typeof text === 'string' && readThinkingSignature(text).origin !== 'anthropic';

function readAnswer(body: string): WholeAnswer {
  const json = tryParseJson(body);
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const content = json['content'];
  if (!Array.isArray(content)) {
    const complaint = messagesComplaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError('the answer has no content');
  }
  const usage = readMessagesUsage(json['usage']);
  return { body, usage, generatedCharacters: usage === null ? JSON.stringify(content).length : 0 };
}
