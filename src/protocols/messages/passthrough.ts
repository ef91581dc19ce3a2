/** Messages to messages: the bytes pass through; only what is meant for the gateway or cannot be replayed changes. */
import { asObject, asObjects, isJsonObject, tryParseJson } from '../json/fields.ts';
import { replaceMembers } from '../json/members.ts';
import {
  ComplaintError,
  type InferenceRequest,
  type Translator,
  UnreadableAnswerError,
  type WholeAnswer,
} from '../translator.ts';
import { messagesComplaintIn, readMessagesComplaint } from './complaint.ts';
import { holdsForeignThinking, lacksThinking, withoutForeignThinking } from './foreign-thinking.ts';
import { MessagesPassthroughStream } from './passthrough-stream.ts';
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
    const messages = withoutForeignThinking(asObjects(json['messages']));
    members.set('messages', JSON.stringify(messages));
    // With a budget for thinking an upstream refuses steps with tools that were not thought over.
    if (asObject(json['thinking'])?.['type'] === 'enabled' && lacksThinking(messages)) {
      members.set('thinking', JSON.stringify({ type: 'disabled' }));
    }
  }
  return replaceMembers(text, members);
}

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
