/** An assistant's chat completion message into blocks: thinking, then text, then a refusal, then tool uses. */
import { asFilledText, asList, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock, TextBlock, ThinkingBlock, ToolUseBlock } from '../turn/blocks.ts';
import { readCacheMark } from './cache-mark.ts';
import { markLast } from './read-parts.ts';
import { readReasoningDetails } from './reasoning-details.ts';

/**
 * Serves messages of a request and of an answer alike.
 * @param idAt makes the id of a call that has none.
 */
export function readAssistantContent(
  message: JsonObject,
  idAt: (at: number) => string = () => '',
): readonly AssistantBlock[] {
  const { thinking: inContent, texts, refusals } = readContent(message['content']);
  const calls = asObjects(message['tool_calls']);
  const callIds = new Set(calls.flatMap(({ id }) => asFilledText(id) ?? []));
  const { thinking, signatureOfTool } = readReasoningDetails(message['reasoning_details'], callIds);
  const blocks: AssistantBlock[] = [...inContent];
  if (thinking.length > 0) blocks.push(...thinking);
  else blocks.push(...readPlainReasoning(message));
  blocks.push(...markLast(texts, readCacheMark(message)));
  const refusal = refusals + (asText(message['refusal']) ?? '');
  if (refusal !== '') blocks.push({ type: 'refusal', text: refusal });
  for (const [at, call] of calls.entries()) {
    const block = readToolCall(call, () => idAt(at));
    if (block === undefined) continue;
    const signature = signatureOfTool.get(block.id);
    blocks.push(signature === undefined ? block : { ...block, signature });
  }
  return blocks;
}

/** `reasoning_content` (DeepSeek and most) or `reasoning` (OpenRouter, Groq, vLLM). */
function readPlainReasoning(message: JsonObject): readonly ThinkingBlock[] {
  const text = asFilledText(message['reasoning_content']) ?? asFilledText(message['reasoning']);
  return text === undefined ? [] : [{ type: 'thinking', text }];
}

interface Content {
  readonly thinking: ThinkingBlock[];
  readonly texts: TextBlock[];
  refusals: string;
}

function readContent(value: unknown): Content {
  const content: Content = { thinking: [], texts: [], refusals: '' };
  const whole = asFilledText(value);
  if (whole !== undefined) content.texts.push({ type: 'text', text: whole });
  for (const part of asObjects(value)) readPart(part, content);
  return content;
}

function readPart(part: JsonObject, into: Content): void {
  const { type } = part;
  const text =
    type === 'thinking'
      ? readThinkingPart(part)
      : asFilledText(part[type === 'refusal' ? 'refusal' : 'text']);
  if (text === undefined) return;
  if (type === 'thinking') into.thinking.push({ type: 'thinking', text });
  else if (type === 'refusal') into.refusals += text;
  else if (type === 'text') into.texts.push({ type: 'text', text, cache: readCacheMark(part) });
}

/** Mistral shows thinking as a content part that holds a list of text parts. */
export function readThinkingPart(part: JsonObject): string | undefined {
  const { thinking } = part;
  if (typeof thinking === 'string') return asFilledText(thinking);
  return asFilledText(
    asList(thinking)
      .map((piece) => asText(asObject(piece)?.['text']) ?? '')
      .join(''),
  );
}

function readToolCall(call: JsonObject, makeId: () => string): ToolUseBlock | undefined {
  const isCustom = call['type'] === 'custom';
  const called = asObject(call[isCustom ? 'custom' : 'function']);
  const name = asFilledText(called?.['name']);
  if (name === undefined) return undefined;
  const id = asFilledText(call['id']) ?? makeId();
  if (isCustom) return { type: 'tool_use', id, name, input: asText(called?.['input']) ?? '', custom: true };
  return { type: 'tool_use', id, name, input: readArguments(called?.['arguments']) };
}

/** Text by the protocol; some hosts send the object itself. */
function readArguments(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
  return text === '{}' ? '' : text;
}
