/** Thinking of another vendor's model, from before the conversation moved here: an upstream would refuse it. */
import { asObjects, isJsonObject, type JsonObject } from '../json/fields.ts';
import { unpackSignature, unpackToolSignature } from '../turn/signature.ts';
import { withoutMadeUp } from './citations.ts';

/** A quick look at the bytes: most requests hold none and need not be written anew. */
export function holdsForeignThinking(text: string): boolean {
  return text.includes('"sluice') || /"signature"\s*:\s*""/.test(text);
}

/** No message may be empty: one that held nothing else is left out, and its neighbours become one. */
export function withoutForeignThinking(messages: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  /** The content of the last message while others are joined to it, in place, so that many take no longer than few. */
  let joined: JsonObject[] | null = null;
  let hasGap = false;
  for (const message of messages) {
    const left = withoutForeign(message);
    if (left === undefined) {
      hasGap = true;
      continue;
    }
    const last = kept.at(-1);
    if (hasGap && last !== undefined && last['role'] === left['role']) {
      if (joined === null) {
        joined = [...blocksOf(last)];
        kept[kept.length - 1] = { ...last, content: joined };
      }
      for (const block of blocksOf(left)) joined.push(block);
    } else {
      kept.push(left);
      joined = null;
    }
    hasGap = false;
  }
  return kept;
}

/** Whether one of the last steps with tools, or the words that the model is to go on from, have no thinking in front. */
export function lacksThinking(messages: readonly JsonObject[]): boolean {
  for (const [at, message] of messages.toReversed().entries()) {
    const blocks = blocksOf(message);
    const isAssistant = message['role'] === 'assistant';
    // What stands beside a result, such as a reminder of the client, begins no new turn.
    if (!isAssistant && !blocks.some(({ type }) => type === 'tool_result')) return false;
    const begins = blocks[0]?.['type'];
    const isThought = begins === 'thinking' || begins === 'redacted_thinking';
    const isPrefill = isAssistant && at === 0;
    if (!isThought && (isPrefill || blocks.some(({ type }) => type === 'tool_use'))) return true;
  }
  return false;
}

/** Undefined when nothing is left. */
function withoutForeign(message: JsonObject): JsonObject | undefined {
  const content = message['content'];
  if (message['role'] !== 'assistant' || !Array.isArray(content)) return message;
  const left: readonly unknown[] = content
    .filter((block: unknown) => !isForeign(block))
    .map((block: unknown) => (isJsonObject(block) ? withoutMadeUp(block) : block));
  return left.length === 0 && content.length > 0 ? undefined : { ...message, content: left };
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);
}

function isForeign(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  const { type, signature, data } = block;
  if (type === 'thinking') return signature === '' || isForeignSignature(signature);
  if (type !== 'redacted_thinking' || typeof data !== 'string') return false;
  return unpackToolSignature(data) !== null || isForeignSignature(data);
}

const isForeignSignature = (text: unknown): boolean =>
  typeof text === 'string' && unpackSignature(text, 'anthropic').origin !== 'anthropic';
