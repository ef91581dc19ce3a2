/** Messages of the Converse API into messages of the form. */
import { asObjects, asText } from '../json/fields.ts';
import { MessageList } from '../turn/message-list.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Message } from '../turn/request.ts';
import { readAssistantBlocks } from './read-assistant.ts';
import { readSystem, readUserBlocks } from './read-blocks.ts';

export function readMessages(value: unknown): readonly Message[] {
  const list = new MessageList();
  for (const message of asObjects(value)) {
    const content = message['content'];
    switch (message['role']) {
      case 'user':
        list.user(readUserBlocks(content));
        break;
      case 'assistant':
        list.assistant(readAssistantBlocks(content));
        break;
      case 'system':
        list.system(readSystem(content));
        break;
      default:
        throw cannotRead('messages', `the role ${asText(message['role']) ?? ''} is not known`);
    }
  }
  return list.messages;
}
