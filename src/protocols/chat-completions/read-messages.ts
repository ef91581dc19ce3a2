/** Chat completion messages into system text and messages of the form. */
import { asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TextBlock, ToolResultBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { readCacheMark } from './cache-mark.ts';
import { readAssistantContent } from './read-assistant.ts';
import { readParts, readTextParts, readUserParts } from './read-parts.ts';

export function readMessages(value: unknown): Pick<TurnRequest, 'system' | 'messages'> {
  const system: TextBlock[] = [];
  const list = new MessageList();
  for (const message of asObjects(value)) {
    switch (message['role']) {
      case 'system':
      case 'developer':
        if (list.messages.length === 0) system.push(...readTextParts(message));
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
    cache: readCacheMark(message),
  };
}
