/** This file reads the contents of generateContent requests into messages of the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TextBlock, ToolResultBlock, ToolResultContent, UserBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { Message } from '../turn/request.ts';
import { readAssistantParts } from './answer.ts';
import { readMedia } from './media.ts';

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

/** The calls that no response has answered yet. Where neither has an id, they belong together by name and order. */
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

/** @param idOf finds the call that a function's response without an id belongs to, by the function's name. */
export function readUserParts(parts: unknown, idOf: (name: string) => string): readonly UserBlock[] {
  return asObjects(parts).flatMap((part) => readUserPart(part, idOf) ?? []);
}

function readUserPart(part: JsonObject, idOf: (name: string) => string): UserBlock | undefined {
  const response = asObject(part['functionResponse']);
  if (response !== undefined) return readResponse(response, idOf);
  const text = asFilledText(part['text']);
  return text === undefined ? readMedia(part) : { type: 'text', text };
}

function readResponse(response: JsonObject, idOf: (name: string) => string): ToolResultBlock {
  const name = asFilledText(response['name']);
  if (name === undefined) throw cannotRead('contents', 'a functionResponse has no name');
  const { text, isError } = readResult(asObject(response['response']) ?? {});
  const media = asObjects(response['parts']).flatMap((part): ToolResultContent[] => {
    const block = readMedia(part);
    return block === undefined || block.type === 'audio' ? [] : [block];
  });
  return {
    type: 'tool_result',
    toolUseId: asFilledText(response['id']) ?? idOf(name),
    content: text === '' ? media : [{ type: 'text', text }, ...media],
    isError,
  };
}

/** By convention the one member is the result or the error. Any other object is the result itself. */
function readResult(response: JsonObject): { text: string; isError: boolean } {
  const names = Object.keys(response);
  const [name] = names;
  if (name === undefined) return { text: '', isError: false };
  if (names.length === 1 && (name === 'result' || name === 'output' || name === 'error')) {
    const value = response[name];
    return { text: asText(value) ?? JSON.stringify(value), isError: name === 'error' };
  }
  return { text: JSON.stringify(response), isError: false };
}
