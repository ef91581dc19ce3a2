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
import { cannotRead } from '../turn/refuse.ts';
import { type Message, MessageList } from '../turn/request.ts';
import { readAssistantParts } from './answer.ts';
import { readMedia } from './media.ts';

export function readSystem(value: unknown): readonly TextBlock[] {
  return readUserParts(asObject(value)?.['parts'], (name) => name).filter((block) => block.type === 'text');
}

export function readMessages(value: unknown): readonly Message[] {
  const list = new MessageList();
  const calls = new OpenCalls();
  const contents = asObjects(value);
  for (let at = 0; at < contents.length; ) {
    // Contents of one role that follow each other are one message, and are joined at once.
    const isModel = isModels(contents[at]);
    const assistant: AssistantBlock[] = [];
    const user: UserBlock[] = [];
    for (; at < contents.length && isModels(contents[at]) === isModel; at += 1) {
      const parts = contents[at]?.['parts'];
      if (!isModel) for (const block of readUserParts(parts, calls.take)) user.push(block);
      else for (const block of readAssistantParts(parts, calls.makeId)) assistant.push(calls.note(block));
    }
    if (isModel) list.assistant(joinPieces(assistant));
    else list.user(user);
  }
  return list.messages;
}

/** @throws AppError invalid_parameter for a role that nobody has. */
function isModels(content: JsonObject | undefined): boolean {
  const role = content?.['role'];
  if (role === 'model') return true;
  if (role == null || role === 'user' || role === 'function') return false;
  throw cannotRead('contents', `the role ${asText(role) ?? ''} is not known`);
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
  readonly #calls = new Queues();
  /** Those that came without an id: clients answer them without one, or by one of their own making. */
  readonly #nameless = new Queues();
  readonly #made = new Set<string>();
  readonly #known = new Set<string>();
  /** The ids that responses have named, whose calls no nameless response can mean. */
  readonly #answered = new Set<string>();

  readonly makeId = (): string => {
    const id = `call_${this.#made.size + 1}`;
    this.#made.add(id);
    return id;
  };

  note(block: AssistantBlock): AssistantBlock {
    if (block.type !== 'tool_use') return block;
    const { name, id } = block;
    this.#answered.delete(id);
    this.#known.add(id);
    this.#calls.add(name, id);
    if (this.#made.has(id)) this.#nameless.add(name, id);
    return block;
  }

  /** @param id The call's own, where its response says it. */
  readonly take = (name: string, id?: string): string => {
    if (id !== undefined && this.#known.has(id)) {
      this.#answered.add(id);
      return id;
    }
    const calls = id === undefined ? this.#calls : this.#nameless;
    const open = calls.next(name, this.#answered);
    if (open !== undefined) this.#answered.add(open);
    return open ?? id ?? name;
  };
}

/** Ids by the name of what was called, each of which is given out once. */
class Queues {
  readonly #byName = new Map<string, { readonly ids: string[]; next: number }>();

  add(name: string, id: string): void {
    const queue = this.#byName.get(name);
    if (queue === undefined) this.#byName.set(name, { ids: [id], next: 0 });
    else queue.ids.push(id);
  }

  next(name: string, answered: ReadonlySet<string>): string | undefined {
    const queue = this.#byName.get(name);
    while (queue !== undefined && queue.next < queue.ids.length) {
      const id = queue.ids[queue.next];
      queue.next += 1;
      if (id !== undefined && !answered.has(id)) return id;
    }
    return undefined;
  }
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
