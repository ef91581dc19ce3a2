/** Messages of the form as those of the Converse API, towards an upstream. */

import type { JsonObject } from '../json/fields.ts';
import { beginWithUser, canReplay, isBlank } from '../messages/write-messages.ts';
import { MessageList } from '../turn/message-list.ts';
import { nothingSaid } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { withCachePoint } from './cache-point.ts';
import type { ModelTraits } from './model-traits.ts';
import { userSaysSomething } from './says-something.ts';
import { writeAssistantBlocks } from './write-assistant.ts';
import { type BlockWriting, writeUserBlocks } from './write-user.ts';

export interface WrittenConversation {
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
    if (message.role === 'user') list.user(message.content.filter(userSaysSomething));
    else if (message.role === 'assistant') list.assistant(message.content.filter(canReplay));
  }
  return beginWithUser(list.messages).map(({ role, content }) => ({
    role,
    content:
      role === 'assistant'
        ? writeAssistantBlocks(content, writing.traits)
        : writeUserBlocks(content, writing),
  }));
}
