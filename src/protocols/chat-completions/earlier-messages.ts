/**
 * What a host would refuse in the messages of a request that passes through as it is: a role that it does not know, and
 * what clients send back of earlier answers that other hosts gave, their thoughts, the ids of their calls and members
 * that only answers have. A request that is refused for them goes nowhere else, so that each further turn would fail.
 */
import { createHash } from 'node:crypto';
import { asFilledText, asList, asObjects, isJsonObject, type JsonObject } from '../json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from '../json/text.ts';
import type { ChatDialect } from './dialect.ts';
import { readContent } from './read-messages.ts';

type Edits = ReadonlyMap<string, MemberEdit>;

const thoughts = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;
/** Official clients send an answer back with all members that it had, and null for those that it could have had. */
const saysNothing = ['refusal', 'audio', 'function_call'] as const;
const asSystem: Edits = new Map([['role', '"system"']]);

/** Changes what has to be, and nothing else: what a host said itself it gets back as it was. */
export function fitMessages(edits: Map<string, MemberEdit>, json: JsonObject, dialect: ChatDialect): void {
  if (dialect.developerRole && dialect.replay === 'fields') return;
  const all = asList(json['messages']).map((message) => editsOfMessage(message, dialect));
  if (all.some((one) => one !== null)) edits.set('messages', editingEach(all));
}

const editingEach = (all: readonly (Edits | null)[]) => (own: string) =>
  editEntries(own, (text, at) => {
    const edits = all[at] ?? null;
    return edits === null ? text : editMembers(text, edits);
  });

function editsOfMessage(message: unknown, dialect: ChatDialect): Edits | null {
  if (!isJsonObject(message)) return null;
  switch (message['role']) {
    case 'developer':
      return dialect.developerRole ? null : asSystem;
    case 'assistant':
      return dialect.replay === 'fields' ? null : editsOfAnswer(message, dialect);
    case 'tool':
      return dialect.shortToolIds === true ? editsOfId(message, 'tool_call_id') : null;
    default:
      return null;
  }
}

function editsOfAnswer(message: JsonObject, dialect: ChatDialect): Edits | null {
  const edits = new Map<string, MemberEdit>();
  // A router takes its own back: what it found in files is read anew without them.
  if (dialect.replay !== 'reasoning_details' && Object.hasOwn(message, 'annotations')) {
    edits.set('annotations', null);
  }
  for (const name of saysNothing) if (message[name] === null) edits.set(name, null);
  fitThoughts(edits, message, dialect);
  const calls = asList(message['tool_calls']).map((call) => editsOfCall(call, dialect));
  if (calls.some((one) => one !== null)) edits.set('tool_calls', editingEach(calls));
  return edits.size === 0 ? null : edits;
}

/**
 * Under the name, or in the form, that the host has for them. A host of which nothing is known but that it is told none
 * by conversions may have said them itself, and one with details takes the text beside them.
 */
function fitThoughts(
  edits: Map<string, MemberEdit>,
  message: JsonObject,
  { replay, emptyThinking }: ChatDialect,
): void {
  if (replay === 'none' || replay === 'reasoning_details') return;
  const inContent = asObjects(message['content']).some(({ type }) => type === 'thinking');
  const { thinking, texts } = readContent(message['content']);
  const told = asFilledText(message['reasoning_content']) ?? asFilledText(message['reasoning']);
  const text = told ?? (inContent ? thinking.map((block) => block.text).join('') : undefined);
  for (const name of thoughts) if (name !== replay && Object.hasOwn(message, name)) edits.set(name, null);
  const said = texts.map((block) => block.text).join('');
  if (replay === 'content') {
    if (text === undefined || inContent) return;
    const parts = said === '' ? [] : [{ type: 'text', text: said }];
    edits.set(
      'content',
      JSON.stringify([{ type: 'thinking', thinking: [{ type: 'text', text }] }, ...parts]),
    );
    return;
  }
  if (inContent) edits.set('content', JSON.stringify(said));
  const calls = asList(message['tool_calls']);
  const replayed = text ?? (calls.length > 0 ? emptyThinking : undefined);
  if (replayed !== undefined && message[replay] == null) edits.set(replay, JSON.stringify(replayed));
}

function editsOfCall(call: unknown, dialect: ChatDialect): Edits | null {
  if (!isJsonObject(call)) return null;
  const ofId = dialect.shortToolIds === true ? editsOfId(call, 'id') : null;
  if (dialect.callSignatures === true || !Object.hasOwn(call, 'extra_content')) return ofId;
  return new Map([...(ofId ?? []), ['extra_content', null]]);
}

function editsOfId(holder: JsonObject, name: string): Edits | null {
  const id = asFilledText(holder[name]);
  const short = id === undefined ? undefined : shortToolId(id);
  return short === id ? null : new Map([[name, JSON.stringify(short)]]);
}

const alreadyShort = /^[A-Za-z0-9]{9}$/;

/** Of nine letters and digits; the same for the same id, so that a call and its result belong together again. */
export const shortToolId = (id: string): string =>
  alreadyShort.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
