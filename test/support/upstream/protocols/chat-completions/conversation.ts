/** The rules of a conversation that the real host holds its callers to. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import { isBase64 } from '../strict-fields.ts';

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

export interface Fault {
  readonly param: string;
  readonly message: string;
}

/** What is wrong with the messages, and where; undefined when nothing is. */
export function findConversationFault(messages: readonly unknown[]): Fault | undefined {
  const open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    const role = readText(message, 'role') ?? '';
    if (!roles.includes(role)) return { param: `${param}.role`, message: `"${role}" is no role.` };
    const [left] = open;
    if (role !== 'tool' && left !== undefined) return { param, message: `The call ${left} has no answer.` };
    const text = findMessageFault(message, role);
    if (text !== undefined) return { param, message: text };
    for (const call of readList(message, 'tool_calls')) open.add(readText(call, 'id') ?? '');
    const answered = readText(message, 'tool_call_id') ?? '';
    if (role === 'tool' && !open.delete(answered)) {
      return { param, message: `There is no call ${answered} before this answer.` };
    }
  }
  const [left] = open;
  return left === undefined ? undefined : { param: 'messages', message: `The call ${left} has no answer.` };
}

function findMessageFault(message: unknown, role: string): string | undefined {
  if (!isObject(message)) return 'A message is not an object.';
  const calls = readList(message, 'tool_calls');
  if (Array.isArray(message['tool_calls']) && calls.length === 0) return 'tool_calls is empty.';
  const isMissing = (message['content'] ?? null) === null;
  const mayBeMissing =
    role === 'assistant' && (calls.length > 0 || readText(message, 'refusal') !== undefined);
  if (isMissing && !mayBeMissing) return `The content of ${role} is missing.`;
  return calls.map(findCallFault).find(Boolean) ?? partsOf(message).map(findPartFault).find(Boolean);
}

function findCallFault(call: unknown): string | undefined {
  if (!readText(call, 'id')) return 'A call has no id.';
  if (readText(call, 'type') === 'custom') return undefined;
  const { name, arguments: text } = readObject(call, 'function');
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) return `${name} is no name of a function.`;
  return typeof text === 'string' ? undefined : 'The arguments of a call are no text.';
}

function findPartFault(part: JsonObject): string | undefined {
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? undefined : 'A part of text has none.';
    case 'image_url': {
      const url = readText(readObject(part, 'image_url'), 'url') ?? '';
      return /^https?:\/\//.test(url) || isDataUrl(url)
        ? undefined
        : 'An image is neither address nor data URL.';
    }
    case 'file': {
      const file = readObject(part, 'file');
      const data = readText(file, 'file_data');
      return (readText(file, 'file_id') ?? (data !== undefined && isDataUrl(data)))
        ? undefined
        : 'A file is no data URL.';
    }
    default:
      return undefined;
  }
}

function isDataUrl(text: string): boolean {
  const comma = text.indexOf(',');
  return /^data:[\w.+/-]+;base64$/.test(text.slice(0, comma)) && isBase64(text.slice(comma + 1));
}

function partsOf(message: JsonObject): JsonObject[] {
  return readList(message, 'content').filter(isObject);
}
