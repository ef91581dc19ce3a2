/** The rules of a conversation that the real host holds its callers to. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import { signatureOf } from './message.ts';

/** What is wrong with the messages, with its place; undefined when nothing is. */
export function findConversationFault(messages: readonly unknown[]): string | undefined {
  if (messages.length === 0) return 'messages: at least one is needed.';
  for (const [index, message] of messages.entries()) {
    const fault =
      findMessageFault(message) ?? findPairingFault(message, messages[index - 1], messages[index + 1]);
    if (fault !== undefined) return `messages.${index}: ${fault}`;
  }
  return undefined;
}

function findMessageFault(message: unknown): string | undefined {
  const role = readText(message, 'role');
  if (role !== 'user' && role !== 'assistant') return 'the role is neither user nor assistant.';
  if (readText(message, 'content') === '') return 'the content is empty.';
  return blocksOf(message)
    .map(findBlockFault)
    .find((fault) => fault !== undefined);
}

function findBlockFault(block: JsonObject): string | undefined {
  switch (block['type']) {
    case 'text':
      return readText(block, 'text')?.trim() ? undefined : 'a text block says nothing.';
    case 'thinking':
      return block['signature'] === signatureOf(readText(block, 'thinking') ?? '')
        ? undefined
        : 'the signature of a thinking block does not fit it.';
    case 'redacted_thinking':
      return 'the data of a redacted_thinking block is none that was given out.';
    case 'tool_use':
      return findUseFault(block);
    case 'image':
      return findSourceFault(readObject(block, 'source'));
    default:
      return undefined;
  }
}

function findUseFault(block: JsonObject): string | undefined {
  if (!/^[\w-]+$/.test(readText(block, 'id') ?? ''))
    return 'the id of a tool_use block has strange characters.';
  if (!/^[\w-]{1,128}$/.test(readText(block, 'name') ?? '')) return 'a tool_use block has no name of a tool.';
  return isObject(block['input']) ? undefined : 'the input of a tool_use block is not an object.';
}

function findSourceFault(source: JsonObject): string | undefined {
  if (source['type'] !== 'base64') return undefined;
  const isSound =
    readText(source, 'media_type')?.startsWith('image/') === true &&
    /^[A-Za-z0-9+/]+=*$/.test(readText(source, 'data') ?? '');
  return isSound ? undefined : 'the source of an image is not base64 of a known type.';
}

/** Each use of a tool has its result in the next message, and no result is without a use in the one before. */
function findPairingFault(message: unknown, before: unknown, after: unknown): string | undefined {
  const results = new Set(textsOf(after, 'tool_result', 'tool_use_id'));
  const lonelyUse = textsOf(message, 'tool_use', 'id').find((id) => !results.has(id));
  if (lonelyUse !== undefined) return `the tool use ${lonelyUse} has no result in the next message.`;
  const uses = new Set(textsOf(before, 'tool_use', 'id'));
  const lonelyResult = textsOf(message, 'tool_result', 'tool_use_id').find((id) => !uses.has(id));
  return lonelyResult === undefined ? undefined : `the tool result ${lonelyResult} has no use before it.`;
}

function textsOf(message: unknown, type: string, field: string): string[] {
  return blocksOf(message)
    .filter((block) => block['type'] === type)
    .map((block) => readText(block, field) ?? '');
}

export function blocksOf(message: unknown): JsonObject[] {
  return readList(message, 'content').filter(isObject);
}
