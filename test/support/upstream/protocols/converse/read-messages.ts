/** The rules that a conversation is held to: roles in turns, uses of tools with their results, thinking in its place. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import { refuse } from './problem.ts';
import { checkBlock } from './read-blocks.ts';

export function checkMessages(body: JsonObject): void {
  const messages = readList(body, 'messages');
  if (messages.length === 0) throw refuse('messages: at least one is needed.');
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    const role = readText(message, 'role') ?? '';
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) {
      throw refuse(`${at}.role: a user begins, and roles take turns; "${role}" has no place here.`);
    }
    const blocks = blocksOf(message);
    if (blocks.length === 0) throw refuse(`${at}.content: it is empty.`);
    for (const [place, block] of blocks.entries()) checkBlock(block, role, `${at}.content.${place}`);
    if (has(blocks, 'document') && !has(blocks, 'text'))
      throw refuse(`${at}: a document needs a text beside it.`);
    checkPair(message, messages[index + 1], messages[index - 1], at);
  }
  const tools = readList(readObject(body, 'toolConfig'), 'tools');
  const usesTools = messages.some((message) => has(blocksOf(message), 'toolUse'));
  if (usesTools && tools.length === 0) throw refuse('toolConfig: it is needed where tools were used.');
  if (isThinking(body)) checkThinking(messages);
}

export function isThinking(body: JsonObject): boolean {
  const thinking = readObject(readObject(body, 'additionalModelRequestFields'), 'thinking');
  return thinking['type'] === 'enabled';
}

function checkPair(message: unknown, after: unknown, before: unknown, at: string): void {
  const uses = idsIn(message, 'toolUse');
  const results = idsIn(after, 'toolResult');
  const lonely = uses.find((id) => !results.includes(id));
  if (lonely !== undefined) throw refuse(`${at}: the use ${lonely} has no result in the next message.`);
  const earlier = idsIn(before, 'toolUse');
  const stray = idsIn(message, 'toolResult').find((id) => !earlier.includes(id));
  if (stray !== undefined) throw refuse(`${at}: the result ${stray} has no use before it.`);
}

/** While it works with tools, a thinking model wants its thoughts back in front of the last uses. */
function checkThinking(messages: readonly unknown[]): void {
  const last = blocksOf(messages.findLast((message) => readText(message, 'role') === 'assistant'));
  const isWorking = has(blocksOf(messages.at(-1)), 'toolResult');
  if (isWorking && last[0]?.['reasoningContent'] === undefined) {
    throw refuse('messages: the last uses of tools have lost the thinking in front of them.');
  }
}

function idsIn(message: unknown, kind: string): string[] {
  return blocksOf(message)
    .filter((block) => kind in block)
    .map((block) => readText(readObject(block, kind), 'toolUseId') ?? '');
}

function has(blocks: readonly JsonObject[], kind: string): boolean {
  return blocks.some((block) => kind in block);
}

function blocksOf(message: unknown): JsonObject[] {
  return readList(message, 'content').filter(isObject);
}
