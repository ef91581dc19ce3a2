/** This file reads the contents of generateContent requests into messages of the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type {
  AssistantBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolResultContent,
  UserBlock,
} from '../turn/blocks.ts';
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
    } else if (role == null || role === 'user' || role === 'function') {
      list.user(readUserParts(parts, calls.take));
    } else throw cannotRead('contents', `the role ${asText(role) ?? ''} is not known`);
  }
  return list.messages.map((message) =>
    message.role === 'assistant' ? { ...message, content: joinPieces(message.content) } : message,
  );
}

/**
 * Clients give back the pieces of a streamed answer as they came. Texts that follow each other are one text; thoughts
 * are one thought, whose signature came last and by itself.
 */
function joinPieces(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = [];
  let texts: string[] = [];
  const close = () => {
    const last = joined.at(-1);
    if (texts.length > 1 && (last?.type === 'text' || last?.type === 'thinking'))
      joined[joined.length - 1] = { ...last, text: texts.join('') };
    texts = [];
  };
  for (const block of content) {
    const last = joined.at(-1);
    if (block.type === 'text' && last?.type === 'text') texts.push(block.text);
    else if (block.type === 'thinking' && last?.type === 'thinking' && isPieceOf(last, block)) {
      texts.push(block.text);
      joined[joined.length - 1] = { ...last, signature: block.signature };
    } else {
      close();
      joined.push(block);
      texts = block.type === 'text' || block.type === 'thinking' ? [block.text] : [];
    }
  }
  close();
  return joined;
}

/** A thought that is signed and has words of its own was not cut into pieces. */
const isPieceOf = (last: ThinkingBlock, { text, signature }: ThinkingBlock): boolean =>
  last.signature === undefined && (signature === undefined || text === '');

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

  /** @param id The call's own, where its response says it. */
  readonly take = (name: string, id?: string): string => {
    const ids = this.#idsByName.get(name);
    if (id === undefined) return ids?.shift() ?? name;
    const at = ids?.indexOf(id) ?? -1;
    if (at !== -1) ids?.splice(at, 1);
    return id;
  };
}

type FindId = (name: string, id?: string) => string;

/** @param idOf Finds the call that a response belongs to, by its function's name where it has no id. */
function readUserParts(parts: unknown, idOf: FindId): readonly UserBlock[] {
  return asObjects(parts).flatMap((part) => readUserPart(part, idOf) ?? []);
}

function readUserPart(part: JsonObject, idOf: FindId): UserBlock | undefined {
  const response = asObject(part['functionResponse']);
  if (response !== undefined) return readResponse(response, idOf);
  const text = asFilledText(part['text']);
  return text === undefined ? readMedia(part) : { type: 'text', text };
}

function readResponse(response: JsonObject, idOf: FindId): ToolResultBlock {
  const name = asFilledText(response['name']);
  if (name === undefined) throw cannotRead('contents', 'a functionResponse has no name');
  const { text, isError } = readResult(asObject(response['response']) ?? {});
  const media = asObjects(response['parts']).flatMap((part): ToolResultContent[] => {
    const block = readMedia(part);
    return block === undefined || block.type === 'audio' ? [] : [block];
  });
  return {
    type: 'tool_result',
    toolUseId: idOf(name, asFilledText(response['id'])),
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
