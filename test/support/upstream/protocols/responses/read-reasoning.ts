/** Checks reasoning that comes back: it must be ours, unchanged, and stand in front of what it led to. */
import { type JsonObject, readText } from '../../json.ts';
import { openEncryptedContent } from './encrypted-content.ts';
import { reasoningIdOf } from './output.ts';
import { refuse } from './refuse.ts';

export function checkReasoning(items: readonly JsonObject[], isStored: boolean): void {
  for (const [index, item] of items.entries()) {
    if (item['type'] === 'reasoning') checkItem(item, items[index + 1], isStored, `input[${index}]`);
    else checkOrigin(item, items.slice(0, index));
  }
}

function checkItem(item: JsonObject, next: JsonObject | undefined, isStored: boolean, place: string): void {
  const id = readText(item, 'id');
  const content = readText(item, 'encrypted_content');
  if (content === undefined) {
    if (isStored && id?.startsWith('rs_double_')) return;
    throw refuse({ status: 404, message: `No item ${id} is stored here.`, param: 'input' });
  }
  const madeFor = openEncryptedContent(content);
  if (madeFor === undefined || (id !== undefined && id !== madeFor)) {
    throw refuse({
      message: `The encrypted content of ${place} is not what was given out.`,
      code: 'invalid_encrypted_content',
    });
  }
  if (next === undefined || (next['type'] === 'message' && next['role'] !== 'assistant')) {
    throw refuse({ message: `The reasoning ${place} has lost what followed it.`, param: 'input' });
  }
}

/** A call that is named by its item id is not taken without the reasoning it came from. */
function checkOrigin(item: JsonObject, before: readonly JsonObject[]): void {
  const reasoningId = reasoningIdOf(readText(item, 'id') ?? '');
  if (reasoningId === undefined) return;
  if (before.some((other) => readText(other, 'id') === reasoningId)) return;
  throw refuse({
    message: `The item ${item['id']} came without its reasoning ${reasoningId}.`,
    param: 'input',
  });
}
