/** Contents of generateContent requests into messages of the form. */
import { asObject, asObjects, asText } from '../json/fields.ts';
import type { TextBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Message } from '../turn/request.ts';
import { readAssistantParts } from './read-assistant.ts';
import { readUserParts } from './read-parts.ts';

export function readSystem(value: unknown): readonly TextBlock[] {
  return readUserParts(asObject(value)?.['parts'], (name) => name).filter((block) => block.type === 'text');
}

export function readMessages(value: unknown): readonly Message[] {
  const list = new MessageList();
  const calls = new OpenCalls();
  for (const content of asObjects(value)) {
    const { role, parts } = content;
    if (role === 'model') {
      const blocks = readAssistantParts(parts, calls.nextId);
      for (const block of blocks) if (block.type === 'tool_use') calls.add(block.name, block.id);
      list.assistant(blocks);
    } else if (role === undefined || role === 'user' || role === 'function') {
      list.user(readUserParts(parts, calls.take));
    } else throw cannotRead('contents', `the role ${asText(role) ?? ''} is not known`);
  }
  return list.messages;
}

/** Calls that no response has answered yet: where neither has an id, they belong together by name and order. */
class OpenCalls {
  #count = 0;
  readonly #idsByName = new Map<string, string[]>();

  readonly nextId = (): string => {
    this.#count += 1;
    return `call_${this.#count}`;
  };

  add(name: string, id: string): void {
    const ids = this.#idsByName.get(name);
    if (ids === undefined) this.#idsByName.set(name, [id]);
    else ids.push(id);
  }

  readonly take = (name: string): string => this.#idsByName.get(name)?.shift() ?? name;
}
