/** Messages of the messages protocol into messages of the form. */
import { asObjects, asText } from '../json/fields.ts';
import type { TextBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Message } from '../turn/request.ts';
import { readAssistantBlocks } from './read-assistant.ts';
import { readUserBlocks } from './read-blocks.ts';

export function readSystem(value: unknown): readonly TextBlock[] {
  return readUserBlocks(value).filter((block) => block.type === 'text');
}

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
