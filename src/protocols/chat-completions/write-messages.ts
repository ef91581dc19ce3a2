/** Messages of the form as chat completion messages. */

import type { JsonObject } from '../json/fields.ts';
import type { AssistantBlock, TextBlock, ToolResultBlock, UserBlock } from '../turn/blocks.ts';
import { nothingSaid } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import type { ChatDialect } from './dialect.ts';
import { markLast } from './read-parts.ts';
import { writeAssistantFields } from './write-assistant.ts';
import { type Part, writeContent } from './write-parts.ts';
import { writeReplay } from './write-replay.ts';

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
  const fields = writeAssistantFields(blocks);
  const { refusal, tool_calls } = fields;
  const { content: thinking, ...replayed } = writeReplay(fields, dialect);
  const said = writeContent(texts, dialect);
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
