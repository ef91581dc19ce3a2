/** Messages of the form as those of the messages protocol, towards an upstream. */

import type { JsonObject } from '../json/fields.ts';
import type { TextBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { nothingSaid } from '../turn/refuse.ts';
import type { Message, TurnRequest } from '../turn/request.ts';
import { beginWithUser } from './begin-with-user.ts';
import { canReplay, isBlank } from './says-something.ts';
import { writeAssistantBlock } from './write-assistant.ts';
import { saysSomething, writeText, writeUserBlock } from './write-blocks.ts';

/** At least one message must be there; a request of instructions alone becomes what the user says. */
export function writeConversation(turn: TurnRequest): { system: unknown; messages: readonly JsonObject[] } {
  const system = writeSystem(turn);
  const messages = writeMessages(turn.messages);
  if (messages.length > 0) return { system, messages };
  if (system === undefined) throw nothingSaid();
  return { system: undefined, messages: [{ role: 'user', content: system }] };
}

/** Instructions from the middle of the conversation join those at its head: few models take them in their place. */
function writeSystem({ system, messages }: TurnRequest): string | readonly JsonObject[] | undefined {
  const later = messages.flatMap((message) => (message.role === 'system' ? message.content : []));
  const blocks: readonly TextBlock[] = [...system, ...later].filter(({ text }) => !isBlank(text));
  const [only] = blocks;
  if (only === undefined) return undefined;
  return blocks.length === 1 && only.cache === undefined ? only.text : blocks.map(writeText);
}

/** What is left out can leave a message empty, and its neighbours are then of one role. */
function writeMessages(messages: readonly Message[]): readonly JsonObject[] {
  const list = new MessageList();
  for (const message of messages) {
    if (message.role === 'user') list.user(message.content.filter(saysSomething));
    else if (message.role === 'assistant') list.assistant(message.content.filter(canReplay));
  }
  return beginWithUser(list.messages).map(writeMessage);
}

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
