/** Ids of tool calls for hosts that take only nine letters and digits, such as they make themselves (Mistral). */
import { createHash } from 'node:crypto';
import type { Message, TurnRequest } from '../turn/request.ts';

const own = /^[A-Za-z0-9]{9}$/;

/** A call and its result get the same id again; one that the host made stays as it is. */
export function withShortToolIds(turn: TurnRequest): TurnRequest {
  return { ...turn, messages: turn.messages.map(shorten) };
}

function shorten(message: Message): Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return {
        ...message,
        content: message.content.map((block) =>
          block.type === 'tool_result' ? { ...block, toolUseId: shortId(block.toolUseId) } : block,
        ),
      };
    case 'assistant':
      return {
        ...message,
        content: message.content.map((block) =>
          block.type === 'tool_use' ? { ...block, id: shortId(block.id) } : block,
        ),
      };
  }
}

const shortId = (id: string): string =>
  own.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
